/* poseidon2_given_goldilocks_16.h: Poseidon2 over Goldilocks of 16 cells with the constants of a caller: rows by PaddingFreeSponge<16, rate, 4>,
 * merges by TruncatedPermutation<2, 4, 16>. docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 52
#define MKZ_UNIT_NAME poseidon2_given_goldilocks_16
#define MKZ_UNIT_WORD_BITS 64
#define MKZ_UNIT_MODULUS 0xffffffff00000001
#define MKZ_UNIT_RATE 16
#define MKZ_UNIT_STATE_WORDS 16
#define MKZ_UNIT_TABLE_IS_GIVEN 1
#define MKZ_UNIT_IS_PART 1

#ifdef MKZ_RESET
#undef MKZ_POSEIDON2_GIVEN_GOLDILOCKS_16_H
#undef MKZ_POSEIDON2_GOLDILOCKS_H
#undef MKZ_POSEIDON2_GOLDILOCKS_CONSTANTS_H
#elif !defined(MKZ_HASH) && !defined(MKZ_POSEIDON2_GIVEN_GOLDILOCKS_16_H)
#define MKZ_POSEIDON2_GIVEN_GOLDILOCKS_16_H

#include "../context.h"
#include "poseidon2_goldilocks.h"

#define MKZ_P2(name) mkz_p2_given_goldilocks_16_##name
#define MKZ_P2_BITS 64
#define MKZ_P2_WIDTH 16
#include "poseidon2_given.h"

#define MKZ_SPONGE(name) mkz_poseidon2_given_goldilocks_16_##name
#define MKZ_SPONGE_CELL mkz_gl
#define MKZ_SPONGE_IN(word) (word)
#define MKZ_SPONGE_OUT(cell) mkz_gl_canonical(cell)
#define MKZ_SPONGE_PERMUTE(s) mkz_p2_given_goldilocks_16_permute(s, ctx.table)
#define MKZ_SPONGE_MERGE(s) MKZ_SPONGE_PERMUTE(s)
#define MKZ_SPONGE_MERGE_WIDTH 16
#define MKZ_SPONGE_LENGTH_CELL -1
#include "field_sponge.h"

#endif /* MKZ_POSEIDON2_GIVEN_GOLDILOCKS_16_H */
#include "../unit.h"
