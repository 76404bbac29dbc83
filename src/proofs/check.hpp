#pragma once

#include <span>

#include "merklize/proof.hpp"

namespace merklize::runtime {

/// A known hash, and a mode only where it has one.
bool can_merge(Hash hash, const Mode& mode) noexcept;
/// Of field hashes: all words < p.
bool are_digests(Hash hash, std::span<const Digest> digests) noexcept;
/// Whether only the merges are left to be looked at.
bool is_checkable(const MerkleProof& proof, const Mode& mode) noexcept;

}  // namespace merklize::runtime
