/* poseidon2_koalabear_quad.h: the merge of four nodes of Plonky3's Poseidon2 trees, TruncatedPermutation<4, 8, 32>: as the hash
 * of a row of 32 words, all cells. No hash of rows, since it has no capacity: a part of poseidon2_koalabear_16, _24. */
#define MKZ_UNIT_ID 41
#define MKZ_UNIT_NAME poseidon2_koalabear_quad
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_MODULUS 0x7f000001
#define MKZ_UNIT_RATE 32
#define MKZ_UNIT_STATE_WORDS 32
#define MKZ_UNIT_IS_PART 1

#ifdef MKZ_RESET
#undef MKZ_POSEIDON2_KOALABEAR_QUAD_H
#undef MKZ_POSEIDON2_KOALABEAR_QUAD_CONSTANTS_H
#undef MKZ_POSEIDON2_KOALABEAR_H
#undef MKZ_POSEIDON2_KOALABEAR_CONSTANTS_H
#elif !defined(MKZ_HASH) && !defined(MKZ_POSEIDON2_KOALABEAR_QUAD_H)
#define MKZ_POSEIDON2_KOALABEAR_QUAD_H

#include "poseidon2_koalabear.h"
#include "poseidon2_koalabear_quad_constants.h"

#define MKZ_P2_BITS 32
#define MKZ_P2_FIELD(name) mkz_p2_koalabear_##name
#define MKZ_P2_P 0x7f000001u
#define MKZ_P2_ALPHA 3
#define MKZ_P2(name) mkz_p2_koalabear_32_##name
#define MKZ_P2_WIDTH 32
#define MKZ_P2_ROUNDS 31
#define MKZ_P2_TABLE MKZ_P2_KOALABEAR_32
/* clang-format off */
#define MKZ_P2_DIAGONAL(T, H, L) \
    T(1, 1) T(2, 2) H(3, 1) T(4, 3) T(5, 4) L(6, 1) T(7, -3) T(8, -4) \
    H(9, 8) H(10, 2) H(11, 3) H(12, 4) H(13, 5) H(14, 6) H(15, 10) H(16, 12) \
    H(17, 14) H(18, 16) H(19, 24) L(20, 8) L(21, 3) L(22, 4) L(23, 5) L(24, 6) \
    L(25, 7) L(26, 9) L(27, 10) L(28, 12) L(29, 14) L(30, 16) L(31, 24)
/* clang-format on */
#include "poseidon2_permutation.h"
#undef MKZ_P2_BITS
#undef MKZ_P2_FIELD
#undef MKZ_P2_P
#undef MKZ_P2_ALPHA

#define MKZ_SPONGE(name) mkz_poseidon2_koalabear_quad_##name
#define MKZ_SPONGE_CELL mkz_lane32
#define MKZ_SPONGE_IN(word) mkz_p2_koalabear_in(word)
#define MKZ_SPONGE_OUT(cell) mkz_p2_koalabear_out(cell)
#define MKZ_SPONGE_PERMUTE(s) mkz_p2_koalabear_32_permute(s)
#define MKZ_SPONGE_MERGE(s) mkz_p2_koalabear_32_permute(s)
#define MKZ_SPONGE_MERGE_WIDTH 32
#define MKZ_SPONGE_LENGTH_CELL -1
#include "field_sponge.h"

#endif /* MKZ_POSEIDON2_KOALABEAR_QUAD_H */
#include "../unit.h"
