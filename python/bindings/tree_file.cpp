#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "digest_array.hpp"
#include "files/beside.hpp"
#include "files/storage.hpp"
#include "form.hpp"
#include "module.hpp"
#include "object_lock.hpp"
#include "proof.hpp"
#include "run.hpp"
#include "source.hpp"
#include "tree.hpp"
#include "tree_files/differences.hpp"
#include "tree_input.hpp"

namespace merklize::binding {

namespace {

LeafSource to_source(nb::handle source) {
    const auto fields = nb::cast<nb::tuple>(source);
    return {to_u64(fields[0], "leaf_size"), to_u64(fields[1], "file_size")};
}

using SharedFile = Shared<TreeFile>;
using SharedBuilder = Shared<TreeBuilder>;
using SharedWriter = Shared<TreeWriter>;

SharedFile open_tree_file(nb::handle path) { return SharedFile(TreeFile(to_path(path, "path"))); }

// source  what PythonSource takes
SharedFile open_tree_source(nb::handle source) {
    auto from = std::make_unique<const PythonSource>(source);
    std::optional<TreeFile> file;
    Run::without_gil([&] { file.emplace(std::move(from)); });
    return SharedFile(std::move(*file));
}

int descriptor_of(const TreeFile& file) {
    if (file.descriptor() >= 0) return file.descriptor();
    throw Error(ErrorCode::invalid_argument,
                file.path().string() + ": a tree file in a store has no level() to map: read() gives its nodes");
}

nb::bytes read_nodes(const SharedFile& self, nb::handle level, nb::handle first, nb::handle count) {
    const auto from = static_cast<unsigned>(to_int(level, "level"));
    const std::uint64_t begin = to_u64(first, "first"), n = to_u64(count, "count");
    return self.read("TreeFile", [&](const TreeFile& file) {
        std::vector<Digest> nodes;
        Run::without_gil([&] { nodes = file.read(from, begin, n); });
        return to_bytes(std::as_bytes(std::span(nodes)));
    });
}

nb::list prove_in_file(const SharedFile& self, nb::handle indices) {
    const std::vector<std::uint64_t> wanted = to_indices(indices);
    return self.read("TreeFile", [&](const TreeFile& file) {
        return prove_in_pieces(wanted, 256, [&](std::span<const std::uint64_t> some) { return file.prove(some); });
    });
}

MultiProof prove_together_in_file(const SharedFile& self, nb::handle indices) {
    const std::vector<std::uint64_t> wanted = to_indices(indices);
    return self.read("TreeFile", [&](const TreeFile& file) {
        MultiProof proof;
        Run::without_gil([&] { proof = file.prove_together(wanted); });
        return proof;
    });
}

MultiProof prove_range_in_file(const SharedFile& self, nb::handle first, nb::handle last) {
    const std::uint64_t from = to_u64(first, "first"), to = to_u64(last, "last");
    return self.read("TreeFile", [&](const TreeFile& file) {
        MultiProof proof;
        Run::without_gil([&] { proof = file.prove_range(from, to); });
        return proof;
    });
}

nb::list check(const SharedFile& self, nb::handle most, const Settings& settings) {
    const std::uint64_t limit = to_u64(most, "most");
    return self.read("TreeFile", [&](const TreeFile& file) {
        std::vector<WrongNode> wrong;
        Run{settings}([&](const RunOptions& options) { wrong = file.check(limit, options); });
        nb::list result;
        for (const WrongNode& node : wrong) result.append(nb::make_tuple(node.level, node.index));
        return result;
    });
}

// Returns what LeafDifferences has.
nb::tuple compare(const SharedFile& self, nb::handle input, nb::handle leaf_size, nb::handle row_size, nb::handle most,
                  const Settings& settings) {
    const LeafInput from(input, leaf_size, row_size);
    const std::uint64_t limit = to_u64(most, "most");
    return self.read("TreeFile", [&](const TreeFile& file) {
        runtime::LeafDifferences found;
        Run{settings}(
            [&](const RunOptions& options) { found = runtime::leaves_unlike(file, from.get(), limit, options); });
        nb::list leaves;
        for (const std::uint64_t leaf : found.leaves) leaves.append(leaf);
        return nb::make_tuple(leaves, found.count, found.other_leaves, found.other_bytes);
    });
}

SharedBuilder make_builder(const TreeForm& form, const Settings& settings) {
    const Run run(settings);
    return SharedBuilder(TreeBuilder(form, run.options()));
}

SharedWriter make_writer(nb::handle path, nb::handle n_leaves, const TreeForm& form, nb::handle source,
                         nb::handle resume, const Settings& settings) {
    const Run run(settings);
    return SharedWriter(TreeWriter(to_path(path, "path"), to_u64(n_leaves, "n_leaves"), form, to_source(source),
                                   to_flag(resume, "resume"), run.options()));
}

}  // namespace

void bind_tree_file(nb::module_& m) {
    define(
        m, "def beside(path: bytes, end: str, /) -> bytes", +[](nb::handle path, nb::handle end) {
            const auto made = runtime::beside(to_path(path, "path"), nb::cast<std::string>(end)).string();
            return nb::bytes(made.data(), made.size());
        });
    nb::class_<SharedFile> file(m, "TreeFile", "A tree file, open.");
    const auto property = [&](const char* name, auto get, const char* signature) {
        file.def_prop_ro(
            name, [get](const SharedFile& self) { return self.read("TreeFile", get); }, nb::sig(signature));
    };
    property("hash", [](const TreeFile& file) { return name_of(file.form().hash); }, "def hash(self) -> str");
    property("rule", [](const TreeFile& file) { return name_of(file.form().rule); }, "def rule(self) -> str");
    property(
        "padding", [](const TreeFile& file) { return to_bytes(file.form().padding.bytes); },
        "def padding(self) -> bytes");
    property("is_keyed", [](const TreeFile& file) { return file.is_keyed(); }, "def is_keyed(self) -> bool");
    property("n_leaves", [](const TreeFile& file) { return file.n_leaves(); }, "def n_leaves(self) -> int");
    property("height", [](const TreeFile& file) { return file.height(); }, "def height(self) -> int");
    property("root", [](const TreeFile& file) { return to_bytes(file.root().bytes); }, "def root(self) -> bytes");
    property("leaf_size", [](const TreeFile& file) { return file.source().leaf_bytes; }, "def leaf_size(self) -> int");
    property("file_size", [](const TreeFile& file) { return file.source().total_bytes; }, "def file_size(self) -> int");
    property("descriptor", descriptor_of, "def descriptor(self) -> int");
    file.def(
            "set_mode",
            [](SharedFile& self, nb::handle key, nb::handle context) {
                const Hash hash = self.read("TreeFile", [](const TreeFile& file) { return file.form().hash; });
                const Mode mode = to_mode(key, context, hash);
                self.change("TreeFile", [&](TreeFile& file) { file.set_mode(mode); });
            },
            nb::arg().none(), nb::arg().none(),
            nb::sig("def set_mode(self, key: object, context: str | None, /) -> None"))
        .def(
            "level_offset",
            [](const SharedFile& self, nb::handle level) {
                const auto which = static_cast<unsigned>(to_int(level, "level"));
                return self.read("TreeFile", [&](const TreeFile& file) { return file.level_offset(which); });
            },
            nb::arg().none(), nb::sig("def level_offset(self, level: int, /) -> int"))
        .def("read", read_nodes, nb::arg().none(), nb::arg().none(), nb::arg().none(),
             nb::sig("def read(self, level: int, first: int, count: int, /) -> bytes"))
        .def("prove", prove_in_file, nb::arg().none(),
             nb::sig("def prove(self, indices: object, /) -> list[MerkleProof]"), "indices: uint64[k].")
        .def("prove_together", prove_together_in_file, nb::arg().none(),
             nb::sig("def prove_together(self, indices: object, /) -> MultiProof"), "indices: uint64[k].")
        .def("prove_range", prove_range_in_file, nb::arg().none(), nb::arg().none(),
             nb::sig("def prove_range(self, first: int, last: int, /) -> MultiProof"))
        .def(
            "prove_consistency",
            [](const SharedFile& self, nb::handle old_leaves) {
                const std::uint64_t n = to_u64(old_leaves, "old_leaves");
                return self.read("TreeFile", [&](const TreeFile& file) { return file.prove_consistency(n); });
            },
            nb::arg().none(), nb::sig("def prove_consistency(self, old_leaves: int, /) -> ConsistencyProof"))
        .def("check", check, nb::arg().none(), nb::arg().none(),
             nb::sig("def check(self, most: int, settings: Settings, /) -> list[tuple[int, int]]"))
        .def("compare", compare, nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
             nb::arg().none(),
             nb::sig("def compare(self, input: object, leaf_size: int | None, row_size: int | None, most: int, "
                     "settings: Settings, /) -> tuple[list[int], int, int, int]"))
        .def(
            "update",
            [](SharedFile& self, nb::handle indices, nb::handle leaves, const Settings& settings) {
                const std::vector<std::uint64_t> which = to_indices(indices);
                const InputBytes digests(leaves, "leaves");
                self.change("TreeFile", [&](TreeFile& file) {
                    Run{settings}([&](const RunOptions& options) {
                        file.update(which, as_digests(digests.span(), "leaves"), options);
                    });
                });
            },
            nb::arg().none(), nb::arg().none(), nb::arg().none(),
            nb::sig("def update(self, indices: object, leaves: object, settings: Settings, /) -> None"))
        .def(
            "append",
            [](SharedFile& self, nb::handle leaves, const Settings& settings) {
                const DigestArray given(leaves, "leaves", "k", nullptr);
                self.change("TreeFile", [&](TreeFile& file) {
                    Run{settings}([&](const RunOptions& options) { file.append(given.digests(), options); });
                });
            },
            nb::arg().none(), nb::arg().none(),
            nb::sig("def append(self, leaves: object, settings: Settings, /) -> None"))
        .def(
            "append_file",
            [](SharedFile& self, nb::handle input, nb::handle leaf_size, nb::handle row_size,
               const Settings& settings) {
                const LeafInput from(input, leaf_size, row_size);
                return self.change("TreeFile", [&](TreeFile& file) {
                    std::uint64_t count = 0;
                    Run{settings}([&](const RunOptions& options) { count = file.append(from.get(), options); });
                    return count;
                });
            },
            nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
            nb::sig("def append_file(self, input: object, leaf_size: int | None, row_size: int | None, settings: "
                    "Settings, /) -> int"));
    define(
        m, "def overwrites(output: bytes, input: bytes, /) -> bool", +[](nb::handle output, nb::handle input) {
            return runtime::Storage(to_path(output, "output")).overwrites(runtime::Storage(to_path(input, "input")));
        });
    define(m, "def open_tree_file(path: bytes, /) -> TreeFile", open_tree_file);
    define(m, "def open_tree_source(source: object, /) -> TreeFile", open_tree_source);
    define(m, "def save_tree(tree: Tree, path: bytes, /) -> None", save);

    nb::class_<SharedBuilder>(m, "Builder", "The root of leaves that come in pieces.")
        .def_prop_ro(
            "n_leaves",
            [](const SharedBuilder& self) {
                return self.read("TreeBuilder", [](const TreeBuilder& builder) { return builder.n_leaves(); });
            },
            nb::sig("def n_leaves(self) -> int"))
        .def(
            "append",
            [](SharedBuilder& self, nb::handle leaves, const Settings& settings) {
                const DigestArray input(leaves, "leaves", "k", &settings);
                self.change("TreeBuilder", [&](TreeBuilder& builder) {
                    Run::without_gil([&] {
                        if (input.on_device() != nullptr) {
                            builder.append(input.buffer());
                        } else {
                            builder.append(input.digests());
                        }
                    });
                });
            },
            nb::arg().none(), nb::arg().none(),
            nb::sig("def append(self, leaves: object, settings: Settings, /) -> None"))
        .def(
            "root",
            [](SharedBuilder& self) {
                return self.change("TreeBuilder", [](TreeBuilder& builder) {
                    Digest root;
                    Run::without_gil([&] { root = builder.root(); });
                    return to_bytes(root.bytes);
                });
            },
            nb::sig("def root(self) -> bytes"));
    define(m, "def make_builder(form: TreeForm, settings: Settings, /) -> Builder", make_builder);

    nb::class_<SharedWriter>(m, "Writer", "A tree file that is being built.")
        .def_prop_ro(
            "written",
            [](const SharedWriter& self) {
                return self.read("TreeWriter", [](const TreeWriter& writer) { return writer.written(); });
            },
            nb::sig("def written(self) -> int"))
        .def(
            "append",
            [](SharedWriter& self, nb::handle leaves) {
                const DigestArray given(leaves, "leaves", "k", nullptr);
                self.change("TreeWriter",
                            [&](TreeWriter& writer) { Run::without_gil([&] { writer.append(given.digests()); }); });
            },
            nb::arg().none(), nb::sig("def append(self, leaves: object, /) -> None"))
        .def(
            "finish",
            [](SharedWriter& self) {
                return self.change("TreeWriter", [](TreeWriter& writer) {
                    Digest root;
                    Run::without_gil([&] { root = writer.finish(); });
                    return to_bytes(root.bytes);
                });
            },
            nb::sig("def finish(self) -> bytes"));
    define(m,
           "def make_writer(path: bytes, n_leaves: int, form: TreeForm, source: tuple[int, int], resume: "
           "bool, settings: Settings, /) -> Writer",
           make_writer);
}

}  // namespace merklize::binding
