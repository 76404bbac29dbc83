#pragma once

#include "hashes/hash_info.hpp"
#include "merklize/digest.hpp"
#include "merklize/hash.hpp"

namespace merklize::runtime {

/// One merge on the calling thread, which cannot fail, allocates nothing and uses no device. For proofs, builders and
/// pads; many merges are a job.
/// hash  a known one; for any other the result is zeros
/// mode  ignored if the hash has no keyed merges
/// left, right  for field hashes, words < p
Digest merge_one(Hash hash, const Digest& left, const Digest& right, const Mode& mode = {}) noexcept;

/// Whether the hash exists and merges in this mode: plain, or under a key.
bool takes(Hash hash, const Mode& mode) noexcept;

/// Throws invalid_argument unless takes(hash, mode).
void require_merges(Hash hash, const Mode& mode);
/// Whether the hash has keys and digests of 1 to 32 bytes, as BLAKE2s has; others have keys, if any, and digests of 32,
/// or longer output.
inline bool has_short_digests(Hash hash) { return info(hash).is_keyed != 0 && info(hash).has_chunk_tree == 0; }
/// The mode of a hash under a key; of a hash that has no keys BLAKE3's, which the hash then refuses.
/// errors  invalid_argument (the length of the key)
inline Mode keyed_mode(ByteView key, Hash hash) {
    return Mode::keyed(key, info(hash).is_keyed != 0 ? hash : Hash::blake3);
}
/// The mode in which a proof is verified under a key. Its hash is what the prover claims: a key of a length that only
/// another hash takes is no error, but a mode under which the proof is not valid.
/// errors  invalid_argument (a length that no hash takes)
Mode claimed_mode(ByteView key, Hash claimed);
/// require_merges() for BLAKE3.
inline void require_blake3(const Mode& mode) {
    if (mode.is_blake2s()) require_merges(Hash::blake3, mode);
}

}  // namespace merklize::runtime
