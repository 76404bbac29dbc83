/* poseidon2_given_babybear_32.h: Poseidon2 over BabyBear of 32 cells with the constants of a caller: rows by PaddingFreeSponge<32, rate, 8>,
 * merges by TruncatedPermutation<2, 8, 32>. docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 53
#define MKZ_UNIT_NAME poseidon2_given_babybear_32
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_MODULUS 0x78000001
#define MKZ_UNIT_RATE 32
#define MKZ_UNIT_STATE_WORDS 32
#define MKZ_UNIT_TABLE_IS_GIVEN 1
#define MKZ_UNIT_IS_PART 1

#ifdef MKZ_RESET
#undef MKZ_POSEIDON2_GIVEN_BABYBEAR_32_H
#undef MKZ_POSEIDON2_BABYBEAR_H
#undef MKZ_POSEIDON2_BABYBEAR_CONSTANTS_H
#elif !defined(MKZ_HASH) && !defined(MKZ_POSEIDON2_GIVEN_BABYBEAR_32_H)
#define MKZ_POSEIDON2_GIVEN_BABYBEAR_32_H

#include "../context.h"
#include "poseidon2_babybear.h"

#define MKZ_P2(name) mkz_p2_given_babybear_32_##name
#define MKZ_P2_BITS 32
#define MKZ_P2_WIDTH 32
#define MKZ_P2_FIELD(name) mkz_p2_babybear_##name
#define MKZ_P2_P 0x78000001u
#include "poseidon2_given.h"

#define MKZ_SPONGE(name) mkz_poseidon2_given_babybear_32_##name
#define MKZ_SPONGE_CELL mkz_lane32
#define MKZ_SPONGE_IN(word) mkz_p2_babybear_in(word)
#define MKZ_SPONGE_OUT(cell) mkz_p2_babybear_out(cell)
#define MKZ_SPONGE_PERMUTE(s) mkz_p2_given_babybear_32_permute(s, ctx.table)
#define MKZ_SPONGE_MERGE(s) MKZ_SPONGE_PERMUTE(s)
#define MKZ_SPONGE_MERGE_WIDTH 32
#define MKZ_SPONGE_LENGTH_CELL -1
#include "field_sponge.h"

#endif /* MKZ_POSEIDON2_GIVEN_BABYBEAR_32_H */
#include "../unit.h"
