/* poseidon2_goldilocks.h: Poseidon2 over Goldilocks, of 8, 12 and 16 cells: the instances of Plonky3, since p3-goldilocks 0.5.0. */
#ifndef MKZ_POSEIDON2_GOLDILOCKS_H
#define MKZ_POSEIDON2_GOLDILOCKS_H

#include "../words/goldilocks.h"
#include "poseidon2_goldilocks_constants.h"

/* The product of four cells by the matrix 2 3 1 1 / 1 2 3 1 / 1 1 2 3 / 3 1 1 2, without reductions. */
MKZ_FN void mkz_p2_goldilocks_m4(mkz_lane64 x[4]) {
    mkz_lane64 a = x[0] + x[1], b = x[2] + x[3], c = a + b, d = c + x[1], e = c + x[3];
    x[3] = e + (x[0] << 1);
    x[1] = d + (x[2] << 1);
    x[0] = d + a;
    x[2] = e + b;
}

/* The external layer of cells, as halves. The sums of all blocks are added before the product, which gives the same. */
MKZ_FN void mkz_p2_goldilocks_external_halves(mkz_lane64 lo[16], mkz_lane64 hi[16], const mkz_gl *s, int width) {
    mkz_lane64 low_sums[4] = {0}, high_sums[4] = {0};
    MKZ_UNROLL for (int k = 0; k < width; k++) {
        lo[k] = s[k] & MKZ_SPLAT64(MKZ_GL_E);
        hi[k] = s[k] >> 32;
    }
    MKZ_UNROLL for (int k = 0; k < 4; k++) {
        low_sums[k] = lo[k];
        high_sums[k] = hi[k];
    }
    MKZ_UNROLL for (int k = 4; k < width; k++) {
        low_sums[k % 4] = low_sums[k % 4] + lo[k];
        high_sums[k % 4] = high_sums[k % 4] + hi[k];
    }
    MKZ_UNROLL for (int k = 0; k < width; k++) {
        lo[k] = lo[k] + low_sums[k % 4];
        hi[k] = hi[k] + high_sums[k % 4];
    }
    MKZ_UNROLL for (int k = 0; k < width; k += 4) {
        mkz_p2_goldilocks_m4(lo + k);
        mkz_p2_goldilocks_m4(hi + k);
    }
}

/* The external layer, and `constants` added. */
MKZ_FN void mkz_p2_goldilocks_external(mkz_gl *s, int width, MKZ_CONSTANT const mkz_u64 *constants) {
    mkz_lane64 lo[16] = {0}, hi[16] = {0};
    mkz_p2_goldilocks_external_halves(lo, hi, s, width);
    MKZ_UNROLL for (int k = 0; k < width; k++) s[k] =
        mkz_gl_join(lo[k] + MKZ_SPLAT64(constants[k] & MKZ_GL_E), hi[k] + MKZ_SPLAT64(constants[k] >> 32));
}

/* x >> n of a signed lane. */
MKZ_FN mkz_lane64 mkz_p2_goldilocks_shift(mkz_lane64 x, int n) {
    const mkz_u64 top = (mkz_u64)1 << 63;
    return ((x ^ MKZ_SPLAT64(top)) >> n) - MKZ_SPLAT64(top >> n);
}

/* The same element with halves between -2^31 and 2^33: 2^64 = 2^32 - 1. */
MKZ_FN void mkz_p2_goldilocks_shrink(mkz_lane64 *lo, mkz_lane64 *hi) {
    mkz_lane64 l = mkz_p2_goldilocks_shift(*lo, 32), h = mkz_p2_goldilocks_shift(*hi, 32);
    *lo = (*lo & MKZ_SPLAT64(MKZ_GL_E)) - h;
    *hi = (*hi & MKZ_SPLAT64(MKZ_GL_E)) + h + l;
}

/* x d, for d = 1 to 4 or -1 to -4. */
MKZ_FN mkz_lane64 mkz_p2_goldilocks_times(mkz_lane64 x, int d) {
    mkz_lane64 y = d == 1 || d == -1 ? x : d == 2 || d == -2 ? x << 1 : d == 3 || d == -3 ? (x << 1) + x : x << 2;
    return d < 0 ? MKZ_SPLAT64(0) - y : y;
}

/* (lo + 2^32 hi) / 2^k, for 0 < k <= 32: 2^-k = 2^(32-k) - 2^(64-k), so the low k bits of lo give a - 2^32 a with a = 2^(32-k) times
 * them. 2^-32 = 1 - 2^32, and 2^64 = 2^32 - 1. */
MKZ_FN void mkz_p2_goldilocks_halve(mkz_lane64 *lo, mkz_lane64 *hi, int k) {
    const mkz_u64 low_bits = ((mkz_u64)1 << k) - 1;
    if (k == 32) {
        mkz_lane64 low = *lo;
        *lo = low + *hi;
        *hi = MKZ_SPLAT64(0) - low;
        return;
    }
    mkz_lane64 a = (*lo & MKZ_SPLAT64(low_bits)) << (32 - k), b = (*hi & MKZ_SPLAT64(low_bits)) << (32 - k);
    *lo = mkz_p2_goldilocks_shift(*lo, k) + a + b;
    *hi = mkz_p2_goldilocks_shift(*hi, k) - a;
}

/* Internal rounds: products by a diagonal, added to the sums of all cells, in halves (poseidon2_permutation.h). */
#define MKZ_P2_GL_TIMES(i, d)                            \
    lo[i] = low_sum + mkz_p2_goldilocks_times(lo[i], d); \
    hi[i] = high_sum + mkz_p2_goldilocks_times(hi[i], d);
#define MKZ_P2_GL_HALVE(i, k)                   \
    mkz_p2_goldilocks_halve(&lo[i], &hi[i], k); \
    lo[i] = low_sum + lo[i];                    \
    hi[i] = high_sum + hi[i];
#define MKZ_P2_GL_LESS_HALF(i, k)               \
    mkz_p2_goldilocks_halve(&lo[i], &hi[i], k); \
    lo[i] = low_sum - lo[i];                    \
    hi[i] = high_sum - hi[i];

#define MKZ_P2_FIELD goldilocks
#define MKZ_P2_P 0xffffffff00000001

#define MKZ_P2_WIDTH 8
#define MKZ_P2_ROUNDS 22
#define MKZ_P2_DIAGONAL(T, H, L) T(1, 1) T(2, 2) H(3, 1) T(4, 3) L(5, 1) T(6, -3) T(7, -4)
#include "poseidon2_permutation.h"

#define MKZ_P2_WIDTH 12
#define MKZ_P2_ROUNDS 22
#define MKZ_P2_DIAGONAL(T, H, L) \
    T(1, 1) T(2, 2) H(3, 1) T(4, 3) T(5, 4) L(6, 1) T(7, -3) T(8, -4) H(9, 2) L(10, 2) H(11, 3)
#include "poseidon2_permutation.h"

#define MKZ_P2_WIDTH 16
#define MKZ_P2_ROUNDS 22
/* clang-format off */
#define MKZ_P2_DIAGONAL(T, H, L) \
    T(1, 1) T(2, 2) H(3, 1) T(4, 3) T(5, 4) L(6, 1) T(7, -3) T(8, -4) \
    H(9, 3) H(10, 4) H(11, 5) L(12, 3) L(13, 4) L(14, 5) H(15, 32)
/* clang-format on */
#include "poseidon2_permutation.h"

#undef MKZ_P2_FIELD
#undef MKZ_P2_P

#endif /* MKZ_POSEIDON2_GOLDILOCKS_H */
