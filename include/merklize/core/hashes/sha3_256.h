/* sha3_256.h: SHA3-256 (FIPS 202) of a row, and of the 64 bytes left || right. It is Keccak-256 with another padding.
 */
#define MKZ_UNIT_ID 56
#define MKZ_UNIT_NAME sha3_256
#define MKZ_UNIT_QUAD_HASH 56
#define MKZ_UNIT_PAD_BYTE 6
#define MKZ_UNIT_WORD_BITS 64
#define MKZ_UNIT_RATE 136
#define MKZ_UNIT_STATE_WORDS 25

#ifdef MKZ_RESET
#undef MKZ_SHA3_256_H
#elif !defined(MKZ_HASH) && !defined(MKZ_SHA3_256_H)
#define MKZ_SHA3_256_H

#include "keccak_f1600.h"

/* Merge of a Merkle tree. */
MKZ_FN void mkz_sha3_256_merge(mkz_lane64 out[4], const mkz_lane64 left[4], const mkz_lane64 right[4]) {
    mkz_sha3_256_pair(out, left, right);
}

#endif /* MKZ_SHA3_256_H */
#include "../unit.h"
