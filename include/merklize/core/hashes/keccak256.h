/* keccak256.h: Keccak-256 with Ethereum's padding: of a row, and of the 64 bytes left || right. */
#define MKZ_UNIT_ID 35
#define MKZ_UNIT_NAME keccak256
#define MKZ_UNIT_QUAD_HASH 35
#define MKZ_UNIT_PAD_BYTE 1
#define MKZ_UNIT_WORD_BITS 64
#define MKZ_UNIT_RATE 136
#define MKZ_UNIT_STATE_WORDS 25

#ifdef MKZ_RESET
#undef MKZ_KECCAK256_H
#elif !defined(MKZ_HASH) && !defined(MKZ_KECCAK256_H)
#define MKZ_KECCAK256_H

#include "keccak_f1600.h"

/* Merge of a Merkle tree. */
MKZ_FN void mkz_keccak256_merge(mkz_lane64 out[4], const mkz_lane64 left[4], const mkz_lane64 right[4]) {
    mkz_keccak256_pair(out, left, right);
}

#endif /* MKZ_KECCAK256_H */
#include "../unit.h"
