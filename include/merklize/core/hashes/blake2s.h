/* blake2s.h: BLAKE2s (RFC 7693) with digests of 32 bytes: of a row, and of the 64 bytes left || right.
 *
 * A key is a block before the message. Kernels take the state behind that block (ctx.key), so that a merge under a key
 * is one compression, as without one. The rounds are BLAKE3's with another message schedule, and there are ten. */
#define MKZ_UNIT_ID 55
#define MKZ_UNIT_NAME blake2s
#define MKZ_UNIT_QUAD_HASH 55
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_RATE 64
#define MKZ_UNIT_STATE_WORDS 8
#define MKZ_UNIT_IS_KEYED 1
#define MKZ_UNIT_HAS_XMSS 1

#ifdef MKZ_RESET
#undef MKZ_BLAKE2S_H
#elif !defined(MKZ_HASH) && !defined(MKZ_BLAKE2S_H)
#define MKZ_BLAKE2S_H

#include "../context.h"
#include "../port.h"
#include "blake3_rounds.h"

#define MKZ_BLAKE2S_BLOCK_LEN 64

/* The ten rounds, by a macro HALF as in blake3_rounds.h (RFC 7693, section 2.7). */
#define MKZ_BLAKE2S_ROUNDS(HALF)                                                  \
    MKZ_BLAKE3_ROUND(HALF, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); \
    MKZ_BLAKE3_ROUND(HALF, 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3); \
    MKZ_BLAKE3_ROUND(HALF, 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4); \
    MKZ_BLAKE3_ROUND(HALF, 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8); \
    MKZ_BLAKE3_ROUND(HALF, 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13); \
    MKZ_BLAKE3_ROUND(HALF, 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9); \
    MKZ_BLAKE3_ROUND(HALF, 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11); \
    MKZ_BLAKE3_ROUND(HALF, 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10); \
    MKZ_BLAKE3_ROUND(HALF, 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5); \
    MKZ_BLAKE3_ROUND(HALF, 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0)

/* The state before the first block of a message, from the length of its digest and of its key, each at most 32. */
MKZ_FN void mkz_blake2s_begin(mkz_lane32 h[8], mkz_u32 digest_bytes, mkz_u32 key_bytes) {
    mkz_blake3_iv(h);
    h[0] ^= MKZ_SPLAT32(0x01010000u ^ key_bytes << 8 ^ digest_bytes);
}

/* The state before the rounds. bytes: of the message up to the end of this block, its key's block included. */
MKZ_FN void mkz_blake2s_before_rounds(mkz_lane32 v[16], const mkz_lane32 h[8], mkz_u64 bytes, int is_last) {
    for (int i = 0; i < 8; i++) v[i] = h[i];
    v[8] = MKZ_SPLAT32(MKZ_BLAKE3_IV0);
    v[9] = MKZ_SPLAT32(MKZ_BLAKE3_IV1);
    v[10] = MKZ_SPLAT32(MKZ_BLAKE3_IV2);
    v[11] = MKZ_SPLAT32(MKZ_BLAKE3_IV3);
    v[12] = MKZ_SPLAT32(MKZ_BLAKE3_IV4 ^ (mkz_u32)bytes);
    v[13] = MKZ_SPLAT32(MKZ_BLAKE3_IV5 ^ (mkz_u32)(bytes >> 32));
    v[14] = MKZ_SPLAT32(is_last ? ~MKZ_BLAKE3_IV6 : MKZ_BLAKE3_IV6);
    v[15] = MKZ_SPLAT32(MKZ_BLAKE3_IV7);
}

/* The compression, in place. */
MKZ_FN void mkz_blake2s_compress(mkz_lane32 h[8], const mkz_lane32 m[16], mkz_u64 bytes, int is_last) {
    mkz_lane32 v[16];
    mkz_blake2s_before_rounds(v, h, bytes, is_last);
    MKZ_BLAKE2S_ROUNDS(MKZ_BLAKE3_HALF);
    for (int i = 0; i < 8; i++) h[i] = h[i] ^ v[i] ^ v[i + 8];
}

MKZ_FN void mkz_blake2s_init(mkz_lane32 s[8], mkz_u64 bytes) {
    (void)bytes;
    mkz_blake2s_begin(s, 32, 0);
}

/* A message of no bytes is one block of zeros. */
MKZ_FN mkz_u64 mkz_blake2s_blocks(mkz_u64 bytes) { return bytes == 0 ? 1 : (bytes + 63) / MKZ_BLAKE2S_BLOCK_LEN; }

MKZ_FN void mkz_blake2s_absorb(mkz_lane32 s[8], const mkz_lane32 block[16], mkz_u64 b, mkz_u64 blocks, mkz_u64 bytes) {
    int is_last = b + 1 == blocks;
    mkz_blake2s_compress(s, block, is_last ? bytes : MKZ_BLAKE2S_BLOCK_LEN * (b + 1), is_last);
}

MKZ_FN void mkz_blake2s_digest(mkz_lane32 out[8], const mkz_lane32 s[8]) {
    for (int i = 0; i < 8; i++) out[i] = s[i];
}

/* Merge of a Merkle tree: BLAKE2s of the 64 bytes left || right under a key. key: the state behind the key's block. */
MKZ_FN void mkz_blake2s_merge_keyed(mkz_lane32 out[8], const mkz_lane32 left[8], const mkz_lane32 right[8],
                                    const mkz_lane32 key[8], mkz_lane32 flags) {
    mkz_lane32 m[16];
    (void)flags;
    for (int i = 0; i < 8; i++) {
        m[i] = left[i];
        m[i + 8] = right[i];
    }
    for (int i = 0; i < 8; i++) out[i] = key[i];
    mkz_blake2s_compress(out, m, 2 * MKZ_BLAKE2S_BLOCK_LEN, 1);
}

/* The same without a key. */
MKZ_FN void mkz_blake2s_merge(mkz_lane32 out[8], const mkz_lane32 left[8], const mkz_lane32 right[8]) {
    mkz_lane32 m[16];
    for (int i = 0; i < 8; i++) {
        m[i] = left[i];
        m[i + 8] = right[i];
    }
    mkz_blake2s_begin(out, 32, 0);
    mkz_blake2s_compress(out, m, MKZ_BLAKE2S_BLOCK_LEN, 1);
}

#if MKZ_KEYED
/* For kernels: the state before the first block of a row under a key; the digest of a row that has no bytes. */
MKZ_FN void mkz_blake2s_init_by(mkz_lane32 s[8], mkz_context ctx) {
    MKZ_UNROLL for (int k = 0; k < 8; k++) s[k] = MKZ_SPLAT32(ctx.key.w[k]);
}

MKZ_FN void mkz_blake2s_merge_by(mkz_lane32 out[8], const mkz_lane32 left[8], const mkz_lane32 right[8],
                                 mkz_context ctx) {
    mkz_lane32 key[8];
    mkz_blake2s_init_by(key, ctx);
    mkz_blake2s_merge_keyed(out, left, right, key, MKZ_SPLAT32(0));
}
#endif

#include "xmss.h"

#endif /* MKZ_BLAKE2S_H */
#include "../unit.h"
