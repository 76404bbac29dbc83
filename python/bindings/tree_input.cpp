// Inputs of trees, and what is built of them: build_tree_file() and merkle_root_file().
#include "tree_input.hpp"

#include <string>

#include "arguments.hpp"
#include "form.hpp"
#include "module.hpp"
#include "run.hpp"

namespace merklize::binding {

TreeInput to_tree_input(nb::handle input, nb::handle leaf_size, nb::handle row_size) {
    if (!leaf_size.is_none() && !row_size.is_none()) {
        throw Error(ErrorCode::invalid_argument, "give leaf_size or row_size, not both");
    }
    const bool is_descriptor = nb::isinstance<nb::int_>(input);
    const int descriptor = is_descriptor ? to_int(input, "input") : -1;
    if (is_descriptor && descriptor < 0) {
        throw Error(ErrorCode::invalid_argument,
                    "input: a descriptor must be at least 0, got " + std::to_string(descriptor));
    }
    const std::string name = descriptor == 0 ? "standard input" : "descriptor " + std::to_string(descriptor);
    const std::filesystem::path path = is_descriptor ? std::filesystem::path(name) : to_path(input, "input");
    TreeInput result = !leaf_size.is_none()  ? TreeInput::pieces(path, to_u64(leaf_size, "leaf_size"))
                       : !row_size.is_none() ? TreeInput::rows(path, to_u64(row_size, "row_size"))
                                             : TreeInput::leaves(path);
    result.descriptor = descriptor;
    return result;
}

namespace {

TreeFacts build_tree_file(nb::handle input, nb::handle leaf_size, nb::handle row_size, nb::handle output,
                          const TreeForm& form, nb::handle resume, const Settings& settings) {
    const TreeInput from = to_tree_input(input, leaf_size, row_size);
    const std::filesystem::path to = to_path(output, "build_tree_file: output");
    const bool go_on = is_true(resume);
    TreeFacts facts{};
    Run{settings}(
        [&](const RunOptions& options) { facts = merklize::build_tree_file(from, to, form, go_on, options); });
    return facts;
}

TreeFacts merkle_root_file(nb::handle input, nb::handle leaf_size, nb::handle row_size, const TreeForm& form,
                           const Settings& settings) {
    const TreeInput from = to_tree_input(input, leaf_size, row_size);
    TreeFacts facts{};
    Run{settings}([&](const RunOptions& options) { facts = merklize::merkle_root_file(from, form, options); });
    return facts;
}

// Of a tree that was built of what Python has read.
TreeFacts make_tree_facts(nb::handle root, nb::handle n_leaves, nb::handle height, nb::handle file_size,
                          const TreeForm& form) {
    const InputBytes bytes(root, "make_tree_facts: root");
    return {as_digests(bytes.span())[0],
            to_u64(n_leaves, "make_tree_facts: n_leaves"),
            static_cast<unsigned>(to_int(height, "make_tree_facts: height")),
            to_u64(file_size, "make_tree_facts: file_size"),
            form.hash,
            form.rule};
}

}  // namespace

void bind_tree_input(nb::module_& m) {
    nb::class_<TreeFacts>(m, "TreeFacts", nb::is_weak_referenceable(), "What was built of an input.")
        .def_prop_ro(
            "root", [](const TreeFacts& self) { return to_bytes(self.root.bytes); }, nb::sig("def root(self) -> bytes"),
            "The root, 32 bytes.")
        .def_ro("n_leaves", &TreeFacts::n_leaves, "Count of leaves.")
        .def_ro("height", &TreeFacts::height, "Levels above the leaves.")
        .def_ro("file_size", &TreeFacts::bytes, "Bytes of the input.")
        .def_prop_ro(
            "hash", [](const TreeFacts& self) { return name_of(self.hash); }, nb::sig("def hash(self) -> str"),
            "Name of the hash.")
        .def_prop_ro(
            "rule", [](const TreeFacts& self) { return name_of(self.rule); }, nb::sig("def rule(self) -> str"),
            "Name of the rule.")
        .def("__repr__", [](const TreeFacts& self) {
            return to_str("<TreeFacts: " + std::to_string(self.n_leaves) + " leaves, " +
                          std::string(traits(self.hash).name) + ", root " + self.root.hex() + ">");
        });
    define(
        m, "make_tree_facts", make_tree_facts,
        "def make_tree_facts(root: bytes, n_leaves: int, height: int, file_size: int, form: TreeForm, /) -> TreeFacts");
    define(m, "build_tree_file", build_tree_file,
           "def build_tree_file(input: bytes | int, leaf_size: int | None, row_size: int | None, output: bytes, form: "
           "TreeForm, resume: bool, settings: Settings, /) -> TreeFacts");
    define(m, "merkle_root_file", merkle_root_file,
           "def merkle_root_file(input: bytes | int, leaf_size: int | None, row_size: int | None, form: "
           "TreeForm, settings: Settings, /) -> TreeFacts");
}

}  // namespace merklize::binding
