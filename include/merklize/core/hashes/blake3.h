/* blake3.h: BLAKE3 on words: compression, chunk, parent, and the 2-to-1 merge of Merkle trees.
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

#ifdef MKZ_RESET
#undef MKZ_BLAKE3_H
#elif !defined(MKZ_HASH) && !defined(MKZ_BLAKE3_H)
#define MKZ_BLAKE3_H

#include "../context.h"
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

MKZ_FN void mkz_blake3_iv(mkz_lane32 cv[8]) {
    cv[0] = MKZ_SPLAT32(MKZ_BLAKE3_IV0);
    cv[1] = MKZ_SPLAT32(MKZ_BLAKE3_IV1);
    cv[2] = MKZ_SPLAT32(MKZ_BLAKE3_IV2);
    cv[3] = MKZ_SPLAT32(MKZ_BLAKE3_IV3);
    cv[4] = MKZ_SPLAT32(MKZ_BLAKE3_IV4);
    cv[5] = MKZ_SPLAT32(MKZ_BLAKE3_IV5);
    cv[6] = MKZ_SPLAT32(MKZ_BLAKE3_IV6);
    cv[7] = MKZ_SPLAT32(MKZ_BLAKE3_IV7);
}

/* State before the rounds: chaining value, IV, counter, block length in bytes, flags. */
MKZ_FN void mkz_blake3_init(mkz_lane32 v[16], const mkz_lane32 cv[8], mkz_lane32 counter_lo, mkz_lane32 counter_hi,
                            mkz_lane32 block_len, mkz_lane32 flags) {
    for (int i = 0; i < 8; i++) v[i] = cv[i];
    v[8] = MKZ_SPLAT32(MKZ_BLAKE3_IV0);
    v[9] = MKZ_SPLAT32(MKZ_BLAKE3_IV1);
    v[10] = MKZ_SPLAT32(MKZ_BLAKE3_IV2);
    v[11] = MKZ_SPLAT32(MKZ_BLAKE3_IV3);
    v[12] = counter_lo;
    v[13] = counter_hi;
    v[14] = block_len;
    v[15] = flags;
}

/* The block function; cv is updated in place. counter: chunk index (0 for parents); block_len: bytes of m that count. */
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

/* Parent node of a BLAKE3 digest: out = compression of left || right under `key` (the IV if there is no key).
 * flags: the mode's flags, with MKZ_BLAKE3_ROOT for the last parent. Not the merge of a Merkle tree. */
MKZ_FN void mkz_blake3_parent(mkz_lane32 out[8], const mkz_lane32 left[8], const mkz_lane32 right[8],
                              const mkz_lane32 key[8], mkz_lane32 flags) {
    mkz_lane32 m[16];
    mkz_lane32 zero = MKZ_SPLAT32(0);
    for (int i = 0; i < 8; i++) {
        m[i] = left[i];
        m[i + 8] = right[i];
    }
    for (int i = 0; i < 8; i++) out[i] = key[i];
    mkz_blake3_compress(out, m, zero, zero, MKZ_SPLAT32(MKZ_BLAKE3_BLOCK_LEN), flags | MKZ_SPLAT32(MKZ_BLAKE3_PARENT));
}

/* Flags of a merge besides the mode's flags: its only block is the first and the last block of chunk 0, and the root. */
#define MKZ_BLAKE3_MERGE (MKZ_BLAKE3_CHUNK_START | MKZ_BLAKE3_CHUNK_END | MKZ_BLAKE3_ROOT)

/* Merge of a Merkle tree: the BLAKE3 hash of the 64 bytes left || right in a mode with a key. The mode is keyed_hash, or derive_key,
 * where `key` is the context's key. flags: the mode's flags. */
MKZ_FN void mkz_blake3_merge_keyed(mkz_lane32 out[8], const mkz_lane32 left[8], const mkz_lane32 right[8],
                                   const mkz_lane32 key[8], mkz_lane32 flags) {
    mkz_lane32 m[16];
    mkz_lane32 zero = MKZ_SPLAT32(0);
    for (int i = 0; i < 8; i++) {
        m[i] = left[i];
        m[i + 8] = right[i];
    }
    for (int i = 0; i < 8; i++) out[i] = key[i];
    mkz_blake3_compress(out, m, zero, zero, MKZ_SPLAT32(MKZ_BLAKE3_BLOCK_LEN), flags | MKZ_SPLAT32(MKZ_BLAKE3_MERGE));
}

/* The same without a key: the plain hash. */
MKZ_FN void mkz_blake3_merge(mkz_lane32 out[8], const mkz_lane32 left[8], const mkz_lane32 right[8]) {
    mkz_lane32 iv[8];
    mkz_blake3_iv(iv);
    mkz_blake3_merge_keyed(out, left, right, iv, MKZ_SPLAT32(0));
}

/* Flags of block `index` in a chunk of `count` blocks (count >= 1), including the mode's flags. */
MKZ_FN mkz_u32 mkz_blake3_block_flags(mkz_u32 index, mkz_u32 count, mkz_u32 flags) {
    return flags | (index == 0 ? MKZ_BLAKE3_CHUNK_START : 0u) | (index + 1 == count ? MKZ_BLAKE3_CHUNK_END : 0u);
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
