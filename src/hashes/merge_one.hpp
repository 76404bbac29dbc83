#pragma once

#include "merklize/digest.hpp"
#include "merklize/hash.hpp"

namespace merklize::runtime {

/// One merge on the calling thread: nothing in it fails, allocates or looks at the device. For proofs, builders and fillers; many
/// merges are a launch.
/// hash  a known one, else the result is zeros
/// mode  looked at where the hash has keyed merges
/// left, right  of field hashes words < p
Digest merge_one(Hash hash, const Digest& left, const Digest& right, const Mode& mode = {}) noexcept;

/// Whether there is such a hash and it merges in this mode: plain, or under a key.
bool takes(Hash hash, const Mode& mode) noexcept;

/// Throws invalid_argument "<what>: ..." if the hash is unknown or takes() not the mode.
void require_merges(Hash hash, const Mode& mode, const char* what);

}  // namespace merklize::runtime
