/* keccakf64.h: a sponge over Keccak-f[1600] on words of 64 bits, without padding: of a row, and of the 8 words left ||
 * right. Provers use it (Plonky3's PaddingFreeSponge<25, 17, 4>). It is not Keccak-256. */
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

/* Merge of a Merkle tree. */
MKZ_FN void mkz_keccakf64_merge(mkz_lane64 out[4], const mkz_lane64 left[4], const mkz_lane64 right[4]) {
    mkz_keccakf64_pair(out, left, right);
}

#endif /* MKZ_KECCAKF64_H */
#include "../unit.h"
