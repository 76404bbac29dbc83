/* keccakf64.h: a sponge over Keccak-f[1600] on words of 64 bits, without padding: of a row, and of the 8 words left || right. Provers
 * use it (Plonky3's PaddingFreeSponge<25, 17, 4>). It is not Keccak-256. */
#define MKZ_UNIT_ID 51
#define MKZ_UNIT_NAME keccakf64
#define MKZ_UNIT_QUAD_HASH 51
#define MKZ_UNIT_WORD_BITS 64
#define MKZ_UNIT_RATE 136
#define MKZ_UNIT_STATE_WORDS 25

#ifdef MKZ_RESET
#undef MKZ_KECCAKF64_H
#elif !defined(MKZ_HASH) && !defined(MKZ_KECCAKF64_H)
#define MKZ_KECCAKF64_H

#include "keccak_f1600.h"

MKZ_FN void mkz_keccakf64_init(mkz_lane64 s[25], mkz_u64 bytes) {
    (void)bytes;
    for (int k = 0; k < 25; k++) s[k] = MKZ_SPLAT64(0);
}

MKZ_FN mkz_u64 mkz_keccakf64_blocks(mkz_u64 bytes) { return (bytes + 135) / 136; }

/* A block replaces the first words of the state. The last one replaces as many as it has; zeros fill its last word. */
MKZ_FN void mkz_keccakf64_absorb(mkz_lane64 s[25], const mkz_lane64 block[17], mkz_u64 b, mkz_u64 blocks,
                                 mkz_u64 bytes) {
    int words = b + 1 == blocks ? (int)((bytes - 136 * b + 7) / 8) : 17;
    MKZ_UNROLL for (int k = 0; k < 17; k++) {
        if (k < words) s[k] = block[k];
    }
    mkz_keccak_f1600(s);
}

MKZ_FN void mkz_keccakf64_digest(mkz_lane64 out[4], const mkz_lane64 s[25]) {
    for (int k = 0; k < 4; k++) out[k] = s[k];
}

/* Merge of a Merkle tree: the sponge of the 8 words left || right. */
MKZ_FN void mkz_keccakf64_merge(mkz_lane64 out[4], const mkz_lane64 left[4], const mkz_lane64 right[4]) {
    mkz_lane64 s[25];
    mkz_keccakf64_init(s, 64);
    for (int k = 0; k < 4; k++) {
        s[k] = left[k];
        s[k + 4] = right[k];
    }
    mkz_keccak_f1600(s);
    mkz_keccakf64_digest(out, s);
}

#endif /* MKZ_KECCAKF64_H */
#include "../unit.h"
