#include <optional>
#include <vector>

#include "arguments.hpp"
#include "form.hpp"
#include "module.hpp"
#include "proof.hpp"
#include "run.hpp"
#include "tree.hpp"
#include "tree_input.hpp"

namespace merklize::binding {

namespace {

LeafSource to_source(nb::handle source) {
    const auto fields = nb::cast<nb::tuple>(source);
    return {to_u64(fields[0], "leaf_size"), to_u64(fields[1], "file_size")};
}

TreeFile open_tree_file(nb::handle path) { return TreeFile(to_path(path, "TreeFile: path")); }

nb::bytes read(const TreeFile& file, nb::handle level, nb::handle first, nb::handle count) {
    const auto from = static_cast<unsigned>(to_int(level, "read: level"));
    const std::uint64_t begin = to_u64(first, "read: first"), n = to_u64(count, "read: count");
    std::vector<Digest> nodes;
    Run::without_gil([&] { nodes = file.read(from, begin, n); });
    return to_bytes(std::as_bytes(std::span(nodes)));
}

nb::tuple prove_together(const TreeFile& file, nb::handle indices) {
    const std::vector<std::uint64_t> wanted = to_indices(indices);
    MultiProof proof;
    Run::without_gil([&] { proof = file.prove_together(wanted); });
    return describe(proof);
}

nb::tuple prove_range(const TreeFile& file, nb::handle first, nb::handle last) {
    const std::uint64_t from = to_u64(first, "prove_range: first"), to = to_u64(last, "prove_range: last");
    MultiProof proof;
    Run::without_gil([&] { proof = file.prove_range(from, to); });
    return describe(proof);
}

nb::list check(const TreeFile& file, nb::handle most, nb::handle settings) {
    const std::uint64_t limit = to_u64(most, "check: most");
    std::vector<WrongNode> wrong;
    Run{settings}([&](const RunOptions& options) { wrong = file.check(limit, options); });
    nb::list result;
    for (const WrongNode& node : wrong) result.append(nb::make_tuple(node.level, node.index));
    return result;
}

TreeBuilder make_builder(nb::handle form, nb::handle settings) {
    const Run run(settings);
    return TreeBuilder(to_form(form), run.options());
}

TreeWriter make_writer(nb::handle path, nb::handle n_leaves, nb::handle form, nb::handle source, nb::handle resume,
                       nb::handle settings) {
    const Run run(settings);
    return TreeWriter(to_path(path, "TreeWriter: path"), to_u64(n_leaves, "TreeWriter: n_leaves"), to_form(form),
                      to_source(source), is_true(resume), run.options());
}

}  // namespace

void bind_tree_file(nb::module_& m) {
    nb::class_<TreeFile>(m, "TreeFile", "A tree file, open.")
        .def_prop_ro(
            "hash", [](const TreeFile& self) { return name_of(self.form().hash); }, nb::sig("def hash(self) -> str"))
        .def_prop_ro(
            "rule", [](const TreeFile& self) { return name_of(self.form().rule); }, nb::sig("def rule(self) -> str"))
        .def_prop_ro(
            "padding", [](const TreeFile& self) { return to_bytes(self.form().padding.bytes); },
            nb::sig("def padding(self) -> bytes"))
        .def_prop_ro("is_keyed", &TreeFile::is_keyed)
        .def_prop_ro("n_leaves", &TreeFile::n_leaves)
        .def_prop_ro("height", &TreeFile::height)
        .def_prop_ro(
            "root", [](const TreeFile& self) { return to_bytes(self.root().bytes); },
            nb::sig("def root(self) -> bytes"))
        .def_prop_ro("leaf_size", [](const TreeFile& self) { return self.source().leaf_bytes; })
        .def_prop_ro("file_size", [](const TreeFile& self) { return self.source().total_bytes; })
        .def(
            "set_mode",
            [](TreeFile& self, nb::handle key, nb::handle context) { self.set_mode(to_mode(key, context, "key")); },
            nb::arg().none(), nb::arg().none(),
            nb::sig("def set_mode(self, key: object, context: str | None, /) -> None"))
        .def_prop_ro("descriptor", &TreeFile::descriptor)
        .def("level_offset", &TreeFile::level_offset)
        .def("read", read, nb::sig("def read(self, level: int, first: int, count: int, /) -> bytes"))
        .def(
            "prove",
            [](const TreeFile& self, nb::handle index) { return describe(self.prove(to_u64(index, "index"))); },
            nb::sig("def prove(self, index: int, /) -> tuple[str, int, int, bytes, tuple[bytes, ...], str]"))
        .def("prove_together", prove_together,
             nb::sig("def prove_together(self, indices: object, /) -> tuple[str, str, int, bytes, bytes, bytes]"))
        .def("prove_range", prove_range,
             nb::sig("def prove_range(self, first: int, last: int, /) -> tuple[str, str, int, bytes, bytes, bytes]"))
        .def(
            "prove_consistency",
            [](const TreeFile& self, nb::handle old_leaves) {
                return describe(self.prove_consistency(to_u64(old_leaves, "prove_consistency: old_leaves")));
            },
            nb::sig("def prove_consistency(self, old_leaves: int, /) -> tuple[str, int, int, tuple[bytes, ...]]"))
        .def("check", check, nb::arg().none(), nb::arg().none(),
             nb::sig("def check(self, most: int, settings: tuple[object, ...], /) -> list[tuple[int, int]]"))
        .def(
            "update",
            [](TreeFile& self, nb::handle indices, nb::handle leaves, nb::handle settings) {
                const std::vector<std::uint64_t> which = to_indices(indices);
                const InputBytes digests(leaves, "update: leaves");
                Run{settings}(
                    [&](const RunOptions& options) { self.update(which, as_digests(digests.span()), options); });
            },
            nb::arg().none(), nb::arg().none(), nb::arg().none(),
            nb::sig("def update(self, indices: object, leaves: object, settings: tuple[object, ...], /) -> None"))
        .def(
            "append",
            [](TreeFile& self, nb::handle leaves, nb::handle settings) {
                const InputBytes digests(leaves, "append: leaves");
                Run{settings}([&](const RunOptions& options) { self.append(as_digests(digests.span()), options); });
            },
            nb::arg().none(), nb::arg().none(),
            nb::sig("def append(self, leaves: object, settings: tuple[object, ...], /) -> None"))
        .def(
            "append_file",
            [](TreeFile& self, nb::handle input, nb::handle leaf_size, nb::handle row_size, nb::handle settings) {
                const TreeInput from = to_tree_input(input, leaf_size, row_size);
                std::uint64_t count = 0;
                Run{settings}([&](const RunOptions& options) { count = self.append(from, options); });
                return count;
            },
            nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
            nb::sig("def append_file(self, input: bytes | int, leaf_size: int | None, row_size: int | None, settings: "
                    "tuple[object, ...], /) -> int"));
    define(m, "open_tree_file", open_tree_file, "def open_tree_file(path: bytes, /) -> TreeFile");
    define(m, "save_tree", save, "def save_tree(tree: Tree, path: bytes, /) -> None");

    nb::class_<TreeBuilder>(m, "Builder", "The root of leaves that come in pieces.")
        .def_prop_ro("n_leaves", &TreeBuilder::n_leaves)
        .def(
            "append",
            [](TreeBuilder& self, nb::handle leaves, nb::handle settings) {
                const Input input(leaves, "append: leaves", settings);
                Run::without_gil([&] {
                    if (input.on_device() != nullptr) {
                        self.append(input.buffer());
                    } else {
                        self.append(as_digests(input.span()));
                    }
                });
            },
            nb::arg().none(), nb::arg().none(),
            nb::sig("def append(self, leaves: object, settings: tuple[object, ...], /) -> None"))
        .def(
            "root",
            [](const TreeBuilder& self) {
                Digest root;
                Run::without_gil([&] { root = self.root(); });
                return to_bytes(root.bytes);
            },
            nb::sig("def root(self) -> bytes"));
    define(m, "make_builder", make_builder,
           "def make_builder(form: tuple[object, ...], settings: tuple[object, ...], /) -> Builder");

    nb::class_<TreeWriter>(m, "Writer", "A tree file that is being built.")
        .def_prop_ro("written", &TreeWriter::written)
        .def(
            "append",
            [](TreeWriter& self, nb::handle leaves) {
                const InputBytes digests(leaves, "append: leaves");
                Run::without_gil([&] { self.append(as_digests(digests.span())); });
            },
            nb::arg().none(), nb::sig("def append(self, leaves: object, /) -> None"))
        .def(
            "finish",
            [](TreeWriter& self) {
                Digest root;
                Run::without_gil([&] { root = self.finish(); });
                return to_bytes(root.bytes);
            },
            nb::sig("def finish(self) -> bytes"));
    define(m, "make_writer", make_writer,
           "def make_writer(path: bytes, n_leaves: int, form: tuple[object, ...], source: tuple[int, int], resume: "
           "bool, settings: tuple[object, ...], /) -> Writer");
}

}  // namespace merklize::binding
