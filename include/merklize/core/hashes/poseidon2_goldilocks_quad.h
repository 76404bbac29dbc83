/* poseidon2_goldilocks_quad.h: the merge of four nodes of Plonky3's Poseidon2 trees, TruncatedPermutation<4, 4, 16>: as the hash
 * of a row of 16 words, all cells. No hash of rows, since it has no capacity: a part of poseidon2_goldilocks_8, _12. */
#define MKZ_UNIT_ID 39
#define MKZ_UNIT_NAME poseidon2_goldilocks_quad
#define MKZ_UNIT_WORD_BITS 64
#define MKZ_UNIT_MODULUS 0xffffffff00000001
#define MKZ_UNIT_TAKES_TWO 1
#define MKZ_UNIT_RATE 16
#define MKZ_UNIT_STATE_WORDS 16
#define MKZ_UNIT_IS_PART 1

#ifdef MKZ_RESET
#undef MKZ_POSEIDON2_GOLDILOCKS_QUAD_H
#undef MKZ_POSEIDON2_GOLDILOCKS_QUAD_CONSTANTS_H
#undef MKZ_POSEIDON2_GOLDILOCKS_H
#undef MKZ_POSEIDON2_GOLDILOCKS_CONSTANTS_H
#elif !defined(MKZ_HASH) && !defined(MKZ_POSEIDON2_GOLDILOCKS_QUAD_H)
#define MKZ_POSEIDON2_GOLDILOCKS_QUAD_H

#include "poseidon2_goldilocks.h"
#include "poseidon2_goldilocks_quad_constants.h"

#define MKZ_P2_BITS 64
#define MKZ_P2(name) mkz_p2_goldilocks_16_##name
#define MKZ_P2_WIDTH 16
#define MKZ_P2_ROUNDS 22
#define MKZ_P2_TABLE MKZ_P2_GOLDILOCKS_16
/* clang-format off */
#define MKZ_P2_DIAGONAL(T, H, L) \
    T(1, 1) T(2, 2) H(3, 1) T(4, 3) T(5, 4) L(6, 1) T(7, -3) T(8, -4) \
    H(9, 3) H(10, 4) H(11, 5) L(12, 3) L(13, 4) L(14, 5) H(15, 32)
/* clang-format on */
#include "poseidon2_permutation.h"
#undef MKZ_P2_BITS

#define MKZ_SPONGE(name) mkz_poseidon2_goldilocks_quad_##name
#define MKZ_SPONGE_CELL mkz_gl
#define MKZ_SPONGE_IN(word) (word)
#define MKZ_SPONGE_OUT(cell) mkz_gl_canonical(cell)
#define MKZ_SPONGE_PERMUTE(s) mkz_p2_goldilocks_16_permute(s)
#define MKZ_SPONGE_PERMUTE_TWO(s) mkz_p2_goldilocks_16_permute_two(s)
#define MKZ_SPONGE_MERGE(s) mkz_p2_goldilocks_16_permute(s)
#define MKZ_SPONGE_MERGE_WIDTH 16
#define MKZ_SPONGE_LENGTH_CELL -1
#include "field_sponge.h"

#endif /* MKZ_POSEIDON2_GOLDILOCKS_QUAD_H */
#include "../unit.h"
