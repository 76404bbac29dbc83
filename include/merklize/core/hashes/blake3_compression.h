/* blake3_compression.h: BLAKE3's compression, its blocks in a chunk, and its parents: for `blake3` and `blake3_parent`.
 */
#ifndef MKZ_BLAKE3_COMPRESSION_H
#define MKZ_BLAKE3_COMPRESSION_H

#include "../port.h"
#include "blake3_rounds.h"

#define MKZ_BLAKE3_CHUNK_START 1u
#define MKZ_BLAKE3_CHUNK_END 2u
#define MKZ_BLAKE3_PARENT 4u
#define MKZ_BLAKE3_ROOT 8u
#define MKZ_BLAKE3_KEYED_HASH 16u
#define MKZ_BLAKE3_DERIVE_KEY_CONTEXT 32u
#define MKZ_BLAKE3_DERIVE_KEY_MATERIAL 64u

#define MKZ_BLAKE3_BLOCK_LEN 64u
#define MKZ_BLAKE3_CHUNK_LEN 1024u

/* State before the rounds: chaining value, IV, counter, block length in bytes, flags. */
MKZ_FN void mkz_blake3_init(mkz_lane32 v[16], const mkz_lane32 cv[8], mkz_lane32 counter_lo, mkz_lane32 counter_hi,
                            mkz_lane32 block_len, mkz_lane32 flags) {
    /* One by one: GCC would make a loop memcpy, in moves of 16 bytes, for which the loads of vectors then wait. */
    v[0] = cv[0];
    v[1] = cv[1];
    v[2] = cv[2];
    v[3] = cv[3];
    v[4] = cv[4];
    v[5] = cv[5];
    v[6] = cv[6];
    v[7] = cv[7];
    mkz_blake3_iv(v + 8);
    v[12] = counter_lo;
    v[13] = counter_hi;
    v[14] = block_len;
    v[15] = flags;
}

/* The block function; cv is updated in place. counter: chunk index (0 for parents); block_len: bytes of m that count.
 */
MKZ_FN void mkz_blake3_compress(mkz_lane32 cv[8], const mkz_lane32 m[16], mkz_lane32 counter_lo, mkz_lane32 counter_hi,
                                mkz_lane32 block_len, mkz_lane32 flags) {
    mkz_lane32 v[16];
    mkz_blake3_init(v, cv, counter_lo, counter_hi, block_len, flags);
    mkz_blake3_rounds(v, m);
    for (int i = 0; i < 8; i++) cv[i] = v[i] ^ v[i + 8];
}

#if MKZ_BLAKE3_STATES == 2
/* Two block functions: the second has cv + 8, m + 16 and the second counters, length and flags. */
MKZ_FN void mkz_blake3_compress_two(mkz_lane32 cv[16], const mkz_lane32 m[32], const mkz_lane32 counter_lo[2],
                                    const mkz_lane32 counter_hi[2], const mkz_lane32 block_len[2],
                                    const mkz_lane32 flags[2]) {
    mkz_lane32 v[32];
    mkz_blake3_init(v, cv, counter_lo[0], counter_hi[0], block_len[0], flags[0]);
    mkz_blake3_init(v + 16, cv + 8, counter_lo[1], counter_hi[1], block_len[1], flags[1]);
    mkz_blake3_rounds_two(v, m);
    for (int i = 0; i < 8; i++) {
        cv[i] = v[i] ^ v[i + 8];
        cv[i + 8] = v[i + 16] ^ v[i + 24];
    }
}
#endif

/* The block function with all 64 output bytes: one block of extendable output. counter: output block index. */
MKZ_FN void mkz_blake3_compress_xof(mkz_lane32 out[16], const mkz_lane32 cv[8], const mkz_lane32 m[16],
                                    mkz_lane32 counter_lo, mkz_lane32 counter_hi, mkz_lane32 block_len,
                                    mkz_lane32 flags) {
    mkz_lane32 v[16];
    mkz_blake3_init(v, cv, counter_lo, counter_hi, block_len, flags);
    mkz_blake3_rounds(v, m);
    for (int i = 0; i < 8; i++) {
        out[i] = v[i] ^ v[i + 8];
        out[i + 8] = v[i + 8] ^ cv[i];
    }
}

/* The compression of the block left || right from `key`: every node of a tree is one. */
MKZ_FN void mkz_blake3_pair(mkz_lane32 out[8], const mkz_lane32 left[8], const mkz_lane32 right[8],
                            const mkz_lane32 key[8], mkz_lane32 flags) {
    mkz_lane32 m[16];
    mkz_lane32 zero = MKZ_SPLAT32(0);
    for (int i = 0; i < 8; i++) {
        m[i] = left[i];
        m[i + 8] = right[i];
    }
    for (int i = 0; i < 8; i++) out[i] = key[i];
    mkz_blake3_compress(out, m, zero, zero, MKZ_SPLAT32(MKZ_BLAKE3_BLOCK_LEN), flags);
}

/* Parent node of a BLAKE3 digest under `key` (the IV if there is no key). flags: the mode's flags, with MKZ_BLAKE3_ROOT
 * for the last parent. The merge of `blake3_parent`, not of `blake3`. */
MKZ_FN void mkz_blake3_parent(mkz_lane32 out[8], const mkz_lane32 left[8], const mkz_lane32 right[8],
                              const mkz_lane32 key[8], mkz_lane32 flags) {
    mkz_blake3_pair(out, left, right, key, flags | MKZ_SPLAT32(MKZ_BLAKE3_PARENT));
}

/* Flags of block `index` in a chunk of `count` blocks (count >= 1), including the mode's flags. */
MKZ_FN mkz_u32 mkz_blake3_block_flags(mkz_u32 index, mkz_u32 count, mkz_u32 flags) {
    return flags | (index == 0 ? MKZ_BLAKE3_CHUNK_START : 0u) | (index + 1 == count ? MKZ_BLAKE3_CHUNK_END : 0u);
}

#endif /* MKZ_BLAKE3_COMPRESSION_H */
