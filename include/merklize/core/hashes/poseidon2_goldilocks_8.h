/* poseidon2_goldilocks_8.h: Plonky3's hash over Goldilocks: rows by PaddingFreeSponge<8, 4, 4>, merges by TruncatedPermutation<2, 4, 8>.
 * docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 18
#define MKZ_UNIT_NAME poseidon2_goldilocks_8
#define MKZ_UNIT_WORD_BITS 64
#define MKZ_UNIT_MODULUS 0xffffffff00000001
#define MKZ_UNIT_TAKES_TWO 1
#define MKZ_UNIT_RATE 4
#define MKZ_UNIT_QUAD_HASH 39
#define MKZ_UNIT_STATE_WORDS 8

#ifdef MKZ_RESET
#undef MKZ_POSEIDON2_GOLDILOCKS_8_H
#undef MKZ_POSEIDON2_GOLDILOCKS_H
#undef MKZ_POSEIDON2_GOLDILOCKS_CONSTANTS_H
#elif !defined(MKZ_HASH) && !defined(MKZ_POSEIDON2_GOLDILOCKS_8_H)
#define MKZ_POSEIDON2_GOLDILOCKS_8_H

#include "poseidon2_goldilocks.h"

#define MKZ_SPONGE(name) mkz_poseidon2_goldilocks_8_##name
#define MKZ_SPONGE_CELL mkz_gl
#define MKZ_SPONGE_IN(word) (word)
#define MKZ_SPONGE_OUT(cell) mkz_gl_canonical(cell)
#define MKZ_SPONGE_PERMUTE(s) mkz_p2_goldilocks_8_permute(s)
#define MKZ_SPONGE_PERMUTE_TWO(s) mkz_p2_goldilocks_8_permute_two(s)
#define MKZ_SPONGE_MERGE(s) mkz_p2_goldilocks_8_permute(s)
#define MKZ_SPONGE_MERGE_WIDTH 8
#define MKZ_SPONGE_LENGTH_CELL -1
#include "field_sponge.h"

#endif /* MKZ_POSEIDON2_GOLDILOCKS_8_H */
#include "../unit.h"
