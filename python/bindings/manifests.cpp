#include "merklize/manifest.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "arguments.hpp"
#include "host/input_file.hpp"
#include "host/invalid.hpp"
#include "jobs/cancelling.hpp"
#include "manifests/create.hpp"
#include "manifests/names.hpp"
#include "manifests/safetensors.hpp"
#include "manifests/tiles.hpp"
#include "module.hpp"
#include "run.hpp"
#include "source.hpp"
#include "storage.hpp"

namespace merklize::binding {

namespace {

using manifests::Manifest;

// ---- Entries are the NamedTuples of merklize.manifests, or plain tuples of the same fields ----

nb::bytes to_values(const std::vector<Digest>& digests) { return to_bytes(std::as_bytes(std::span(digests))); }

std::vector<Digest> to_values(nb::handle bytes, const char* argument) {
    const InputBytes input(bytes, argument);
    const std::span<const Digest> values = as_digests(input.span(), argument);
    return {values.begin(), values.end()};
}

std::string to_name(nb::handle text, const char* argument) { return std::string(to_text(text, argument)); }

nb::tuple described(const std::vector<std::uint64_t>& shape) {
    nb::list list;
    for (const std::uint64_t extent : shape) list.append(extent);
    return nb::tuple(list);
}

std::vector<std::uint64_t> to_shape(nb::handle shape) {
    std::vector<std::uint64_t> extents;
    for (nb::handle extent : nb::cast<nb::tuple>(shape)) extents.push_back(to_u64(extent, "shape"));
    return extents;
}

nb::tuple described(const manifests::Tensor& tensor) {
    const bool is_stored = tensor.shard.has_value();
    return nb::make_tuple(to_str(tensor.name), to_str(tensor.dtype), described(tensor.shape),
                          to_bytes(tensor.digest.bytes), tensor.size,
                          is_stored ? nb::object(to_str(*tensor.shard)) : nb::none(),
                          is_stored ? nb::object(nb::int_(tensor.offset)) : nb::none(), to_values(tensor.pieces));
}

manifests::Tensor to_tensor(nb::handle entry) {
    manifests::Tensor tensor{.name = to_name(entry[0], "Tensor: name"), .dtype = to_name(entry[1], "Tensor: dtype")};
    tensor.shape = to_shape(entry[2]);
    tensor.digest = to_digest(entry[3], "Tensor: digest");
    tensor.size = to_u64(entry[4], "Tensor: size");
    if (!entry[5].is_none()) {
        tensor.shard = to_name(entry[5], "Tensor: shard");
        tensor.offset = to_u64(entry[6], "Tensor: offset");
    }
    tensor.pieces = to_values(entry[7], "Tensor: pieces");
    return tensor;
}

nb::tuple described(const manifests::File& file) {
    return nb::make_tuple(to_str(file.path), file.size, to_bytes(file.digest.bytes), to_values(file.pieces));
}

nb::tuple described(const manifests::Shard& shard) {
    return nb::make_tuple(to_str(shard.path), shard.size, to_bytes(shard.header.bytes));
}

nb::tuple described(const manifests::Seen& seen) {
    const nb::object nanoseconds = nb::int_(seen.seconds) * nb::int_(1'000'000'000) + nb::int_(seen.nanoseconds);
    return nb::make_tuple(to_str(seen.path), seen.size, nanoseconds, seen.inode);
}

nb::tuple described(const manifests::Difference& difference) {
    const auto number = [](const std::optional<std::uint64_t>& value) {
        return value ? nb::object(nb::int_(*value)) : nb::none();
    };
    return nb::make_tuple(to_str(difference.kind), to_str(difference.what), to_str(difference.name),
                          difference.shard ? nb::object(to_str(*difference.shard)) : nb::none(),
                          number(difference.begin), number(difference.end), to_str(difference.detail));
}

nb::str described(const std::string& name) { return to_str(name); }

nb::tuple described(const std::vector<std::string>& names) {
    nb::list list;
    for (const std::string& name : names) list.append(to_str(name));
    return nb::tuple(list);
}

template <class Entry>
nb::list all_of(const std::vector<Entry>& entries) {
    nb::list list;
    for (const Entry& entry : entries) list.append(described(entry));
    return list;
}

nb::tuple described(const manifests::Report& report) {
    return nb::make_tuple(all_of(report.differences), report.checked, report.bytes, described(report.missing));
}

nb::tuple described(manifests::Refreshed&& refreshed) {
    return nb::make_tuple(std::move(refreshed.manifest), all_of(refreshed.hashed), all_of(refreshed.kept));
}

std::vector<std::string> to_names(nb::handle list, const char* argument) {
    std::vector<std::string> names;
    for (nb::handle name : list) names.push_back(to_name(name, argument));
    return names;
}

std::string to_exclude(nb::handle path) { return path.is_none() ? "" : to_path(path, "exclude").string(); }

// ---- Files in stores ----

std::exception_ptr pointer_to(nb::handle exception) {
    const auto error = error_of(exception);
    return std::make_exception_ptr(error ? *error : Error(ErrorCode::internal, text_of(exception)));
}

PieceDigests to_made(nb::handle pair) { return {to_digest(pair[0], "digest"), to_values(pair[1], "pieces")}; }

bool is_pair(nb::handle item) { return nb::isinstance<nb::tuple>(item); }

nb::list list_of(std::span<const FileRange> ranges) {
    nb::list list;
    for (const FileRange& range : ranges) list.append(nb::make_tuple(range.offset, range.bytes));
    return list;
}

nb::list to_list(std::span<const std::string> names) {
    nb::list list;
    for (const std::string& name : names) list.append(to_str(name));
    return list;
}

// An object of merklize.stores. Its functions are called with the GIL, one at a time.
class PythonStorage : public manifests::Storage {
public:
    explicit PythonStorage(nb::handle object) : object_(nb::borrow<nb::object>(object)) {}
    ~PythonStorage() override {
        const GilTaken taken;
        object_.reset();
    }

    std::string shown(const std::string& name) const override {
        return in_python([&] { return text_of(object_.attr("shown")(to_str(name))); });
    }

    std::vector<manifests::Looked> look_at(std::span<const std::string> names) override {
        return in_python([&] {
            std::vector<manifests::Looked> found;
            for (nb::handle item : object_.attr("sizes")(to_list(names))) {
                manifests::Looked& looked = found.emplace_back();
                if (nb::isinstance<nb::int_>(item)) {
                    looked.size = to_u64(item, "size");
                } else {
                    looked.error = pointer_to(item);
                }
            }
            require_count(found.size(), names.size());
            for (std::size_t i = 0; i < names.size(); i++) known_[names[i]] = found[i].size;
            return found;
        });
    }

    manifests::Header read_header(const std::string& shard) override {
        const manifests::ReadAt read_at = [&](std::uint64_t offset, std::uint64_t count) {
            return read(shard, offset, count);
        };
        return manifests::read_header(read_at, shown(shard), known_.at(shard));
    }

    std::string content(const std::string& name) override { return read(name, 0, known_.at(name)); }

    std::vector<PieceDigests> hash_ranges(const std::string& shard, std::span<const FileRange> ranges,
                                          std::uint64_t piece_size, const RunOptions& options) override {
        return in_python([&] {
            const auto progress = [&options](double share) { return options.progress(share); };
            std::vector<PieceDigests> digests;
            for (nb::handle pair :
                 object_.attr("hash")(to_str(shard), list_of(ranges), piece_size, nb::cpp_function(progress)))
                digests.push_back(to_made(pair));
            require_count(digests.size(), ranges.size());
            return digests;
        });
    }

    void use(const std::string& shard, const std::function<void(const manifests::ReadAt&, unsigned)>& action) override {
        action([&](std::uint64_t offset, std::uint64_t count) { return read(shard, offset, count); }, 1);
    }

    std::vector<manifests::Hashed> hash_files(std::span<const std::string> names, std::uint64_t piece_size,
                                              manifests::Work& work) override {
        return in_python([&] {
            std::vector<manifests::Hashed> found;
            for (nb::handle item : object_.attr("hash_files")(to_list(names), piece_size)) {
                manifests::Hashed& hashed = found.emplace_back();
                require_count(found.size() <= names.size(), true);
                if (is_pair(item)) {
                    hashed.made = to_made(item);
                } else {
                    hashed.error = pointer_to(item);
                }
                work.advance(known_.at(names[found.size() - 1]));
            }
            require_count(found.size(), names.size());
            return found;
        });
    }

private:
    template <class Count>
    static void require_count(Count got, Count wanted) {
        if (got != wanted) throw Error(ErrorCode::internal, "a store gave too few or too many answers");
    }

    std::string read(const std::string& name, std::uint64_t offset, std::uint64_t count) {
        return in_python([&] {
            const nb::object content = object_.attr("read")(to_str(name), offset, offset + count);
            const InputBytes bytes(content, "content");
            require_count(bytes.span().size(), count);
            return std::string(reinterpret_cast<const char*>(bytes.span().data()), count);
        });
    }

    nb::object object_;
    std::map<std::string, std::uint64_t> known_{};  // sizes
};

// Files in a store: (folder, name of a file or an index or None, names of a folder or None, text of an index or None).
manifests::Source to_weights(nb::handle weights) {
    const auto fields = nb::cast<nb::tuple>(weights);
    manifests::Source source;
    source.folder = to_name(fields[0], "folder");
    if (!fields[2].is_none()) {
        manifests::take_folder(source, to_names(fields[2], "name"));
        return source;
    }
    source.name = to_name(fields[1], "name");
    source.kind = manifests::kind_of_file(source.name);
    if (source.kind == manifests::Kind::file) {
        source.shards.push_back(source.name);
    } else {
        const InputBytes text(fields[3], "index");
        manifests::take_index(source, {reinterpret_cast<const char*>(text.span().data()), text.span().size()},
                              to_name(fields[4], "index"));
    }
    return source;
}

}  // namespace

manifests::Place to_place(nb::handle found) {
    const auto pair = nb::cast<nb::tuple>(found);
    return {to_weights(pair[0]), std::make_unique<PythonStorage>(pair[1])};
}

namespace {

// ---- Functions ----

manifests::DigestKind kind_of_digest(nb::handle tiles) {
    return to_flag(tiles, "tiles") ? manifests::DigestKind::tiles : manifests::DigestKind::bytes;
}

Manifest hash_weights(nb::handle path, nb::handle piece_size, nb::handle ignore, nb::handle follow_links,
                      nb::handle exclude, nb::handle tiles, const Settings& settings) {
    const std::string file = to_path(path, "path").string();
    const manifests::Options options{to_u64(piece_size, "piece_size"), to_names(ignore, "ignore"),
                                     to_flag(follow_links, "follow_links"), to_exclude(exclude), kind_of_digest(tiles)};
    Manifest manifest;
    Run{settings}([&](const RunOptions& run) { manifest = manifests::create(file, options, run); });
    return manifest;
}

Manifest hash_stored(nb::handle source, nb::handle storage, nb::handle piece_size, nb::handle ignore, nb::handle tiles,
                     const Settings& settings) {
    const manifests::Options options{.piece_size = to_u64(piece_size, "piece_size"),
                                     .ignore = to_names(ignore, "ignore"),
                                     .digest = kind_of_digest(tiles)};
    const manifests::Source files = to_weights(source);
    PythonStorage place(storage);
    Manifest manifest;
    Run{settings}([&](const RunOptions& run) { manifest = manifests::create(files, place, options, run); });
    return manifest;
}

Manifest of_tensors(nb::handle tensors, nb::handle piece_size, nb::handle aliases, nb::handle tiles) {
    Manifest manifest{.kind = manifests::Kind::tensors,
                      .digest = kind_of_digest(tiles),
                      .piece_size = to_u64(piece_size, "piece_size")};
    manifests::require_piece_size(manifest.piece_size);
    for (nb::handle tensor : tensors) manifest.tensors.push_back(to_tensor(tensor));
    std::ranges::sort(manifest.tensors, {}, &manifests::Tensor::name);
    for (nb::handle group : aliases) manifest.aliases.push_back(to_names(group, "aliases"));
    manifest.root = root_of(manifest);
    return manifest;
}

nb::tuple check_weights(const Manifest& known, nb::handle path, nb::handle only, nb::handle follow_links,
                        nb::handle exclude, const Settings& settings) {
    const std::string file = to_path(path, "path").string();
    const manifests::CheckOptions options{to_names(only, "only"), to_flag(follow_links, "follow_links"),
                                          to_exclude(exclude)};
    manifests::Report report;
    Run{settings}([&](const RunOptions& run) { report = manifests::check(known, file, options, run); });
    return described(report);
}

nb::tuple check_stored(const Manifest& known, nb::handle open, nb::handle only, const Settings& settings) {
    const manifests::CheckOptions options{to_names(only, "only")};
    const auto opened = [&] { return in_python([&] { return to_place(open()); }); };
    manifests::Report report;
    Run{settings}([&](const RunOptions& run) { report = manifests::check(known, options, opened, run); });
    return described(report);
}

nb::tuple check_tensors(const Manifest& known, nb::handle only, nb::handle tensors) {
    std::vector<manifests::Tensor> found;
    for (nb::handle tensor : tensors) found.push_back(to_tensor(tensor));
    return described(manifests::check_tensors(known, to_names(only, "only"), std::move(found)));
}

nb::tuple refresh_weights(const Manifest& known, nb::handle path, nb::handle everything, nb::handle follow_links,
                          nb::handle exclude, const Settings& settings) {
    const std::string file = to_path(path, "path").string();
    const manifests::RefreshOptions options{to_flag(everything, "everything"), to_flag(follow_links, "follow_links"),
                                            to_exclude(exclude)};
    manifests::Refreshed refreshed;
    Run{settings}([&](const RunOptions& run) { refreshed = manifests::refresh(known, file, options, run); });
    return described(std::move(refreshed));
}

nb::tuple refresh_stored(const Manifest& known, nb::handle source, nb::handle storage, nb::handle everything,
                         const Settings& settings) {
    manifests::require_files(known);
    const manifests::Source files = to_weights(source);
    PythonStorage place(storage);
    const bool all_files = to_flag(everything, "everything");
    manifests::Refreshed refreshed;
    Run{settings}([&](const RunOptions& run) { refreshed = manifests::refresh(known, files, place, all_files, run); });
    return described(std::move(refreshed));
}

Manifest manifest_of_text(nb::handle text) {
    const InputBytes bytes(text, "text");
    Manifest manifest;
    Run::without_gil([&] {
        manifest = manifests::parse({reinterpret_cast<const char*>(bytes.span().data()), bytes.span().size()});
    });
    return manifest;
}

Manifest manifest_of_file(nb::handle path) {
    const std::string file = to_path(path, "path").string();
    refuse_empty_path(file);
    Manifest manifest;
    Run{Settings{.device = "cpu"}}([&](const RunOptions& options) {
        runtime::Progress progress(options.progress);
        manifest = manifests::load(runtime::InputFile(file), runtime::waiting(progress));
    });
    return manifest;
}

// The tensors of the safetensors file that begins with these bytes, which may end behind the header.
nb::list tensors_of_header(nb::handle bytes, nb::handle shard) {
    const InputBytes input(bytes, "header");
    const std::string_view text(reinterpret_cast<const char*>(input.span().data()), input.span().size());
    const std::string path = to_name(shard, "shard");
    const manifests::ReadAt read_at = [&](std::uint64_t offset, std::uint64_t count) {
        if (offset > text.size() || count > text.size() - offset)
            throw Error(ErrorCode::internal, "the header is not whole");
        return std::string(text.substr(offset, count));
    };
    manifests::Header header;
    Run::without_gil([&] { header = manifests::read_header(read_at, path, std::nullopt); });
    nb::list all;
    for (manifests::Stored& stored : header.tensors) {
        all.append(described(manifests::Tensor{.name = std::move(stored.name),
                                               .dtype = std::move(stored.dtype),
                                               .shape = std::move(stored.shape),
                                               .size = stored.size,
                                               .shard = path,
                                               .offset = stored.offset}));
    }
    return all;
}

nb::tuple fields_of(const Manifest& known) {
    return nb::make_tuple(std::string(name_of(known.kind)), known.name ? nb::object(to_str(*known.name)) : nb::none(),
                          known.piece_size, nb::tuple(all_of(known.aliases)), described(known.ignore),
                          known.digest == manifests::DigestKind::tiles);
}

// The place of files of the system: (folder, name of a file or an index or None, names of a folder).
nb::tuple find_weights(nb::handle path, nb::handle ignore, nb::handle follow_links, nb::handle exclude) {
    const std::string from = to_path(path, "path").string(), own = to_exclude(exclude);
    const std::vector<std::string> patterns = to_names(ignore, "ignore");
    const bool follows = to_flag(follow_links, "follow_links");
    manifests::Source found;
    Run{Settings{.device = "cpu"}}([&](const RunOptions& options) {
        runtime::Progress progress(options.progress);
        found = manifests::find_source(from, patterns, follows, own, runtime::waiting(progress));
    });
    const bool is_folder = found.kind == manifests::Kind::folder;
    nb::list names = all_of(found.shards);
    names.extend(all_of(found.files));
    return nb::make_tuple(to_file_name(found.folder), is_folder ? nb::none() : nb::object(to_str(found.name)), names);
}

}  // namespace

void bind_manifests(nb::module_& m) {
    nb::class_<Manifest>(m, "Manifest")
        .def_prop_ro(
            "root", [](const Manifest& known) { return to_bytes(known.root.bytes); },
            nb::sig("def root(self) -> bytes"))
        .def_prop_ro(
            "missing", [](const Manifest& known) { return described(known.missing); },
            nb::sig("def missing(self) -> tuple[str, ...]"))
        .def("fields", fields_of,
             nb::sig("def fields(self) -> tuple[str, str | None, int, tuple[tuple[str, ...], ...], tuple[str, ...], "
                     "bool]"))
        .def(
            "tensors", [](const Manifest& known) { return all_of(known.tensors); },
            nb::sig("def tensors(self) -> list[tuple[str, str, tuple[int, ...], bytes, int, str | None, int | None, "
                    "bytes]]"))
        .def(
            "files", [](const Manifest& known) { return all_of(known.files); },
            nb::sig("def files(self) -> list[tuple[str, int, bytes, bytes]]"))
        .def(
            "shards", [](const Manifest& known) { return all_of(known.shards); },
            nb::sig("def shards(self) -> list[tuple[str, int, bytes]]"))
        .def(
            "seen", [](const Manifest& known) { return all_of(known.seen); },
            nb::sig("def seen(self) -> list[tuple[str, int, int, int]]"))
        .def(
            "leaves", [](const Manifest& known) { return to_values(leaves_of(known)); },
            nb::sig("def leaves(self) -> bytes"))
        .def(
            "to_json", [](const Manifest& known, bool seen) { return to_str(to_json(known, seen)); },
            nb::sig("def to_json(self, seen: bool, /) -> str"))
        .def(
            "names_of",
            [](const Manifest& known, nb::handle only) {
                return all_of(manifests::tensors_of(known, to_names(only, "only")));
            },
            nb::sig("def names_of(self, only: list[str], /) -> list[str]"))
        .def("check", check_weights,
             nb::sig("def check(self, path: bytes, only: list[str], follow_links: bool, exclude: bytes | None, "
                     "settings: Settings, /) -> tuple[list[tuple[str, str, str, str | None, int | None, int | None, "
                     "str]], int, int, tuple[str, ...]]"),
             nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg())
        .def("check_stored", check_stored,
             nb::sig("def check_stored(self, open: object, only: list[str], settings: Settings, /) -> "
                     "tuple[list[tuple[str, str, str, str | None, int | None, int | None, str]], int, int, tuple[str, "
                     "...]]"))
        .def("check_tensors", check_tensors,
             nb::sig("def check_tensors(self, only: list[str], tensors: object, /) -> "
                     "tuple[list[tuple[str, str, str, str | None, int | None, int | None, str]], int, int, tuple[str, "
                     "...]]"))
        .def(
            "diff", [](const Manifest& known, const Manifest& other) { return all_of(diff(known, other)); },
            nb::sig("def diff(self, other: Manifest, /) -> list[tuple[str, str, str, str | None, int | None, int | "
                    "None, str]]"))
        .def("refresh", refresh_weights,
             nb::sig("def refresh(self, path: bytes, everything: bool, follow_links: bool, exclude: bytes | None, "
                     "settings: Settings, /) -> tuple[Manifest, list[str], list[str]]"),
             nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg())
        .def("refresh_stored", refresh_stored,
             nb::sig("def refresh_stored(self, source: tuple[object, ...], storage: object, everything: bool, "
                     "settings: Settings, /) -> tuple[Manifest, list[str], list[str]]"),
             nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
    define(m,
           "def manifest(path: bytes, piece_size: int, ignore: list[str], follow_links: bool, exclude: bytes | None, "
           "tiles: bool, settings: Settings, /) -> Manifest",
           hash_weights);
    define(m,
           "def manifest_stored(source: tuple[object, ...], storage: object, piece_size: int, ignore: list[str], "
           "tiles: bool, settings: Settings, /) -> Manifest",
           hash_stored);
    define(m, "def manifest_of_tensors(tensors: object, piece_size: int, aliases: object, tiles: bool, /) -> Manifest",
           of_tensors);
    define(
        m, "def tile_form(dtype: str, shape: tuple[int, ...], /) -> tuple[tuple[int, ...], int]",
        +[](nb::handle dtype, nb::handle shape) {
            const manifests::TileForm form = manifests::tile_form(to_name(dtype, "dtype"), to_shape(shape));
            return nb::make_tuple(described(form.shape), form.element_bytes);
        });
    define(
        m, "def tiles_digest(dtype: str, shape: tuple[int, ...], tree: bytes | None, /) -> bytes",
        +[](nb::handle dtype, nb::handle shape, nb::handle tree) {
            std::optional<Digest> root;
            if (!tree.is_none()) root = to_digest(tree, "tree");
            return to_bytes(manifests::tiles_digest(to_name(dtype, "dtype"), to_shape(shape), root).bytes);
        });
    define(
        m, "def require_piece_size(size: int, /) -> None",
        +[](nb::handle size) { manifests::require_piece_size(to_u64(size, "piece_size")); });
    define(
        m, "def plain_patterns(ignore: list[str], /) -> list[str]",
        +[](nb::handle ignore) { return all_of(manifests::plain_patterns(to_names(ignore, "ignore"))); });
    define(m, "def manifest_from_json(text: bytes, /) -> Manifest", manifest_of_text);
    define(m, "def load_manifest(path: bytes, /) -> Manifest", manifest_of_file);
    define(m,
           "def find_weights(path: bytes, ignore: list[str], follow_links: bool, exclude: bytes | None, /) -> "
           "tuple[str, str | None, list[str]]",
           find_weights);
    define(m,
           "def tensors_of_header(header: bytes, shard: str, /) -> list[tuple[str, str, tuple[int, ...], bytes, int, "
           "str | None, int | None, bytes]]",
           tensors_of_header);
    define(
        m, "def sentence_of_difference(what: str, name: str, shard: str | None, detail: str, /) -> str",
        +[](nb::handle argument, nb::handle name, nb::handle shard, nb::handle detail) {
            manifests::Difference difference{.what = to_name(argument, "what"), .name = to_name(name, "name")};
            if (!shard.is_none()) difference.shard = to_name(shard, "shard");
            difference.detail = to_name(detail, "detail");
            return to_str(difference.sentence());
        });
    define(
        m, "def leaf_of_tensor(tensor: object, /) -> bytes",
        +[](nb::handle tensor) { return to_bytes(to_tensor(tensor).leaf().bytes); });
    define(
        m, "def leaf_of_file(file: object, /) -> bytes", +[](nb::handle entry) {
            const manifests::File file{to_name(entry[0], "File: path"),
                                       to_u64(entry[1], "File: size"),
                                       to_digest(entry[2], "File: digest"),
                                       {}};
            return to_bytes(file.leaf().bytes);
        });
}

}  // namespace merklize::binding
