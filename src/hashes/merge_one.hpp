#pragma once

#include "merklize/digest.hpp"
#include "merklize/hash.hpp"

namespace merklize::runtime {

/// One merge on the calling thread, which cannot fail, allocates nothing and uses no device. For proofs, builders and fillers; many
/// merges are a job.
/// hash  a known one; for any other the result is zeros
/// mode  ignored if the hash has no keyed merges
/// left, right  for field hashes, words < p
Digest merge_one(Hash hash, const Digest& left, const Digest& right, const Mode& mode = {}) noexcept;

/// Whether the hash exists and merges in this mode: plain, or under a key.
bool takes(Hash hash, const Mode& mode) noexcept;

/// Throws invalid_argument "<what>: ..." unless takes(hash, mode).
void require_merges(Hash hash, const Mode& mode, const char* what);

}  // namespace merklize::runtime
