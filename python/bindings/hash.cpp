#include <vector>

#include "arguments.hpp"
#include "digests/file_root.hpp"
#include "hashes/message.hpp"
#include "module.hpp"
#include "run.hpp"
#include "source.hpp"

namespace merklize::binding {

namespace {

nb::bytes hash(nb::handle data, nb::handle key, nb::handle context, nb::handle length, nb::handle seek,
               const Settings& settings) {
    const Mode mode = to_mode(key, context);
    // A call with timings or a stream is one launch, so its data is copied whole.
    if (settings.timings.is_none() && !settings.stream && is_large_and_apart(data, "data")) {
        const Output out(length, seek);
        const Run run(settings, nullptr);
        merklize::Hasher hasher(mode, run.options());
        each_piece(data, "data",
                   [&](std::span<const std::byte> piece) { Run::without_gil([&] { hasher.update(piece); }); });
        Run::without_gil([&] { hasher.digest(out.span(), out.seek()); });
        return out.bytes();
    }
    const Input input(data, "data", settings);
    const Run run(settings, input.on_device());
    const Output out(length, seek);
    // Short work ends before another thread could take over the GIL.
    constexpr std::size_t short_work = 2048;
    if (input.on_device() != nullptr) {
        run([&](const RunOptions& options) { merklize::hash(input.buffer(), out.span(), out.seek(), mode, options); });
    } else if (run.on_host() && input.span().size() + out.span().size() <= short_work) {
        merklize::hash(input.span(), out.span(), out.seek(), mode, {.device = run.options().device, .threads = 1});
    } else {
        run([&](const RunOptions& options) { merklize::hash(input.span(), out.span(), out.seek(), mode, options); });
    }
    return out.bytes();
}

nb::bytes hash_file(nb::handle path, nb::handle key, nb::handle context, nb::handle length, nb::handle seek,
                    const Settings& settings) {
    const std::filesystem::path file = to_path(path, "path");
    const Mode mode = to_mode(key, context);
    const Run run(settings, nullptr);
    const Output out(length, seek);
    run([&](const RunOptions& options) { merklize::hash_file(file, out.span(), out.seek(), mode, options); });
    return out.bytes();
}

nb::bytes hash_descriptor(nb::handle descriptor, nb::handle name, nb::handle key, nb::handle context, nb::handle length,
                          nb::handle seek, const Settings& settings) {
    const int fd = to_int(descriptor, "file descriptor");
    const std::string_view shown = to_text(name, "name");
    const Mode mode = to_mode(key, context);
    const Run run(settings, nullptr);
    const Output out(length, seek);
    run([&](const RunOptions& options) {
        merklize::hash_descriptor(fd, shown, out.span(), out.seek(), mode, options);
    });
    return out.bytes();
}

// source  what to_source() takes
nb::bytes hash_source(nb::handle source, nb::handle hash, nb::handle key, nb::handle context, nb::handle length,
                      nb::handle seek, const Settings& settings) {
    const auto from = to_source(source);
    const Hash which = hash_from_name(to_text(hash, "hash"));
    const MessageForm form(which, to_mode(key, context, which));
    const Run run(settings, nullptr);
    const Output out(length, seek);
    run([&](const RunOptions& options) { runtime::hash_source(*from, form, out.span(), out.seek(), options); });
    return out.bytes();
}

nb::list results_of(const std::vector<std::filesystem::path>& files, const std::vector<FileDigest>& digests) {
    nb::list result;
    for (const FileDigest& digest : digests) {
        if (digest.error.empty()) {
            result.append(to_bytes(digest.output));
        } else {
            result.append(
                nb::make_tuple(to_str(digest.error), digest.system_error, to_file_name(files[result.size()].string())));
        }
    }
    return result;
}

nb::list hash_files(nb::handle paths, nb::handle key, nb::handle context, nb::handle length, nb::handle seek,
                    const Settings& settings) {
    std::vector<std::filesystem::path> files;
    for (nb::handle path : nb::cast<nb::list>(paths)) files.push_back(to_path(path, "path"));
    const Mode mode = to_mode(key, context);
    const Output one(length, seek);
    const Run run(settings, nullptr);
    std::vector<FileDigest> digests;
    run([&](const RunOptions& options) {
        digests = merklize::hash_files(files, one.span().size(), one.seek(), mode, options);
    });

    return results_of(files, digests);
}

// The digest of one message by any hash of bytes but BLAKE3.

MessageForm to_form(nb::handle hash, nb::handle key) {
    const Hash which = hash_from_name(to_text(hash, "hash"));
    return {which, to_mode(key, nb::none(), which)};
}

nb::bytes hash_message(nb::handle data, nb::handle hash, nb::handle key, nb::handle length, const Settings& settings) {
    const Input input(data, "data", settings);
    const MessageForm form = to_form(hash, key);
    const Run run(settings, input.on_device());
    const Output out(length, nb::int_(0));
    run([&](const RunOptions& options) {
        if (input.on_device() != nullptr)
            merklize::hash_message(input.buffer(), out.span(), form, options);
        else
            merklize::hash_message(input.span(), out.span(), form, options);
    });
    return out.bytes();
}

nb::bytes hash_message_file(nb::handle path, nb::handle hash, nb::handle key, nb::handle length,
                            const Settings& settings) {
    const std::filesystem::path file = to_path(path, "path");
    const MessageForm form = to_form(hash, key);
    const Output out(length, nb::int_(0));
    Run{settings}([&](const RunOptions& options) { merklize::hash_message_file(file, out.span(), form, options); });
    return out.bytes();
}

nb::bytes hash_message_descriptor(nb::handle descriptor, nb::handle name, nb::handle hash, nb::handle key,
                                  nb::handle length, const Settings& settings) {
    const int fd = to_int(descriptor, "file descriptor");
    const std::string_view shown = to_text(name, "name");
    const MessageForm form = to_form(hash, key);
    const Output out(length, nb::int_(0));
    Run{settings}(
        [&](const RunOptions& options) { merklize::hash_message_descriptor(fd, shown, out.span(), form, options); });
    return out.bytes();
}

nb::list hash_message_files(nb::handle paths, nb::handle hash, nb::handle key, nb::handle length,
                            const Settings& settings) {
    std::vector<std::filesystem::path> files;
    for (nb::handle path : nb::cast<nb::list>(paths)) files.push_back(to_path(path, "path"));
    const MessageForm form = to_form(hash, key);
    const std::uint64_t bytes = to_u64(length, "length");
    std::vector<FileDigest> digests;
    Run{settings}(
        [&](const RunOptions& options) { digests = merklize::hash_message_files(files, form, options, bytes); });
    return results_of(files, digests);
}

// Refuses a hash, or a length of the digest, that hash_message() does not have.
void require_message(nb::handle hash, nb::handle length) {
    runtime::require_message(runtime::message_hash_from_name(to_text(hash, "hash")), to_u64(length, "length"));
}

// The arrays of these two are all on the host, or all DeviceArrays; Python has checked that.

void hash_leaves(nb::handle rows, nb::handle row_bytes, nb::handle out, nb::handle hash, nb::handle key,
                 nb::handle context, const Settings& settings) {
    const Input input(rows, "rows", settings);
    const std::uint64_t bytes = to_u64(row_bytes, "row");
    const Hash which = hash_from_name(to_text(hash, "hash"));
    const Mode mode = to_mode(key, context, which);
    const Run run(settings, input.on_device());
    if (input.on_device() != nullptr) {
        const Buffer output = bound<DeviceArray>(out).writable();
        return run([&](const RunOptions& options) {
            merklize::hash_leaves(input.buffer(), bytes, output, which, mode, options);
        });
    }
    const OutputBytes output(out);
    run([&](const RunOptions& options) {
        merklize::hash_leaves(input.span(), bytes, as_digests(output.span()), which, mode, options);
    });
}

void merge(nb::handle left, nb::handle right, nb::handle out, nb::handle hash, nb::handle key, nb::handle context,
           const Settings& settings) {
    const Input first(left, "left", settings);
    const Input second(right, "right", settings);
    const Hash which = hash_from_name(to_text(hash, "hash"));
    const Mode mode = to_mode(key, context, which);
    const Run run(settings, first.on_device());
    if (first.on_device() != nullptr) {
        const Buffer output = bound<DeviceArray>(out).writable();
        return run([&](const RunOptions& options) {
            merklize::merge(first.buffer(), second.buffer(), output, which, mode, options);
        });
    }
    const OutputBytes output(out);
    run([&](const RunOptions& options) {
        merklize::merge(as_digests(first.span()), as_digests(second.span()), as_digests(output.span()), which, mode,
                        options);
    });
}

nb::bytes merge_one(nb::handle left, nb::handle right, nb::handle hash, nb::handle key, nb::handle context) {
    const Hash which = hash_from_name(to_text(hash, "hash"));
    return to_bytes(
        merklize::merge(to_digest(left, "left"), to_digest(right, "right"), which, to_mode(key, context, which)).bytes);
}

}  // namespace

void bind_hash(nb::module_& m) {
    define(m,
           "def hash(data: object, key: object, context: str | None, length: int, seek: int, settings: Settings, /) -> "
           "bytes",
           hash);
    define(m,
           "def hash_file(path: bytes, key: object, context: str | None, length: int, seek: int, settings: Settings, "
           "/) -> bytes",
           hash_file);
    define(m,
           "def hash_descriptor(descriptor: int, name: str, key: object, context: str | None, length: int, seek: int, "
           "settings: Settings, /) -> bytes",
           hash_descriptor);
    define(m,
           "def hash_source(source: object, hash: str, key: object, context: str | None, length: int, seek: int, "
           "settings: Settings, /) -> bytes",
           hash_source);
    define(m,
           "def hash_files(paths: list[bytes], key: object, context: str | None, length: int, seek: int, settings: "
           "Settings, /) -> list[bytes | tuple[str, int, str | None]]",
           hash_files);
    define(m, "def hash_message(data: object, hash: str, key: object, length: int, settings: Settings, /) -> bytes",
           hash_message);
    define(m, "def hash_message_file(path: bytes, hash: str, key: object, length: int, settings: Settings, /) -> bytes",
           hash_message_file);
    define(m,
           "def hash_message_descriptor(descriptor: int, name: str, hash: str, key: object, length: int, settings: "
           "Settings, /) -> bytes",
           hash_message_descriptor);
    define(m,
           "def hash_message_files(paths: list[bytes], hash: str, key: object, length: int, settings: Settings, /) -> "
           "list[bytes | tuple[str, int, str | None]]",
           hash_message_files);
    define(m, "def require_message(hash: str, length: int, /) -> None", require_message);
    define(m,
           "def hash_leaves(rows: object, row_bytes: int, out: object, hash: str, key: object, context: str "
           "| None, settings: Settings, /) -> None",
           hash_leaves);
    define(m,
           "def merge(left: object, right: object, out: object, hash: str, key: object, context: str | None, settings: "
           "Settings, /) -> None",
           merge);
    define(m, "def merge_one(left: object, right: object, hash: str, key: object, context: str | None, /) -> bytes",
           merge_one);
}

}  // namespace merklize::binding
