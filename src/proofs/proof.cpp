#include "merklize/proof.hpp"

#include "hashes/field.hpp"
#include "hashes/merge_one.hpp"
#include "proofs/check.hpp"
#include "proofs/shape.hpp"

// These functions merge one pair after another, and neither fail nor allocate.

namespace merklize::runtime {
namespace {

template <class T>
bool fits(const std::optional<T>& expected, const T& claimed) noexcept {
    return !expected || *expected == claimed;
}

template <class Proof>
bool is_of_tree(const Expect& expect, const Proof& proof) noexcept {
    return fits(expect.n_leaves, proof.n_leaves) && fits(expect.hash, proof.hash) && fits(expect.rule, proof.rule);
}

}  // namespace

bool fits(const Expect& expect, const MerkleProof& proof) noexcept {
    return is_of_tree(expect, proof) && fits(expect.leaf, proof.leaf) && fits(expect.index, proof.index);
}

bool fits(const Expect& expect, const MultiProof& proof) noexcept {
    return is_of_tree(expect, proof) && !expect.leaf && !expect.index;  // only a proof of one leaf has these
}

bool can_merge(Hash hash, const Mode& mode) noexcept { return takes(hash, mode); }

bool are_digests(Hash hash, std::span<const Digest> digests) noexcept {
    return are_canonical(*find_info(hash), digests);
}

bool is_checkable(const MerkleProof& proof, const Mode& mode) noexcept {
    return can_merge(proof.hash, mode) &&
           siblings_of(proof.n_leaves, proof.rule, proof.index) == proof.siblings.size() &&
           are_digests(proof.hash, {&proof.leaf, 1}) && are_digests(proof.hash, proof.siblings);
}

std::optional<Digest> root_of(const MerkleProof& proof, const Mode& mode) noexcept {
    if (!is_checkable(proof, mode)) return std::nullopt;
    const runtime::TreeLayout layout{proof.n_leaves};
    Digest node = proof.leaf;
    const Digest* next = proof.siblings.data();
    for (unsigned level = 0; level < layout.height(); level++) {
        switch (runtime::sibling_of(proof.index >> level, layout, level, proof.rule)) {
            case Sibling::left: node = runtime::merge_one(proof.hash, *next++, node, mode); break;
            case Sibling::right: node = runtime::merge_one(proof.hash, node, *next++, mode); break;
            case Sibling::self: node = runtime::merge_one(proof.hash, node, node, mode); break;
            case Sibling::known:  // of several leaves only
            case Sibling::copy: break;
        }
    }
    return node;
}

std::optional<Roots> roots_of(const ConsistencyProof& proof, const Digest& first, const Mode& mode) noexcept {
    if (!can_merge(proof.hash, mode) || consistency_nodes(proof.old_leaves, proof.new_leaves) != proof.nodes.size() ||
        !are_digests(proof.hash, {&first, 1}) || !are_digests(proof.hash, proof.nodes)) {
        return std::nullopt;
    }
    if (proof.old_leaves == proof.new_leaves) return Roots{first, first};
    const Digest* next = proof.nodes.data();
    Digest in_old = begins_with_old_root(proof.old_leaves) ? first : *next++;
    Digest in_new = in_old;
    walk_consistency(proof.old_leaves, proof.new_leaves, [&](bool is_of_both) {
        if (is_of_both) {
            in_old = merge_one(proof.hash, *next, in_old, mode);
            in_new = merge_one(proof.hash, *next, in_new, mode);
        } else {
            in_new = merge_one(proof.hash, in_new, *next, mode);
        }
        next++;
    });
    return Roots{in_old, in_new};
}

}  // namespace merklize::runtime

namespace merklize::inline v0 {

bool verify(const MerkleProof& proof, const Digest& root, const Expect& expect, const Mode& mode) noexcept {
    return runtime::fits(expect, proof) && runtime::root_of(proof, mode) == root;
}

bool verify(const ConsistencyProof& proof, const Roots& roots, const Mode& mode) noexcept {
    const auto found = runtime::roots_of(proof, roots.old_root, mode);
    return found && found->old_root == roots.old_root && found->new_root == roots.new_root;
}

}  // namespace merklize::inline v0
