/* keccak256_sorted.h: Keccak-256 with Ethereum's padding: of a row, and of two nodes, the smaller one first. So a proof
 * needs no directions. */
#define MKZ_UNIT_ID 36
#define MKZ_UNIT_NAME keccak256_sorted
#define MKZ_UNIT_PAD_BYTE 1
#define MKZ_UNIT_WORD_BITS 64
#define MKZ_UNIT_RATE 136
#define MKZ_UNIT_STATE_WORDS 25

#ifdef MKZ_RESET
#undef MKZ_KECCAK256_SORTED_H
#elif !defined(MKZ_HASH) && !defined(MKZ_KECCAK256_SORTED_H)
#define MKZ_KECCAK256_SORTED_H

#include "keccak_f1600.h"

/* Merge of a Merkle tree: Keccak-256 of min || max, compared as big-endian numbers. */
MKZ_FN void mkz_keccak256_sorted_merge(mkz_lane64 out[4], const mkz_lane64 left[4], const mkz_lane64 right[4]) {
    mkz_lane64 low[4], high[4], swap = MKZ_SPLAT64(0);
    MKZ_UNROLL for (int k = 3; k >= 0; k--) {
        mkz_lane64 l = MKZ_BSWAP64(left[k]), r = MKZ_BSWAP64(right[k]);
        swap = MKZ_LT_MASK(r, l) | (swap & ~MKZ_LT_MASK(l, r));
    }
    for (int k = 0; k < 4; k++) {
        mkz_lane64 change = (left[k] ^ right[k]) & swap;
        low[k] = left[k] ^ change;
        high[k] = right[k] ^ change;
    }
    mkz_keccak256_sorted_pair(out, low, high);
}

#endif /* MKZ_KECCAK256_SORTED_H */
#include "../unit.h"
