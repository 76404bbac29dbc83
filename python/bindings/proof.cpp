#include "proof.hpp"

#include <cstring>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/variant.h>

#include "arguments.hpp"
#include "command/tree/proof_json.hpp"
#include "form.hpp"
#include "module.hpp"

namespace merklize::binding {

namespace {

/// Whole items in a bytes-like.
template <class Item>
std::vector<Item> to_items(nb::handle data, const char* argument) {
    const InputBytes bytes(data, argument);
    if (bytes.span().size() % sizeof(Item) != 0) {
        throw Error(ErrorCode::invalid_argument, std::string(argument) + " must be a whole count of items of " +
                                                     std::to_string(sizeof(Item)) + " bytes, got " +
                                                     std::to_string(bytes.span().size()) + " bytes");
    }
    std::vector<Item> items(bytes.span().size() / sizeof(Item));
    if (!items.empty()) std::memcpy(items.data(), bytes.span().data(), bytes.span().size());
    return items;
}

nb::tuple as_tuple(const std::vector<Digest>& digests) {
    nb::list list;
    for (const Digest& digest : digests) list.append(to_bytes(digest.bytes));
    return nb::tuple(list);
}

/// most  the most digests that a proof can have, because `digests` may be an endless iterator
std::vector<Digest> to_digests(nb::handle digests, std::size_t most, const std::string& argument) {
    std::vector<Digest> result;
    for (nb::handle digest : to_iterable(digests, argument.c_str())) {
        if (result.size() == most)
            throw Error(ErrorCode::invalid_argument,
                        argument + " must be at most " + std::to_string(most) + ", got more");
        result.push_back(to_digest(digest, (argument + "[" + std::to_string(result.size()) + "]").c_str()));
    }
    return result;
}

/// A read-only view, which keeps the proof alive.
nb::object view_of(nb::handle self, const std::vector<Digest>& digests) {
    const std::size_t shape[] = {digests.size(), Digest::size};
    return nb::cast(nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<2>>(digests.data(), 2, shape, self));
}

Hash to_hash(nb::handle name) { return hash_from_name(to_text(name, "hash")); }
Mode claimed_mode(nb::handle key, nb::handle context, Hash claimed) {
    return to_mode(key, context, claimed, runtime::claimed_mode);
}
TreeRule to_rule(nb::handle name) { return rule_from_name(to_text(name, "rule")); }

/// What all proofs share. Only verify() checks proofs that came as bytes or JSON.
template <class Proof>
nb::class_<Proof> bind(nb::module_& m, const char* name, const char* about) {
    nb::class_<Proof> proof(m, name, about);
    const std::string read = std::string("def from_bytes(data: object, /) -> ") + name + " | None";
    proof.def_prop_ro(
             "hash", [](const Proof& self) { return name_of(self.hash); }, nb::sig("def hash(self) -> str"))
        .def(
            "to_bytes", [](const Proof& self) { return to_bytes(self.to_bytes()); },
            nb::sig("def to_bytes(self) -> bytes"), "The compact form.")
        .def_static(
            "from_bytes",
            [](nb::handle data) -> nb::object {
                const InputBytes bytes(data, "data");
                auto proof = Proof::from_bytes(bytes.span());
                if (proof) return nb::cast(std::move(*proof));
                if (const std::string why = unknown_hash_of_proof(bytes.span()); !why.empty())
                    throw Error(ErrorCode::invalid_argument, why);
                return nb::none();
            },
            nb::arg().none(), nb::sig(read.c_str()), "What to_bytes() wrote, or None.")
        .def(
            "to_json", [](const Proof& self) { return to_str(command::proof_json(self)); },
            nb::sig("def to_json(self) -> str"), "A JSON object with the fields.")
        .def(
            "__eq__", [](const Proof& self, const Proof& other) { return self == other; }, nb::is_operator(),
            nb::sig("def __eq__(self, other: object, /) -> bool"));
    return proof;
}

void bind_single(nb::module_& m) {
    auto proof = bind<MerkleProof>(m, "MerkleProof", "A leaf is in a tree.");
    proof.def(
        "__init__",
        [](MerkleProof* self, nb::handle hash, nb::handle rule, nb::handle n_leaves, nb::handle index, nb::handle leaf,
           nb::handle siblings) {
            new (self)
                MerkleProof{to_hash(hash),          to_rule(rule),           to_u64(n_leaves, "n_leaves"),
                            to_u64(index, "index"), to_digest(leaf, "leaf"), to_digests(siblings, 64, "siblings")};
        },
        nb::arg("hash").none(), nb::arg("rule").none(), nb::arg("n_leaves").none(), nb::arg("index").none(),
        nb::arg("leaf").none(), nb::arg("siblings").none(),
        nb::sig("def __init__(self, hash: str, rule: str, n_leaves: int, index: int, leaf: object, siblings: "
                "collections.abc.Iterable[object]) -> None"));
    proof
        .def_prop_ro(
            "rule", [](const MerkleProof& self) { return name_of(self.rule); }, nb::sig("def rule(self) -> str"))
        .def_ro("n_leaves", &MerkleProof::n_leaves)
        .def_ro("index", &MerkleProof::index)
        .def_prop_ro(
            "leaf", [](const MerkleProof& self) { return to_bytes(self.leaf.bytes); },
            nb::sig("def leaf(self) -> bytes"), "32 bytes.")
        .def_prop_ro(
            "siblings", [](const MerkleProof& self) { return as_tuple(self.siblings); },
            nb::sig("def siblings(self) -> tuple[bytes, ...]"),
            "32 bytes for each level where the path has a sibling, leaf level first.")
        .def(
            "verify",
            [](const MerkleProof& self, nb::handle root, nb::handle key, nb::handle context) {
                return merklize::verify(self, to_digest(root, "root"), {}, claimed_mode(key, context, self.hash));
            },
            nb::arg().none(), nb::arg().none(), nb::arg().none(),
            nb::sig("def verify(self, root: object, key: object, context: str | None, /) -> bool"),
            "Whether it holds for this root, 32 bytes.");
}

void bind_multi(nb::module_& m) {
    auto proof = bind<MultiProof>(m, "MultiProof", "Several leaves are in a tree.");
    proof.def(
        "__init__",
        [](MultiProof* self, nb::handle hash, nb::handle rule, nb::handle n_leaves, nb::handle indices,
           nb::handle leaves, nb::handle siblings) {
            new (self) MultiProof{to_hash(hash),
                                  to_rule(rule),
                                  to_u64(n_leaves, "n_leaves"),
                                  to_items<std::uint64_t>(indices, "indices"),
                                  to_items<Digest>(leaves, "leaves"),
                                  to_items<Digest>(siblings, "siblings")};
        },
        nb::arg("hash").none(), nb::arg("rule").none(), nb::arg("n_leaves").none(), nb::arg("indices").none(),
        nb::arg("leaves").none(), nb::arg("siblings").none(),
        nb::sig("def __init__(self, hash: str, rule: str, n_leaves: int, indices: object, leaves: object, siblings: "
                "object) -> None"),
        "indices: uint64[k]; leaves: uint8[k, 32]; siblings: uint8[m, 32]; each an array or its bytes.");
    proof
        .def_prop_ro(
            "rule", [](const MultiProof& self) { return name_of(self.rule); }, nb::sig("def rule(self) -> str"))
        .def_ro("n_leaves", &MultiProof::n_leaves)
        .def_prop_ro(
            "indices",
            [](nb::handle self) {
                const auto& indices = bound<MultiProof>(self).indices;
                const std::size_t shape[] = {indices.size()};
                return nb::cast(
                    nb::ndarray<nb::numpy, const std::uint64_t, nb::ndim<1>>(indices.data(), 1, shape, self));
            },
            nb::sig("def indices(self) -> numpy.typing.NDArray[numpy.uint64]"), "uint64[k], read-only.")
        .def_prop_ro(
            "leaves", [](nb::handle self) { return view_of(self, bound<MultiProof>(self).leaves); },
            nb::sig("def leaves(self) -> numpy.typing.NDArray[numpy.uint8]"), "uint8[k, 32], read-only.")
        .def_prop_ro(
            "siblings", [](nb::handle self) { return view_of(self, bound<MultiProof>(self).siblings); },
            nb::sig("def siblings(self) -> numpy.typing.NDArray[numpy.uint8]"),
            "uint8[m, 32], level after level from the leaves, left to right; read-only.")
        .def(
            "verify",
            [](const MultiProof& self, nb::handle root, nb::handle key, nb::handle context) {
                const Digest expected = to_digest(root, "root");
                const Mode mode = claimed_mode(key, context, self.hash);
                bool good = false;
                Run::without_gil([&] { good = merklize::verify(self, expected, {}, mode); });
                return good;
            },
            nb::arg().none(), nb::arg().none(), nb::arg().none(),
            nb::sig("def verify(self, root: object, key: object, context: str | None, /) -> bool"),
            "Whether it holds for this root, 32 bytes.")
        .def(
            "to_winterfell", [](const MultiProof& self) { return to_bytes(to_winterfell(self)); },
            nb::sig("def to_winterfell(self) -> bytes"))
        .def_static(
            "from_winterfell",
            [](nb::handle data, nb::handle hash, nb::handle indices, nb::handle leaves) -> nb::object {
                const auto which = to_items<std::uint64_t>(indices, "indices");
                const auto digests = to_items<Digest>(leaves, "leaves");
                const Hash by = to_hash(hash);
                auto proof = from_winterfell(InputBytes(data, "data").span(), by, which, digests);
                return proof ? nb::cast(std::move(*proof)) : nb::none();
            },
            nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
            nb::sig("def from_winterfell(data: object, hash: str, indices: object, leaves: object, /) -> MultiProof | "
                    "None"));
}

void bind_consistency(nb::module_& m) {
    auto proof = bind<ConsistencyProof>(m, "ConsistencyProof", "A tree is the beginning of another.");
    proof.def(
        "__init__",
        [](ConsistencyProof* self, nb::handle hash, nb::handle old_leaves, nb::handle new_leaves, nb::handle nodes) {
            new (self) ConsistencyProof{to_hash(hash), to_u64(old_leaves, "old_leaves"),
                                        to_u64(new_leaves, "new_leaves"), to_digests(nodes, 65, "nodes")};
        },
        nb::arg("hash").none(), nb::arg("old_leaves").none(), nb::arg("new_leaves").none(), nb::arg("nodes").none(),
        nb::sig("def __init__(self, hash: str, old_leaves: int, new_leaves: int, nodes: "
                "collections.abc.Iterable[object]) -> None"));
    proof.def_ro("old_leaves", &ConsistencyProof::old_leaves)
        .def_ro("new_leaves", &ConsistencyProof::new_leaves)
        .def_prop_ro(
            "nodes", [](const ConsistencyProof& self) { return as_tuple(self.nodes); },
            nb::sig("def nodes(self) -> tuple[bytes, ...]"), "32 bytes each, in RFC 6962's order.")
        .def(
            "verify",
            [](const ConsistencyProof& self, nb::handle old_root, nb::handle new_root, nb::handle key,
               nb::handle context) {
                const Roots roots{.old_root = to_digest(old_root, "old_root"),
                                  .new_root = to_digest(new_root, "new_root")};
                return merklize::verify(self, roots, claimed_mode(key, context, self.hash));
            },
            nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
            nb::sig("def verify(self, old_root: object, new_root: object, key: object, context: str | None, /) -> "
                    "bool"),
            "Whether it holds for these roots, 32 bytes each.");
}

nb::list verify_each(nb::handle proofs, nb::handle root, nb::handle key, nb::handle context, const Settings& settings) {
    std::vector<MerkleProof> all;
    for (nb::handle proof : nb::cast<nb::list>(proofs)) all.push_back(nb::cast<const MerkleProof&>(proof));
    const Digest expected = to_digest(root, "root");
    const Mode mode = claimed_mode(key, context, all.empty() ? Hash::blake2s : all[0].hash);
    std::vector<std::uint8_t> good;
    Run{settings}([&](const RunOptions& options) { good = merklize::verify_each(all, expected, mode, options); });
    nb::list result;
    for (const std::uint8_t one : good) result.append(nb::bool_(one != 0));
    return result;
}

}  // namespace

void bind_proof(nb::module_& m) {
    bind_single(m);
    bind_multi(m);
    bind_consistency(m);
    define(m,
           "def verify_each(proofs: list[MerkleProof], root: object, key: object, context: str | None, settings: "
           "Settings, /) -> list[bool]",
           verify_each);
    define(
        m, "def require_mode_of_proof(key: object, context: str | None, /) -> None",
        +[](nb::handle key, nb::handle context) { claimed_mode(key, context, Hash::blake2s); });
    define(
        m, "def proof_from_bytes(data: object, /) -> MerkleProof | MultiProof | ConsistencyProof",
        +[](nb::handle data) { return command::proof_from_bytes(InputBytes(data, "data").span()); });
    define(
        m, "def proof_from_json(text: bytes, kind: str, /) -> MerkleProof | MultiProof | ConsistencyProof",
        +[](nb::handle text, nb::handle kind) {
            const InputBytes bytes(text, "text");
            const std::string_view json{reinterpret_cast<const char*>(bytes.span().data()), bytes.span().size()};
            const std::string format(to_text(kind, "kind"));
            command::AnyProof proof;
            Run::without_gil([&] { proof = command::proof_from_json(json, format); });
            return proof;
        });
    define(
        m, "def digest(value: object, what: str, /) -> bytes", +[](nb::handle value, nb::handle argument) {
            return to_bytes(to_digest(value, std::string(to_text(argument, "what")).c_str()).bytes);
        });
}

}  // namespace merklize::binding
