#include <array>
#include <optional>
#include <vector>

#include "arguments.hpp"
#include "module.hpp"
#include "policy.hpp"
#include "run.hpp"

namespace merklize::binding {

namespace {

nb::str name_of(Hash hash) { return to_str(traits(hash).name); }

/// (hash, index, n_leaves, leaf, siblings): the arguments of Python's MerkleProof.
nb::tuple describe(const MerkleProof& proof) {
    nb::list siblings;
    for (const Digest& sibling : proof.siblings) siblings.append(to_bytes(sibling.bytes));
    return nb::make_tuple(name_of(proof.hash), proof.index, proof.n_leaves, to_bytes(proof.leaf.bytes),
                          nb::tuple(siblings));
}

MerkleProof to_proof(nb::handle hash, nb::handle index, nb::handle n_leaves, nb::handle leaf, nb::handle siblings) {
    MerkleProof proof;
    proof.hash = hash_from_name(to_text(hash, "hash"));
    proof.index = to_u64(index, "index");
    proof.n_leaves = to_u64(n_leaves, "n_leaves");
    proof.leaf = to_digest(leaf, "leaf");
    for (nb::handle sibling : nb::cast<nb::tuple>(siblings)) proof.siblings.push_back(to_digest(sibling, "sibling"));
    return proof;
}

MerkleTree make_tree(nb::handle leaves, nb::handle hash, nb::handle settings, nb::handle policy) {
    const Input input(leaves, "MerkleTree: leaves", settings);
    const Hash which = hash_from_name(to_text(hash, "hash"));
    const TreePolicy wanted = to_tree_policy(policy);
    std::optional<MerkleTree> tree;
    Run(settings, input.on_device())([&](const RunOptions& options) {
        if (input.on_device() != nullptr) {
            tree.emplace(input.buffer(), which, wanted, options);
        } else {
            tree.emplace(as_digests(input.span()), which, wanted, options);
        }
    });
    return std::move(*tree);
}

MerkleTree make_tree_from_file(nb::handle path, nb::handle leaf_bytes, nb::handle settings, nb::handle policy) {
    const std::filesystem::path file = to_path(path, "MerkleTree.from_file: path");
    const std::uint64_t bytes = to_u64(leaf_bytes, "MerkleTree.from_file: leaf_size");
    const TreePolicy wanted = to_tree_policy(policy);
    std::optional<MerkleTree> tree;
    const Run run(settings);
    run([&](const RunOptions& options) { tree.emplace(MerkleTree::from_file(file, bytes, wanted, options)); });
    return std::move(*tree);
}

nb::dict build_tree(nb::handle nodes, nb::handle hash, nb::handle settings, nb::handle policy) {
    const DeviceArray* array = nb::isinstance<DeviceArray>(nodes) ? nb::inst_ptr<DeviceArray>(nodes) : nullptr;
    const Hash which = hash_from_name(to_text(hash, "hash"));
    const TreePolicy wanted = to_tree_policy(policy);
    const Run run(settings, array);
    TreePolicy used;
    if (array != nullptr) {
        run([&](const RunOptions& options) { used = merklize::build_tree(array->buffer, which, wanted, options); });
    } else {
        const OutputBytes slots(nodes);
        run([&](const RunOptions& options) {
            used = merklize::build_tree(as_digests(slots.span()), which, wanted, options);
        });
    }
    return to_dict(used, run.on_host());
}

nb::bytes merkle_root(nb::handle leaves, nb::handle hash, nb::handle settings, nb::handle policy) {
    const Input input(leaves, "merkle_root: leaves", settings);
    const Hash which = hash_from_name(to_text(hash, "hash"));
    const TreePolicy wanted = to_tree_policy(policy);
    Digest root;
    Run(settings, input.on_device())([&](const RunOptions& options) {
        root = input.on_device() != nullptr ? merklize::merkle_root(input.buffer(), which, wanted, options)
                                            : merklize::merkle_root(as_digests(input.span()), which, wanted, options);
    });
    return to_bytes(root.bytes);
}

nb::list prove(const MerkleTree& tree, nb::handle indices) {
    std::vector<std::uint64_t> wanted;
    for (nb::handle index : nb::cast<nb::list>(indices)) wanted.push_back(to_u64(index, "prove: index"));
    std::vector<MerkleProof> proofs;
    Run::without_gil([&] { proofs = tree.prove(wanted); });
    nb::list result;
    for (const MerkleProof& proof : proofs) result.append(describe(proof));
    return result;
}

/// All nodes on the host, of a tree on a device in a copy that the tree keeps.
nb::object host_nodes(nb::handle self) {
    const MerkleTree& tree = *nb::inst_ptr<MerkleTree>(self);
    Run::without_gil([&] { (void)tree.nodes(); });
    return nb::steal(PyMemoryView_FromObject(self.ptr()));
}

/// Buffer protocol: all nodes, read-only. A view holds a reference to the tree, whose nodes never move.
int get_buffer(PyObject* self, Py_buffer* view, int flags) {
    const auto nodes = std::as_bytes(nb::inst_ptr<MerkleTree>(self)->nodes());
    return PyBuffer_FillInfo(view, self, const_cast<std::byte*>(nodes.data()), static_cast<Py_ssize_t>(nodes.size()), 1,
                             flags);
}

PyType_Slot tree_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};

}  // namespace

void bind_tree(nb::module_& m) {
    nb::class_<MerkleTree>(m, "Tree", nb::type_slots(tree_slots), "A tree; a buffer of its 2n nodes in heap order.")
        .def_prop_ro(
            "hash", [](const MerkleTree& tree) { return name_of(tree.hash()); }, nb::sig("def hash(self) -> str"))
        .def_prop_ro("n_leaves", &MerkleTree::n_leaves)
        .def_prop_ro(
            "root", [](const MerkleTree& tree) { return to_bytes(tree.root().bytes); },
            nb::sig("def root(self) -> bytes"))
        .def_prop_ro("device", [](const MerkleTree& tree) { return tree.device().id; })
        .def_prop_ro(
            "policy", [](const MerkleTree& tree) { return to_dict(tree.policy(), tree.device().backend == "cpu"); },
            nb::sig("def policy(self) -> dict[str, int | str]"))
        .def_prop_ro("on_device", &MerkleTree::on_device)
        .def("host_nodes", host_nodes, nb::sig("def host_nodes(self) -> memoryview"))
        .def("device_nodes", [](const MerkleTree& tree) { return digests_array(tree.device_nodes(), tree.hash()); })
        .def("prove", prove, nb::arg().none(),
             nb::sig("def prove(self, indices: list[typing.Any], /) -> list[tuple[str, int, int, bytes, "
                     "tuple[bytes, ...]]]"));

    define(m, "make_tree", make_tree,
           "def make_tree(leaves: object, hash: str, settings: tuple[object, ...], policy: object, /) -> Tree");
    define(m, "make_tree_from_file", make_tree_from_file,
           "def make_tree_from_file(path: bytes, leaf_bytes: int, settings: tuple[object, ...], policy: object, /) -> "
           "Tree");
    define(m, "build_tree", build_tree,
           "def build_tree(nodes: object, hash: str, settings: tuple[object, ...], policy: object, /) -> "
           "dict[str, int | str]");
    define(m, "merkle_root", merkle_root,
           "def merkle_root(leaves: object, hash: str, settings: tuple[object, ...], policy: object, /) -> bytes");

    define(
        m, "verify",
        +[](nb::handle hash, nb::handle index, nb::handle n_leaves, nb::handle leaf, nb::handle siblings,
            nb::handle root) {
            return merklize::verify(to_proof(hash, index, n_leaves, leaf, siblings), to_digest(root, "root"));
        },
        "def verify(hash: str, index: int, n_leaves: int, leaf: bytes, siblings: tuple[bytes, ...], root: object, /) "
        "-> bool");
    define(
        m, "proof_to_bytes",
        +[](nb::handle hash, nb::handle index, nb::handle n_leaves, nb::handle leaf, nb::handle siblings) {
            return to_bytes(to_proof(hash, index, n_leaves, leaf, siblings).to_bytes());
        },
        "def proof_to_bytes(hash: str, index: int, n_leaves: int, leaf: bytes, siblings: tuple[bytes, ...], /) -> "
        "bytes");
    define(
        m, "proof_from_bytes",
        +[](nb::handle data) -> nb::object {
            const auto proof = MerkleProof::from_bytes(InputBytes(data, "MerkleProof.from_bytes: data").span());
            return proof ? nb::object(describe(*proof)) : nb::none();
        },
        "def proof_from_bytes(data: object, /) -> tuple[str, int, int, bytes, tuple[bytes, ...]] | None");
}

}  // namespace merklize::binding
