/* poseidon2_koalabear.h: Poseidon2 over KoalaBear, of 16 and of 24 cells: the instances of Plonky3, p3-koala-bear since 0.5. */
#ifndef MKZ_POSEIDON2_KOALABEAR_H
#define MKZ_POSEIDON2_KOALABEAR_H

#include "../words/monty31.h"
#include "poseidon2_koalabear_constants.h"

#define MKZ_P2_FIELD(name) mkz_p2_koalabear_##name
#define MKZ_P2_BITS 32
#define MKZ_P2_P 0x7f000001u
#define MKZ_P2_ALPHA 3
#include "poseidon2_monty31.h"

#define MKZ_P2(name) mkz_p2_koalabear_16_##name
#define MKZ_P2_WIDTH 16
#define MKZ_P2_ROUNDS 20
#define MKZ_P2_TABLE MKZ_P2_KOALABEAR_16
/* clang-format off */
#define MKZ_P2_DIAGONAL(T, H, L) \
    T(1, 1) T(2, 2) H(3, 1) T(4, 3) T(5, 4) L(6, 1) T(7, -3) T(8, -4) \
    H(9, 8) H(10, 3) H(11, 24) L(12, 8) L(13, 3) L(14, 4) L(15, 24)
/* clang-format on */
#include "poseidon2_permutation.h"

#define MKZ_P2(name) mkz_p2_koalabear_24_##name
#define MKZ_P2_WIDTH 24
#define MKZ_P2_ROUNDS 23
#define MKZ_P2_TABLE MKZ_P2_KOALABEAR_24
/* clang-format off */
#define MKZ_P2_DIAGONAL(T, H, L) \
    T(1, 1) T(2, 2) H(3, 1) T(4, 3) T(5, 4) L(6, 1) T(7, -3) T(8, -4) \
    H(9, 8) H(10, 2) H(11, 3) H(12, 4) H(13, 5) H(14, 6) H(15, 24) L(16, 8) \
    L(17, 3) L(18, 4) L(19, 5) L(20, 6) L(21, 7) L(22, 9) L(23, 24)
/* clang-format on */
#include "poseidon2_permutation.h"

MKZ_FN mkz_lane32 mkz_p2_koalabear_in(mkz_lane32 word) { return mkz_m31_from_word(word, MKZ_P2_P); }
MKZ_FN mkz_lane32 mkz_p2_koalabear_out(mkz_lane32 cell) { return mkz_m31_to_word(cell, MKZ_P2_P); }

#undef MKZ_P2_FIELD
#undef MKZ_P2_BITS
#undef MKZ_P2_P
#undef MKZ_P2_ALPHA

#endif /* MKZ_POSEIDON2_KOALABEAR_H */
