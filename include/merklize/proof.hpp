#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <merklize/digest.hpp>
#include <merklize/hash.hpp>

namespace merklize {

/// Proof that one leaf is in a tree: the leaf, its index and the sibling on every level, leaf level first. Host only.
struct MerkleProof {
    Hash hash = Hash::blake3;
    std::uint64_t n_leaves = 0;
    std::uint64_t index = 0;
    Digest leaf{};
    std::vector<Digest> siblings{};

    /// 24 + 32 (1 + log2 n) bytes: "MKZP", format version 1, hash id, 2 zero bytes, index and n_leaves as little-endian 64-bit
    /// words, leaf, siblings.
    std::vector<std::byte> to_bytes() const;
    /// Exactly what to_bytes() writes; anything else is nullopt.
    static std::optional<MerkleProof> from_bytes(std::span<const std::byte> bytes) noexcept;
};

/// True if `proof` shows that proof.leaf is leaf proof.index of the tree with this root and proof.n_leaves leaves. Total: any
/// malformed proof (wrong count of siblings, index out of range, field words >= p, unknown hash) is false. A caller who knows
/// the count of leaves, the hash or the leaf must compare those fields too: the proof only claims them.
/// cost  log2 n merges
bool verify(const MerkleProof& proof, const Digest& root) noexcept;

}  // namespace merklize
