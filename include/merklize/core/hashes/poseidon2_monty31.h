/* poseidon2_monty31.h: the layers of Poseidon2 over the fields of 31 bits. Every function takes p, a constant. */
#ifndef MKZ_POSEIDON2_MONTY31_H
#define MKZ_POSEIDON2_MONTY31_H

#include "../words/monty31.h"

/* The product of four cells by the matrix 2 3 1 1 / 1 2 3 1 / 1 1 2 3 / 3 1 1 2. */
MKZ_FN void mkz_p2_m31_m4(mkz_lane32 x[4], mkz_u32 p) {
    mkz_lane32 a = mkz_m31_add(x[0], x[1], p), b = mkz_m31_add(x[2], x[3], p);
    mkz_lane32 c = mkz_m31_add(a, b, p);
    mkz_lane32 d = mkz_m31_add(c, x[1], p), e = mkz_m31_add(c, x[3], p);
    x[3] = mkz_m31_add(e, mkz_m31_times(x[0], 2, p), p);
    x[1] = mkz_m31_add(d, mkz_m31_times(x[2], 2, p), p);
    x[0] = mkz_m31_add(d, a, p);
    x[2] = mkz_m31_add(e, b, p);
}

/* The external layer. The sums of all blocks are added before the product, which gives the same. */
MKZ_FN void mkz_p2_m31_external(mkz_lane32 *s, int width, mkz_u32 p) {
    mkz_lane32 sums[4] = {s[0], s[1], s[2], s[3]};
    MKZ_UNROLL_CELLS for (int k = 4; k < width; k++) sums[k % 4] = mkz_m31_add(sums[k % 4], s[k], p);
    MKZ_UNROLL_CELLS for (int k = 0; k < width; k++) s[k] = mkz_m31_add(s[k], sums[k % 4], p);
    MKZ_UNROLL_CELLS for (int k = 0; k < width; k += 4) mkz_p2_m31_m4(s + k, p);
}

/* Internal rounds: products by a diagonal, added to the sum of all cells (poseidon2_permutation.h). */
#define MKZ_P2_M31_TIMES(i, d)                                        \
    s[i] = (d) > 0 ? mkz_m31_add(sum, mkz_m31_times(s[i], (d), p), p) \
                   : mkz_m31_sub(sum, mkz_m31_times(s[i], -(d), p), p);
#define MKZ_P2_M31_HALVE(i, k) s[i] = mkz_m31_add_half(sum, s[i], k, p);
#define MKZ_P2_M31_LESS_HALF(i, k) s[i] = mkz_m31_sub_half(sum, s[i], k, p);

#endif /* MKZ_POSEIDON2_MONTY31_H */
