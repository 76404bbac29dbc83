#pragma once

#include <optional>
#include <span>

#include "merklize/proof.hpp"

namespace merklize::runtime {

/// Whether the hash is known and has this mode.
bool can_merge(Hash hash, const Mode& mode) noexcept;
/// For field hashes, whether all words are below p. True for other hashes.
bool are_digests(Hash hash, std::span<const Digest> digests) noexcept;
/// Whether the proof claims what is expected.
bool fits(const Expect& expect, const MerkleProof& proof) noexcept;
bool fits(const Expect& expect, const MultiProof& proof) noexcept;
/// Whether everything is right that can be checked without merges.
bool is_checkable(const MerkleProof& proof, const Mode& mode) noexcept;
/// The root that follows from a proof; none if the proof is malformed.
std::optional<Digest> root_of(const MerkleProof& proof, const Mode& mode) noexcept;
/// The same.  errors  bad_alloc
std::optional<Digest> root_of(const MultiProof& proof, const Mode& mode);
/// Both roots that follow from a proof; none if the proof is malformed.
/// first  the old root, if begins_with_old_root(): then the proof leaves it out
std::optional<Roots> roots_of(const ConsistencyProof& proof, const Digest& first, const Mode& mode) noexcept;

}  // namespace merklize::runtime
