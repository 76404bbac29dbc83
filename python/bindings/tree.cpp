#include <atomic>
#include <optional>
#include <vector>

#include "arguments.hpp"
#include "form.hpp"
#include "module.hpp"
#include "policy.hpp"
#include "proof.hpp"
#include "run.hpp"
#include "tree.hpp"
#include "tree_input.hpp"

namespace merklize::binding {

std::vector<std::uint64_t> to_indices(nb::handle indices) {
    const InputBytes bytes(indices, "indices");
    const auto* first = reinterpret_cast<const std::uint64_t*>(bytes.span().data());
    return {first, first + bytes.span().size() / sizeof(std::uint64_t)};
}

namespace {

/// What Python calls a tree: the tree, and how many buffers of its nodes are out.
struct Tree {
    MerkleTree tree;
    std::atomic<int> views{0};

    explicit Tree(MerkleTree built) : tree(std::move(built)) {}
    Tree(Tree&& other) noexcept : tree(std::move(other.tree)) {}
};

template <class Build>
Tree made(const Run& run, Build&& build) {
    std::optional<MerkleTree> tree;
    run([&](const RunOptions& options) { tree.emplace(build(options)); });
    return Tree(std::move(*tree));
}

Tree make_tree(nb::handle leaves, nb::handle form, nb::handle drop_levels, nb::handle settings, nb::handle policy) {
    const Input input(leaves, "MerkleTree: leaves", settings);
    const TreeForm wanted = to_form(form);
    const auto drop = static_cast<unsigned>(to_int(drop_levels, "MerkleTree: drop_levels"));
    return made(Run(settings, input.on_device(), to_policy(policy)), [&](const RunOptions& options) {
        return input.on_device() != nullptr ? MerkleTree(input.buffer(), wanted, options, drop)
                                            : MerkleTree(as_digests(input.span()), wanted, options, drop);
    });
}

Tree make_tree_from_rows(nb::handle rows, nb::handle n_rows, nb::handle form, nb::handle settings, nb::handle policy) {
    const Input input(rows, "MerkleTree.from_rows: rows", settings);
    const std::uint64_t n = to_u64(n_rows, "MerkleTree.from_rows: rows");
    const TreeForm wanted = to_form(form);
    return made(Run(settings, input.on_device(), to_policy(policy)), [&](const RunOptions& options) {
        return input.on_device() != nullptr ? MerkleTree::from_rows(input.buffer(), n, wanted, options)
                                            : MerkleTree::from_rows(input.span(), n, wanted, options);
    });
}

Tree make_tree_from_file(nb::handle input, nb::handle leaf_size, nb::handle row_size, nb::handle form,
                         nb::handle settings, nb::handle policy) {
    const TreeInput from = to_tree_input(input, leaf_size, row_size);
    const TreeForm wanted = to_form(form);
    return made(Run(settings, nullptr, to_policy(policy)),
                [&](const RunOptions& options) { return MerkleTree::from_file(from, wanted, options); });
}

nb::dict build_tree(nb::handle nodes, nb::handle form, nb::handle settings, nb::handle policy) {
    const DeviceArray* array = nb::isinstance<DeviceArray>(nodes) ? nb::inst_ptr<DeviceArray>(nodes) : nullptr;
    const TreeForm wanted = to_form(form);
    const Run run(settings, array, to_policy(policy));
    Policy used;
    if (array != nullptr) {
        run([&](const RunOptions& options) { used = merklize::build_tree(array->buffer, wanted, options); });
    } else {
        const OutputBytes slots(nodes);
        run([&](const RunOptions& options) { used = merklize::build_tree(as_digests(slots.span()), wanted, options); });
    }
    return to_dict(used, run.on_host());
}

nb::bytes merkle_root(nb::handle leaves, nb::handle form, nb::handle settings, nb::handle policy) {
    const Input input(leaves, "merkle_root: leaves", settings);
    const TreeForm wanted = to_form(form);
    Digest root;
    Run(settings, input.on_device(), to_policy(policy))([&](const RunOptions& options) {
        root = input.on_device() != nullptr ? merklize::merkle_root(input.buffer(), wanted, options)
                                            : merklize::merkle_root(as_digests(input.span()), wanted, options);
    });
    return to_bytes(root.bytes);
}

/// The leaves given again, of a tree without its lowest levels.
class Leaves {
public:
    explicit Leaves(nb::handle leaves) {
        if (!leaves.is_none()) bytes_.emplace(leaves, "prove: leaves");
    }
    std::span<const Digest> span() const { return bytes_ ? as_digests(bytes_->span()) : std::span<const Digest>(); }

private:
    std::optional<InputBytes> bytes_;
};

nb::list prove(const Tree& self, nb::handle indices, nb::handle leaves) {
    const std::vector<std::uint64_t> wanted = to_indices(indices);
    const Leaves again(leaves);
    std::vector<MerkleProof> proofs;
    Run::without_gil([&] { proofs = self.tree.prove(wanted, again.span()); });
    nb::list result;
    for (const MerkleProof& proof : proofs) result.append(describe(proof));
    return result;
}

nb::tuple prove_together(const Tree& self, nb::handle indices, nb::handle leaves) {
    const std::vector<std::uint64_t> wanted = to_indices(indices);
    const Leaves again(leaves);
    MultiProof proof;
    Run::without_gil([&] { proof = self.tree.prove_together(wanted, again.span()); });
    return describe(proof);
}

nb::tuple prove_range(const Tree& self, nb::handle first, nb::handle last, nb::handle leaves) {
    const std::uint64_t from = to_u64(first, "prove_range: first"), to = to_u64(last, "prove_range: last");
    const Leaves again(leaves);
    MultiProof proof;
    Run::without_gil([&] { proof = self.tree.prove_range(from, to, again.span()); });
    return describe(proof);
}

nb::tuple prove_consistency(const Tree& self, nb::handle old_leaves) {
    return describe(self.tree.prove_consistency(to_u64(old_leaves, "prove_consistency: old_leaves")));
}

void update(Tree& self, nb::handle indices, nb::handle leaves, nb::handle settings) {
    const std::vector<std::uint64_t> which = to_indices(indices);
    const InputBytes digests(leaves, "update: leaves");
    Run{settings}([&](const RunOptions& options) { self.tree.update(which, as_digests(digests.span()), options); });
}

// As for a bytearray: memory that somebody sees does not move.
void append(Tree& self, nb::handle leaves, nb::handle settings) {
    if (self.views != 0) {
        PyErr_SetString(PyExc_BufferError, "append: views of the tree's nodes exist; delete them first");
        nb::raise_python_error();
    }
    const InputBytes digests(leaves, "append: leaves");
    Run{settings}([&](const RunOptions& options) { self.tree.append(as_digests(digests.span()), options); });
}

/// All nodes on the host, of a tree on a device in a copy that the tree keeps.
nb::object host_nodes(nb::handle self) {
    const Tree& tree = *nb::inst_ptr<Tree>(self);
    Run::without_gil([&] { (void)tree.tree.nodes(); });
    return nb::steal(PyMemoryView_FromObject(self.ptr()));
}

/// Buffer protocol: all nodes, read-only. A view holds a reference to the tree, whose nodes do not move while there is one.
int get_buffer(PyObject* self, Py_buffer* view, int flags) {
    Tree& tree = *nb::inst_ptr<Tree>(self);
    const auto nodes = std::as_bytes(tree.tree.nodes());
    const int result = PyBuffer_FillInfo(view, self, const_cast<std::byte*>(nodes.data()),
                                         static_cast<Py_ssize_t>(nodes.size()), 1, flags);
    if (result == 0) tree.views++;
    return result;
}

void release_buffer(PyObject* self, Py_buffer*) { nb::inst_ptr<Tree>(self)->views--; }

PyType_Slot tree_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                            {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                            {0, nullptr}};

}  // namespace

void save(nb::handle tree, nb::handle path) {
    const std::filesystem::path to = to_path(path, "save: path");
    const MerkleTree& which = nb::cast<Tree&>(tree).tree;
    Run::without_gil([&] { save_tree(which, to); });
}

void bind_tree(nb::module_& m) {
    nb::class_<Tree>(m, "Tree", nb::type_slots(tree_slots), "A tree; a buffer of its slots in heap order.")
        .def_prop_ro(
            "hash", [](const Tree& self) { return name_of(self.tree.hash()); }, nb::sig("def hash(self) -> str"))
        .def_prop_ro(
            "rule", [](const Tree& self) { return name_of(self.tree.form().rule); }, nb::sig("def rule(self) -> str"))
        .def_prop_ro("n_leaves", [](const Tree& self) { return self.tree.n_leaves(); })
        .def_prop_ro("height", [](const Tree& self) { return self.tree.height(); })
        .def_prop_ro("drop_levels", [](const Tree& self) { return self.tree.drop_levels(); })
        .def_prop_ro("leaf_size", [](const Tree& self) { return self.tree.source().leaf_bytes; })
        .def_prop_ro("file_size", [](const Tree& self) { return self.tree.source().total_bytes; })
        .def_prop_ro(
            "root", [](const Tree& self) { return to_bytes(self.tree.root().bytes); },
            nb::sig("def root(self) -> bytes"))
        .def_prop_ro("device", [](const Tree& self) { return self.tree.device().id; })
        .def_prop_ro(
            "policy", [](const Tree& self) { return to_dict(self.tree.policy(), self.tree.device().backend == "cpu"); },
            nb::sig("def policy(self) -> dict[str, int | str]"))
        .def_prop_ro("on_device", [](const Tree& self) { return self.tree.on_device(); })
        .def("host_nodes", host_nodes, nb::sig("def host_nodes(self) -> memoryview"))
        .def("device_nodes", [](const Tree& self) { return digests_array(self.tree.device_nodes(), self.tree.hash()); })
        .def("prove", prove, nb::arg().none(), nb::arg().none(),
             nb::sig("def prove(self, indices: object, leaves: object, /) -> list[tuple[str, int, int, bytes, "
                     "tuple[bytes, ...], str]]"))
        .def("prove_together", prove_together, nb::arg().none(), nb::arg().none(),
             nb::sig("def prove_together(self, indices: object, leaves: object, /) -> tuple[str, str, int, bytes, "
                     "bytes, bytes]"))
        .def("prove_range", prove_range, nb::arg().none(), nb::arg().none(), nb::arg().none(),
             nb::sig("def prove_range(self, first: int, last: int, leaves: object, /) -> tuple[str, str, int, bytes, "
                     "bytes, bytes]"))
        .def("prove_consistency", prove_consistency, nb::arg().none(),
             nb::sig("def prove_consistency(self, old_leaves: int, /) -> tuple[str, int, int, tuple[bytes, ...]]"))
        .def("update", update, nb::arg().none(), nb::arg().none(), nb::arg().none(),
             nb::sig("def update(self, indices: object, leaves: object, settings: tuple[object, ...], /) -> None"))
        .def("append", append, nb::arg().none(), nb::arg().none(),
             nb::sig("def append(self, leaves: object, settings: tuple[object, ...], /) -> None"));

    define(m, "make_tree", make_tree,
           "def make_tree(leaves: object, form: tuple[object, ...], drop_levels: int, settings: tuple[object, ...], "
           "policy: object, /) -> Tree");
    define(m, "make_tree_from_rows", make_tree_from_rows,
           "def make_tree_from_rows(rows: object, n_rows: int, form: tuple[object, ...], settings: "
           "tuple[object, ...], policy: object, /) -> Tree");
    define(m, "make_tree_from_file", make_tree_from_file,
           "def make_tree_from_file(input: bytes | int, leaf_size: int | None, row_size: int | None, form: "
           "tuple[object, ...], settings: tuple[object, ...], policy: object, /) -> Tree");
    define(m, "build_tree", build_tree,
           "def build_tree(nodes: object, form: tuple[object, ...], settings: tuple[object, ...], policy: object, /) "
           "-> dict[str, int | str]");
    define(m, "merkle_root", merkle_root,
           "def merkle_root(leaves: object, form: tuple[object, ...], settings: tuple[object, ...], policy: object, /) "
           "-> bytes");
    define(
        m, "heap_slots", +[](nb::handle n_leaves) { return heap_slots(to_u64(n_leaves, "n_leaves")); },
        "def heap_slots(n_leaves: int, /) -> int");
    define(
        m, "default_rule",
        +[](nb::handle hash) { return name_of(TreeForm(hash_from_name(to_text(hash, "hash"))).rule); },
        "def default_rule(hash: str, /) -> str");
    define(
        m, "rule_by_name", +[](nb::handle name) { return name_of(rule_from_name(to_text(name, "rule"))); },
        "def rule_by_name(name: str, /) -> str");
}

}  // namespace merklize::binding
