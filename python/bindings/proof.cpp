#include "proof.hpp"

#include <cstring>
#include <vector>

#include "arguments.hpp"
#include "form.hpp"
#include "module.hpp"
#include "run.hpp"

namespace merklize::binding {

namespace {

template <class Item>
std::vector<Item> to_items(nb::handle data, const char* what) {
    const InputBytes bytes(data, what);
    if (bytes.span().size() % sizeof(Item) != 0) {
        throw Error(ErrorCode::invalid_argument, std::string(what) + ": " + std::to_string(bytes.span().size()) +
                                                     " bytes are no whole count of items of " +
                                                     std::to_string(sizeof(Item)));
    }
    std::vector<Item> items(bytes.span().size() / sizeof(Item));
    if (!items.empty()) std::memcpy(items.data(), bytes.span().data(), bytes.span().size());
    return items;
}

template <class Item>
nb::bytes from_items(const std::vector<Item>& items) {
    return to_bytes(std::as_bytes(std::span(items)));
}

nb::tuple from_digests(const std::vector<Digest>& digests) {
    nb::list list;
    for (const Digest& digest : digests) list.append(to_bytes(digest.bytes));
    return nb::tuple(list);
}

std::vector<Digest> to_digests(nb::handle digests, const char* what) {
    std::vector<Digest> result;
    for (nb::handle digest : nb::cast<nb::tuple>(digests)) result.push_back(to_digest(digest, what));
    return result;
}

// Fields of Python's proofs, as describe() gives them.
MerkleProof to_single(nb::handle fields) {
    const auto f = nb::cast<nb::tuple>(fields);
    return {hash_from_name(to_text(f[0], "hash")),
            rule_from_name(to_text(f[5], "rule")),
            to_u64(f[2], "n_leaves"),
            to_u64(f[1], "index"),
            to_digest(f[3], "leaf"),
            to_digests(f[4], "sibling")};
}

MultiProof to_multi(nb::handle fields) {
    const auto f = nb::cast<nb::tuple>(fields);
    return {hash_from_name(to_text(f[0], "hash")),
            rule_from_name(to_text(f[1], "rule")),
            to_u64(f[2], "n_leaves"),
            to_items<std::uint64_t>(f[3], "indices"),
            to_items<Digest>(f[4], "leaves"),
            to_items<Digest>(f[5], "siblings")};
}

ConsistencyProof to_consistency(nb::handle fields) {
    const auto f = nb::cast<nb::tuple>(fields);
    return {hash_from_name(to_text(f[0], "hash")), to_u64(f[1], "old_leaves"), to_u64(f[2], "new_leaves"),
            to_digests(f[3], "node")};
}

template <class Proof>
nb::object read(nb::handle data) {
    const auto proof = Proof::from_bytes(InputBytes(data, "from_bytes: data").span());
    return proof ? nb::object(describe(*proof)) : nb::none();
}

nb::list verify_each(nb::handle proofs, nb::handle root, nb::handle key, nb::handle context, nb::handle settings) {
    std::vector<MerkleProof> all;
    for (nb::handle proof : nb::cast<nb::list>(proofs)) all.push_back(to_single(proof));
    const Digest expected = to_digest(root, "root");
    const Mode mode = to_mode(key, context, "key");
    std::vector<std::uint8_t> good;
    Run{settings}([&](const RunOptions& options) { good = merklize::verify_each(all, expected, mode, options); });
    nb::list result;
    for (const std::uint8_t one : good) result.append(nb::bool_(one != 0));
    return result;
}

}  // namespace

nb::tuple describe(const MerkleProof& proof) {
    return nb::make_tuple(name_of(proof.hash), proof.index, proof.n_leaves, to_bytes(proof.leaf.bytes),
                          from_digests(proof.siblings), name_of(proof.rule));
}

nb::tuple describe(const MultiProof& proof) {
    return nb::make_tuple(name_of(proof.hash), name_of(proof.rule), proof.n_leaves, from_items(proof.indices),
                          from_items(proof.leaves), from_items(proof.siblings));
}

nb::tuple describe(const ConsistencyProof& proof) {
    return nb::make_tuple(name_of(proof.hash), proof.old_leaves, proof.new_leaves, from_digests(proof.nodes));
}

void bind_proof(nb::module_& m) {
    define(
        m, "verify",
        +[](nb::handle proof, nb::handle root, nb::handle key, nb::handle context) {
            return merklize::verify(to_single(proof), to_digest(root, "root"), to_mode(key, context, "key"));
        },
        "def verify(proof: tuple[object, ...], root: object, key: object, context: str | None, /) -> bool");
    define(
        m, "verify_multi",
        +[](nb::handle proof, nb::handle root, nb::handle key, nb::handle context) {
            const MultiProof claim = to_multi(proof);
            const Digest expected = to_digest(root, "root");
            const Mode mode = to_mode(key, context, "key");
            bool good = false;
            Run::without_gil([&] { good = merklize::verify(claim, expected, mode); });
            return good;
        },
        "def verify_multi(proof: tuple[object, ...], root: object, key: object, context: str | None, /) -> bool");
    define(
        m, "verify_consistency",
        +[](nb::handle proof, nb::handle old_root, nb::handle new_root, nb::handle key, nb::handle context) {
            return merklize::verify(to_consistency(proof), to_digest(old_root, "old_root"),
                                    to_digest(new_root, "new_root"), to_mode(key, context, "key"));
        },
        "def verify_consistency(proof: tuple[object, ...], old_root: object, new_root: object, key: object, "
        "context: str | None, /) -> bool");
    define(m, "verify_each", verify_each,
           "def verify_each(proofs: list[tuple[object, ...]], root: object, key: object, context: str | None, "
           "settings: tuple[object, ...], /) -> list[bool]");

    define(
        m, "proof_to_bytes", +[](nb::handle proof) { return to_bytes(to_single(proof).to_bytes()); },
        "def proof_to_bytes(proof: tuple[object, ...], /) -> bytes");
    define(
        m, "multi_to_bytes", +[](nb::handle proof) { return to_bytes(to_multi(proof).to_bytes()); },
        "def multi_to_bytes(proof: tuple[object, ...], /) -> bytes");
    define(
        m, "consistency_to_bytes", +[](nb::handle proof) { return to_bytes(to_consistency(proof).to_bytes()); },
        "def consistency_to_bytes(proof: tuple[object, ...], /) -> bytes");
    define(
        m, "proof_from_bytes", +[](nb::handle data) { return read<MerkleProof>(data); },
        "def proof_from_bytes(data: object, /) -> tuple[str, int, int, bytes, tuple[bytes, ...], str] | None");
    define(
        m, "multi_from_bytes", +[](nb::handle data) { return read<MultiProof>(data); },
        "def multi_from_bytes(data: object, /) -> tuple[str, str, int, bytes, bytes, bytes] | None");
    define(
        m, "consistency_from_bytes", +[](nb::handle data) { return read<ConsistencyProof>(data); },
        "def consistency_from_bytes(data: object, /) -> tuple[str, int, int, tuple[bytes, ...]] | None");

    define(
        m, "multi_to_winterfell", +[](nb::handle proof) { return to_bytes(to_winterfell(to_multi(proof))); },
        "def multi_to_winterfell(proof: tuple[object, ...], /) -> bytes");
    define(
        m, "multi_from_winterfell",
        +[](nb::handle data, nb::handle hash, nb::handle indices, nb::handle leaves) -> nb::object {
            const auto which = to_items<std::uint64_t>(indices, "indices");
            const auto digests = to_items<Digest>(leaves, "leaves");
            const auto proof = from_winterfell(InputBytes(data, "from_winterfell: data").span(),
                                               hash_from_name(to_text(hash, "hash")), which, digests);
            return proof ? nb::object(describe(*proof)) : nb::none();
        },
        "def multi_from_winterfell(data: object, hash: str, indices: object, leaves: object, /) -> "
        "tuple[str, str, int, bytes, bytes, bytes] | None");
}

}  // namespace merklize::binding
