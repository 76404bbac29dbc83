#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/bytes.hpp>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>
#include <merklize/tree_form.hpp>

namespace merklize::inline v0 {

/// Proofs are host data: they need no device and no tree. A proof states its tree (hash, rule, number of leaves) and
/// its leaves, but only claims them: a root alone does not bind them (docs/layouts.md). A verifier says what it knows
/// of them by Expect. To verify a proof from a keyed tree, pass the mode again.
///
/// to_bytes() gives the compact form that docs/layouts.md defines byte by byte. It throws invalid_argument if the
/// object is not a proof (counts that do not fit). from_bytes() takes exactly what to_bytes() writes; anything else
/// gives nullopt. verify() returns false for anything malformed: counts that do not fit, indices out of range, field
/// words >= p, an unknown hash.

/// Why the hash that is named in the bytes of a proof is unknown: a text such as "its hash is made of constants with
/// the digest 0f1e..., and no constants with this digest were given to poseidon2() or poseidon() before". Empty if the
/// hash is known, or if the bytes do not begin as a proof does.
MERKLIZE_API std::string unknown_hash_of_proof(ByteView bytes);

/// The odd node, the last one of an odd level: under left_full and duplicate_last its sibling is not in the proof,
/// because the verifier copies the node or merges it with itself. Under pad its sibling is in the proof like any other.
/// It is the root of a subtree of padding, which the verifier need not know.

/// Shows that one leaf is in a tree: the leaf, its index, and its sibling on every level where there is one, leaf level
/// first.
struct MERKLIZE_API MerkleProof {
    Hash hash = Hash::blake3;
    TreeRule rule = TreeRule::perfect;
    std::uint64_t n_leaves = 0;
    std::uint64_t index = 0;
    Digest leaf{};
    std::vector<Digest> siblings{};

    std::vector<std::byte> to_bytes() const;
    static std::optional<MerkleProof> from_bytes(ByteView bytes) noexcept;
    bool operator==(const MerkleProof&) const = default;
};

/// Shows that several leaves are in a tree (Octopus). A sibling that the verifier can compute is left out; every other
/// one is there once.
struct MERKLIZE_API MultiProof {
    Hash hash = Hash::blake3;
    TreeRule rule = TreeRule::perfect;
    std::uint64_t n_leaves = 0;
    std::vector<std::uint64_t> indices{};  ///< ascending and distinct; a proof of consecutive indices is a range proof
    std::vector<Digest> leaves{};          ///< one for each index
    /// Each digest that the verifier needs and cannot compute, level by level from the leaves, left to right.
    std::vector<Digest> siblings{};

    std::vector<std::byte> to_bytes() const;
    static std::optional<MultiProof> from_bytes(ByteView bytes) noexcept;
    bool operator==(const MultiProof&) const = default;
};

/// Shows that the first `old_leaves` of a tree's `new_leaves` leaves are the leaves of an older tree: RFC 6962, section
/// 2.1.2. Both trees have the rule left_full.
struct MERKLIZE_API ConsistencyProof {
    Hash hash = Hash::blake3;
    std::uint64_t old_leaves = 0;  ///< 1 to new_leaves
    std::uint64_t new_leaves = 0;
    std::vector<Digest> nodes{};  ///< in the order of RFC 6962; none if the counts are equal

    std::vector<std::byte> to_bytes() const;
    static std::optional<ConsistencyProof> from_bytes(ByteView bytes) noexcept;
    bool operator==(const ConsistencyProof&) const = default;
};

/// What a verifier knows of a tree and of a leaf. A proof that claims anything else does not verify. A field without a
/// value expects nothing:
///
///     verify(proof, root, {.leaf = hash(record), .index = 17, .n_leaves = 4096});
struct Expect {
    std::optional<Digest> leaf{};          ///< of a proof of one leaf. With it, no proof of several leaves verifies
    std::optional<std::uint64_t> index{};  ///< of that leaf, from 0. With it, no proof of several leaves verifies
    std::optional<std::uint64_t> n_leaves{};
    std::optional<Hash> hash{};
    std::optional<TreeRule> rule{};

    bool operator==(const Expect&) const = default;
};

/// The roots of two trees, the older one first. By their names they cannot be swapped: {.old_root = known, .new_root =
/// root}.
struct Roots {
    Digest old_root, new_root;
};

/// Whether the proof leads from its leaf to the root, and claims what is expected. A proof whose hash does not have the
/// mode is not valid.
/// cost  log2 n merges
MERKLIZE_API bool verify(const MerkleProof& proof, const Digest& root, const Expect& expect = {},
                         const Mode& mode = {}) noexcept;
/// The same for all leaves of the proof. The caller must compare `indices` and `leaves` with what they should be. Runs
/// on all threads of the CPU, whatever the default device is. Also false if there is no memory for the nodes of a
/// level.
/// cost  one merge for each node above the leaves of the proof
MERKLIZE_API bool verify(const MultiProof& proof, const Digest& root, const Expect& expect = {},
                         const Mode& mode = {}) noexcept;
/// Whether the leaves under the old root are the first leaves under the new one. The proof claims both counts: compare
/// `old_leaves` and `new_leaves` with what the owner of the roots says.
/// cost  2 log2 n merges
MERKLIZE_API bool verify(const ConsistencyProof& proof, const Roots& roots, const Mode& mode = {}) noexcept;

/// Verifies many proofs against one root, side by side on options.device. Returns 1 for each valid proof and 0 for each
/// other one, in order. The proofs may have different heights but must have one hash.
/// errors  invalid_argument (proofs of different hashes), cancelled
MERKLIZE_API std::vector<std::uint8_t> verify_each(std::span<const MerkleProof> proofs, const Digest& root,
                                                   const Mode& mode = {}, const RunOptions& options = {});

/// The bytes of Winterfell's BatchMerkleProof of a perfect tree, as winter-crypto 0.13.1 writes it. They hold neither
/// leaves nor indices, which must be sent beside them.
/// errors  invalid_argument (a proof that the format cannot hold)
MERKLIZE_API std::vector<std::byte> to_winterfell(const MultiProof& proof);
/// The reverse. Gives nullopt if the bytes are not such a proof of these leaves.
/// indices, leaves  in any order, but the same for both
MERKLIZE_API std::optional<MultiProof> from_winterfell(ByteView bytes, Hash hash,
                                                       std::span<const std::uint64_t> indices,
                                                       std::span<const Digest> leaves) noexcept;

}  // namespace merklize::inline v0
