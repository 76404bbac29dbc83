#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <merklize/device.hpp>
#include <merklize/digest.hpp>
#include <merklize/tree_form.hpp>

namespace merklize {

/// Proofs are host data: they need no device and no tree. Each says which tree it is of (hash, rule, count of leaves); a verifier
/// who knows those must compare them, and the leaves, since a proof only claims them. Those of keyed trees need the mode again.
///
/// to_bytes() is the compact form that docs/layouts.md gives byte by byte, and throws invalid_argument for what is no proof (counts
/// that do not fit); from_bytes() takes exactly what to_bytes() writes, and anything else is nullopt. verify() is total: whatever is
/// malformed (counts that do not fit, indices out of range, field words >= p, unknown hash) is false.

/// A node without a sibling: under left_full and duplicate_last it has none in a proof, since the verifier copies the node or merges
/// it with itself. Under pad its sibling is there as any other: the root of a subtree of padding, which a verifier need not know.

/// One leaf is in a tree: the leaf, its index and the sibling on every level where it has one, leaf level first.
struct MerkleProof {
    Hash hash = Hash::blake3;
    TreeRule rule = TreeRule::perfect;
    std::uint64_t n_leaves = 0;
    std::uint64_t index = 0;
    Digest leaf{};
    std::vector<Digest> siblings{};

    std::vector<std::byte> to_bytes() const;
    static std::optional<MerkleProof> from_bytes(std::span<const std::byte> bytes) noexcept;
    bool operator==(const MerkleProof&) const = default;
};

/// Several leaves at once: siblings that can be computed from the others are left out, each other one is there once (Octopus).
struct MultiProof {
    Hash hash = Hash::blake3;
    TreeRule rule = TreeRule::perfect;
    std::uint64_t n_leaves = 0;
    std::vector<std::uint64_t> indices{};  ///< ascending, no one twice; runs of neighbours make a range proof
    std::vector<Digest> leaves{};          ///< one an index
    /// Level after level from the leaves, left to right: those of nodes above (or at) the leaves whose sibling is not above one, too.
    std::vector<Digest> siblings{};

    std::vector<std::byte> to_bytes() const;
    static std::optional<MultiProof> from_bytes(std::span<const std::byte> bytes) noexcept;
    bool operator==(const MultiProof&) const = default;
};

/// The tree of the first `old_leaves` of `new_leaves` leaves is the beginning of the tree of all: RFC 6962, section 2.1.2. Trees of
/// the rule left_full.
struct ConsistencyProof {
    Hash hash = Hash::blake3;
    std::uint64_t old_leaves = 0;  ///< 1 to new_leaves
    std::uint64_t new_leaves = 0;
    std::vector<Digest> nodes{};  ///< in RFC 6962's order; none if the counts are equal

    std::vector<std::byte> to_bytes() const;
    static std::optional<ConsistencyProof> from_bytes(std::span<const std::byte> bytes) noexcept;
    bool operator==(const ConsistencyProof&) const = default;
};

/// cost  log2 n merges
bool verify(const MerkleProof& proof, const Digest& root, const Mode& mode = {}) noexcept;
/// On all threads of the CPU, whatever the default device; false, too, if there is no memory for the nodes of a level.
/// cost  a merge a node between the leaves and the root
bool verify(const MultiProof& proof, const Digest& root, const Mode& mode = {}) noexcept;
/// cost  2 log2 n merges
bool verify(const ConsistencyProof& proof, const Digest& old_root, const Digest& new_root,
            const Mode& mode = {}) noexcept;

/// Many proofs of one tree, side by side on options.device: 1 for each that holds, in order. They may be of several heights, not of
/// several hashes.
/// errors  invalid_argument (proofs of different hashes), cancelled
std::vector<std::uint8_t> verify_each(std::span<const MerkleProof> proofs, const Digest& root, const Mode& mode = {},
                                      const RunOptions& options = {});

/// Winterfell's BatchMerkleProof of a perfect tree as winter-crypto 0.13.1 writes it, and back. Its bytes hold neither leaves nor
/// indices: they travel beside it. errors  invalid_argument (what the format cannot hold)
std::vector<std::byte> to_winterfell(const MultiProof& proof);
/// indices, leaves  in one order, any; nullopt for bytes that are no such proof of these
std::optional<MultiProof> from_winterfell(std::span<const std::byte> bytes, Hash hash,
                                          std::span<const std::uint64_t> indices,
                                          std::span<const Digest> leaves) noexcept;

}  // namespace merklize
