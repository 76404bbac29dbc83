/* poseidon2_goldilocks_8.h: Plonky3's hash over Goldilocks: rows by PaddingFreeSponge<8, 4, 4>, merges by
 * TruncatedPermutation<2, 4, 8>. docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 18
#define MKZ_UNIT_NAME poseidon2_goldilocks_8
#define MKZ_UNIT_WORD_BITS 64
#define MKZ_UNIT_MODULUS 0xffffffff00000001
#define MKZ_UNIT_RATE 4
#define MKZ_UNIT_STATE_WORDS 8
#define MKZ_UNIT_QUAD_HASH 39
#define MKZ_UNIT_TAKES_TWO 1
#define MKZ_UNIT_PERMUTATION p2_goldilocks_8

#ifdef MKZ_RESET
#undef MKZ_POSEIDON2_GOLDILOCKS_8_H
#elif !defined(MKZ_HASH) && !defined(MKZ_POSEIDON2_GOLDILOCKS_8_H)
#define MKZ_POSEIDON2_GOLDILOCKS_8_H
#include "poseidon2_goldilocks.h"

#include "field_sponge.h"
#endif
#include "../unit.h"
