/* poseidon2_koalabear.h: Poseidon2 over KoalaBear, of 16, 24 and 32 cells: the instances of Plonky3, p3-koala-bear since 0.5. */
#ifndef MKZ_POSEIDON2_KOALABEAR_H
#define MKZ_POSEIDON2_KOALABEAR_H

#include "poseidon2_koalabear_constants.h"
#include "poseidon2_monty31.h"

#define MKZ_P2_FIELD koalabear
#define MKZ_P2_P 0x7f000001u

#define MKZ_P2_WIDTH 16
#define MKZ_P2_ROUNDS 20
/* clang-format off */
#define MKZ_P2_DIAGONAL(T, H, L) \
    T(1, 1) T(2, 2) H(3, 1) T(4, 3) T(5, 4) L(6, 1) T(7, -3) T(8, -4) \
    H(9, 8) H(10, 3) H(11, 24) L(12, 8) L(13, 3) L(14, 4) L(15, 24)
/* clang-format on */
#include "poseidon2_permutation.h"

#define MKZ_P2_WIDTH 24
#define MKZ_P2_ROUNDS 23
/* clang-format off */
#define MKZ_P2_DIAGONAL(T, H, L) \
    T(1, 1) T(2, 2) H(3, 1) T(4, 3) T(5, 4) L(6, 1) T(7, -3) T(8, -4) \
    H(9, 8) H(10, 2) H(11, 3) H(12, 4) H(13, 5) H(14, 6) H(15, 24) L(16, 8) \
    L(17, 3) L(18, 4) L(19, 5) L(20, 6) L(21, 7) L(22, 9) L(23, 24)
/* clang-format on */
#include "poseidon2_permutation.h"

#define MKZ_P2_WIDTH 32
#define MKZ_P2_ROUNDS 31
/* clang-format off */
#define MKZ_P2_DIAGONAL(T, H, L) \
    T(1, 1) T(2, 2) H(3, 1) T(4, 3) T(5, 4) L(6, 1) T(7, -3) T(8, -4) \
    H(9, 8) H(10, 2) H(11, 3) H(12, 4) H(13, 5) H(14, 6) H(15, 10) H(16, 12) \
    H(17, 14) H(18, 16) H(19, 24) L(20, 8) L(21, 3) L(22, 4) L(23, 5) L(24, 6) \
    L(25, 7) L(26, 9) L(27, 10) L(28, 12) L(29, 14) L(30, 16) L(31, 24)
/* clang-format on */
#include "poseidon2_permutation.h"

#undef MKZ_P2_FIELD
#undef MKZ_P2_P

#endif /* MKZ_POSEIDON2_KOALABEAR_H */
