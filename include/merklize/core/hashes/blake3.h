/* blake3.h: BLAKE3 on words: the hash of a row, and the 2-to-1 merge of Merkle trees.
 *
 * Source: the BLAKE3 specification (J. O'Connor, J.-P. Aumasson, S. Neves, Z. Wilcox-O'Hearn). Words are 32-bit little
 * endian. Every function works on mkz_lane32: one word, or a vector of independent states. */
#define MKZ_UNIT_ID 0
#define MKZ_UNIT_NAME blake3
#define MKZ_UNIT_QUAD_HASH 0
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_RATE 64
#define MKZ_UNIT_IS_KEYED 1
#define MKZ_UNIT_CHUNK_BYTES 1024
#define MKZ_UNIT_ROOT_FLAG 8
#define MKZ_UNIT_MERGE_FLAGS 11

#ifdef MKZ_RESET
#undef MKZ_BLAKE3_H
#elif !defined(MKZ_HASH) && !defined(MKZ_BLAKE3_H)
#define MKZ_BLAKE3_H

#include "../context.h"
#include "../port.h"
#include "blake3_compression.h"

/* Flags of a merge besides the mode's flags: its only block is the first and the last block of chunk 0, and the root.
 */
#define MKZ_BLAKE3_MERGE (MKZ_BLAKE3_CHUNK_START | MKZ_BLAKE3_CHUNK_END | MKZ_BLAKE3_ROOT)

/* Merge of a Merkle tree: the BLAKE3 hash of the 64 bytes left || right in a mode with a key. The mode is keyed_hash,
 * or derive_key, where `key` is the context's key. flags: the mode's flags. */
MKZ_FN void mkz_blake3_merge_keyed(mkz_lane32 out[8], const mkz_lane32 left[8], const mkz_lane32 right[8],
                                   const mkz_lane32 key[8], mkz_lane32 flags) {
    mkz_blake3_pair(out, left, right, key, flags | MKZ_SPLAT32(MKZ_BLAKE3_MERGE));
}

/* The same without a key: the plain hash. */
MKZ_FN void mkz_blake3_merge(mkz_lane32 out[8], const mkz_lane32 left[8], const mkz_lane32 right[8]) {
    mkz_lane32 iv[8];
    mkz_blake3_iv(iv);
    mkz_blake3_merge_keyed(out, left, right, iv, MKZ_SPLAT32(0));
}

#if MKZ_KEYED
/* The same for kernels. */
MKZ_FN void mkz_blake3_merge_by(mkz_lane32 out[8], const mkz_lane32 left[8], const mkz_lane32 right[8],
                                mkz_context ctx) {
    mkz_lane32 key[8];
    MKZ_UNROLL for (int k = 0; k < 8; k++) key[k] = MKZ_SPLAT32(ctx.key.w[k]);
    mkz_blake3_merge_keyed(out, left, right, key, MKZ_SPLAT32(ctx.flags));
}
#endif

#endif /* MKZ_BLAKE3_H */
#include "../unit.h"
