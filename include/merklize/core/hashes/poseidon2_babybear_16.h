/* poseidon2_babybear_16.h: Plonky3's hash over BabyBear: rows by PaddingFreeSponge<16, 8, 8>, merges by TruncatedPermutation<2, 8, 16>.
 * docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 21
#define MKZ_UNIT_NAME poseidon2_babybear_16
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_MODULUS 0x78000001
#define MKZ_UNIT_RATE 8
#define MKZ_UNIT_QUAD_HASH 40
#define MKZ_UNIT_STATE_WORDS 16

#ifdef MKZ_RESET
#undef MKZ_POSEIDON2_BABYBEAR_16_H
#undef MKZ_POSEIDON2_BABYBEAR_H
#undef MKZ_POSEIDON2_BABYBEAR_CONSTANTS_H
#elif !defined(MKZ_HASH) && !defined(MKZ_POSEIDON2_BABYBEAR_16_H)
#define MKZ_POSEIDON2_BABYBEAR_16_H

#include "poseidon2_babybear.h"

#define MKZ_SPONGE(name) mkz_poseidon2_babybear_16_##name
#define MKZ_SPONGE_CELL mkz_lane32
#define MKZ_SPONGE_IN(word) mkz_p2_babybear_in(word)
#define MKZ_SPONGE_OUT(cell) mkz_p2_babybear_out(cell)
#define MKZ_SPONGE_PERMUTE(s) mkz_p2_babybear_16_permute(s)
#define MKZ_SPONGE_MERGE(s) mkz_p2_babybear_16_permute(s)
#define MKZ_SPONGE_MERGE_WIDTH 16
#define MKZ_SPONGE_LENGTH_CELL -1
#include "field_sponge.h"

#endif /* MKZ_POSEIDON2_BABYBEAR_16_H */
#include "../unit.h"
