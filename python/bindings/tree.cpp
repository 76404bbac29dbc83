#include <array>

#include "arguments.hpp"
#include "module.hpp"

namespace merklize::binding {

namespace {

nb::str name_of(Hash hash) { return to_str(traits(hash).name); }

TreePolicy to_policy(nb::handle policy) {
    TreePolicy result;
    if (policy.is_none()) return result;
    if (!nb::isinstance<nb::dict>(policy)) throw nb::type_error("policy must be a dict or None");
    for (auto [key, value] : nb::borrow<nb::dict>(policy)) {
        const std::string_view field = to_text(key, "policy: key");
        if (field != "levels_per_launch") {
            throw Error(ErrorCode::invalid_argument,
                        "policy: unknown field '" + std::string(field) + "'; the fields are: levels_per_launch");
        }
        result.levels_per_launch = static_cast<std::uint32_t>(to_int(value, "policy: levels_per_launch"));
    }
    return result;
}

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

MerkleTree build(nb::handle leaves, nb::handle hash, nb::handle device, nb::handle threads, nb::handle policy,
                 nb::handle progress) {
    const InputBytes input(leaves, "MerkleTree: leaves");
    const std::span<const Digest> digests{reinterpret_cast<const Digest*>(input.span().data()),
                                          input.span().size() / Digest::size};
    const Hash which = hash_from_name(to_text(hash, "hash"));
    const TreePolicy wanted = to_policy(policy);
    std::optional<MerkleTree> tree;
    Run(device, threads, progress)([&](const RunOptions& options) { tree.emplace(digests, which, wanted, options); });
    return std::move(*tree);
}

MerkleTree build_from_file(nb::handle path, nb::handle leaf_bytes, nb::handle device, nb::handle threads,
                           nb::handle policy, nb::handle progress) {
    const std::filesystem::path file = to_path(path, "MerkleTree.from_file: path");
    const std::uint64_t bytes = to_u64(leaf_bytes, "MerkleTree.from_file: leaf_size");
    const TreePolicy wanted = to_policy(policy);
    std::optional<MerkleTree> tree;
    Run(device, threads, progress)(
        [&](const RunOptions& options) { tree.emplace(MerkleTree::from_file(file, bytes, wanted, options)); });
    return std::move(*tree);
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
            "policy",
            [](const MerkleTree& tree) {
                nb::dict policy;
                policy["levels_per_launch"] = tree.policy().levels_per_launch;
                return policy;
            },
            nb::sig("def policy(self) -> dict[str, int]"))
        .def_prop_ro(
            "nodes", [](nb::handle self) { return nb::steal(PyMemoryView_FromObject(self.ptr())); },
            nb::sig("def nodes(self) -> memoryview"))
        .def(
            "prove",
            [](const MerkleTree& tree, nb::handle index) {
                return describe(tree.prove(to_u64(index, "prove: index")));
            },
            nb::arg().none(),
            nb::sig("def prove(self, index: int, /) -> tuple[str, int, int, bytes, tuple[bytes, ...]]"));

    define(m, "build_tree", build,
           "def build_tree(leaves: object, hash: str, device: str, threads: int | None, policy: object, "
           "progress: object, /) -> Tree");
    define(m, "build_tree_from_file", build_from_file,
           "def build_tree_from_file(path: bytes, leaf_bytes: int, device: str, threads: int | None, policy: object, "
           "progress: object, /) -> Tree");

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
