/* poseidon2_babybear.h: Poseidon2 over BabyBear, of 16, 24 and 32 cells: the instances of Plonky3, p3-baby-bear since 0.3. */
#ifndef MKZ_POSEIDON2_BABYBEAR_H
#define MKZ_POSEIDON2_BABYBEAR_H

#include "poseidon2_babybear_constants.h"
#include "poseidon2_monty31.h"

#define MKZ_P2_FIELD babybear
#define MKZ_P2_P 0x78000001u

#define MKZ_P2_WIDTH 16
#define MKZ_P2_ROUNDS 13
/* clang-format off */
#define MKZ_P2_DIAGONAL(T, H, L) \
    T(1, 1) T(2, 2) H(3, 1) T(4, 3) T(5, 4) L(6, 1) T(7, -3) T(8, -4) \
    H(9, 8) H(10, 2) H(11, 3) H(12, 27) L(13, 8) L(14, 4) L(15, 27)
/* clang-format on */
#include "poseidon2_permutation.h"

#define MKZ_P2_WIDTH 24
#define MKZ_P2_ROUNDS 21
/* clang-format off */
#define MKZ_P2_DIAGONAL(T, H, L) \
    T(1, 1) T(2, 2) H(3, 1) T(4, 3) T(5, 4) L(6, 1) T(7, -3) T(8, -4) \
    H(9, 8) H(10, 2) H(11, 3) H(12, 4) H(13, 7) H(14, 9) H(15, 27) L(16, 8) \
    L(17, 2) L(18, 3) L(19, 4) L(20, 5) L(21, 6) L(22, 7) L(23, 27)
/* clang-format on */
#include "poseidon2_permutation.h"

#define MKZ_P2_WIDTH 32
#define MKZ_P2_ROUNDS 30
/* clang-format off */
#define MKZ_P2_DIAGONAL(T, H, L) \
    T(1, 1) T(2, 2) H(3, 1) T(4, 3) T(5, 4) L(6, 1) T(7, -3) T(8, -4) \
    H(9, 8) H(10, 2) H(11, 3) H(12, 4) H(13, 5) H(14, 6) H(15, 7) H(16, 9) \
    H(17, 10) H(18, 12) H(19, 27) L(20, 8) L(21, 2) L(22, 3) L(23, 4) L(24, 5) \
    L(25, 6) L(26, 7) L(27, 9) L(28, 10) L(29, 12) L(30, 14) L(31, 27)
/* clang-format on */
#include "poseidon2_permutation.h"

#undef MKZ_P2_FIELD
#undef MKZ_P2_P

#endif /* MKZ_POSEIDON2_BABYBEAR_H */
