/* poseidon_monty31.h: Poseidon over the fields of 31 bits, of 16 and 24 cells. docs/hashes.md has the definition. Every
 * function takes p, a constant.
 *
 * The MDS matrix is circulant, so a product by it is one of polynomials modulo z^n - 1. It is split modulo z^(n/2) - 1
 * and z^(n/2) + 1, the first of them again, three times in all: 88 products instead of 256, or 198 instead of 576. The
 * factors of the parts, with the halves that joining them takes, are in a table: row i of a part of n cells is its n
 * words from word n - 1 - i on.
 *
 * The constants of partial rounds are folded forward, so that only cell 0 gets one in each. The matrices of partial
 * rounds are factored: in each only a first row and a first column are left, and the rest is in the matrix before the
 * first of them, which takes the place of the circulant one (scripts/generate_hash_constants.py). With MKZ_SMALL
 * partial rounds multiply by the circulant matrix, too. */
#ifndef MKZ_POSEIDON_MONTY31_H
#define MKZ_POSEIDON_MONTY31_H

#include "../words/monty31.h"

MKZ_FN void mkz_pos_m31_split(mkz_lane32 *s, int n, mkz_u32 p) {
    MKZ_UNROLL_CELLS for (int k = 0; k < n; k++) {
        mkz_lane32 a = s[k], b = s[n + k];
        s[k] = mkz_m31_add(a, b, p);
        s[n + k] = mkz_m31_sub(a, b, p);
    }
}

MKZ_FN void mkz_pos_m31_part(mkz_lane32 *s, int n, MKZ_CONSTANT const mkz_u32 *factors, mkz_u32 p) {
    mkz_lane32 x[12] = {MKZ_SPLAT32(0)};
    MKZ_UNROLL_CELLS for (int k = 0; k < n; k++) x[k] = s[k];
    MKZ_UNROLL_CELLS for (int k = 0; k < n; k++) s[k] = mkz_m31_dot(x, factors + n - 1 - k, n, p);
}

MKZ_FN void mkz_pos_m31_circulant(mkz_lane32 *s, int width, MKZ_CONSTANT const mkz_u32 *factors, mkz_u32 p) {
    const int n = width / 8;
    mkz_pos_m31_split(s, 4 * n, p);
    mkz_pos_m31_split(s, 2 * n, p);
    mkz_pos_m31_split(s, n, p);
    mkz_pos_m31_part(s, n, factors, p);
    mkz_pos_m31_part(s + n, n, factors + 2 * n, p);
    mkz_pos_m31_part(s + 2 * n, 2 * n, factors + 4 * n, p);
    mkz_pos_m31_part(s + 4 * n, 4 * n, factors + 8 * n, p);
    mkz_pos_m31_split(s, n, p); /* joining is the same sums and differences */
    mkz_pos_m31_split(s, 2 * n, p);
    mkz_pos_m31_split(s, 4 * n, p);
}

/* `matrices`: the matrix before the partial rounds, row after row; then for each partial round `width` words of its
 * first row and `width` words of its first column, whose first word nothing reads. */
MKZ_FN void mkz_pos_m31_dense(mkz_lane32 *s, int width, MKZ_CONSTANT const mkz_u32 *matrices, mkz_u32 p) {
    mkz_lane32 x[24] = {MKZ_SPLAT32(0)};
    MKZ_UNROLL_CELLS for (int k = 0; k < width; k++) x[k] = s[k];
    MKZ_UNROLL_CELLS for (int k = 0; k < width; k++) s[k] = mkz_m31_dot(x, matrices + width * k, width, p);
}
MKZ_FN void mkz_pos_m31_sparse(mkz_lane32 *s, int width, MKZ_CONSTANT const mkz_u32 *row, mkz_u32 p) {
    mkz_lane32 first = mkz_m31_dot(s, row, width, p), x = s[0];
    MKZ_UNROLL_CELLS for (int k = 1; k < width; k++) s[k] =
        mkz_m31_add(s[k], mkz_m31_mul(x, MKZ_SPLAT32(row[width + k]), p), p);
    s[0] = first;
}

/* `constants`: of the initial, the terminal and the partial rounds, in Montgomery form, less p. */
MKZ_FN void mkz_pos_m31_permute(mkz_lane32 *s, int width, int rounds, MKZ_CONSTANT const mkz_u32 *constants,
                                MKZ_CONSTANT const mkz_u32 *factors, MKZ_CONSTANT const mkz_u32 *matrices, mkz_u32 p) {
    MKZ_NO_UNROLL for (int r = 0; r < 8; r++) {
        MKZ_UNROLL_CELLS for (int k = 0; k < width; k++) s[k] = mkz_m31_sbox(s[k], constants[width * r + k], p);
#if !MKZ_SMALL
        if (r == 3) {
            mkz_pos_m31_dense(s, width, matrices, p);
            MKZ_NO_UNROLL for (int i = 0; i < rounds; i++) {
                s[0] = mkz_m31_sbox(s[0], constants[8 * width + i], p);
                mkz_pos_m31_sparse(s, width, matrices + width * (width + 2 * i), p);
            }
            continue;
        }
#endif
        mkz_pos_m31_circulant(s, width, factors, p);
#if MKZ_SMALL
        MKZ_NO_UNROLL for (int i = 0; r == 3 && i < rounds; i++) {
            s[0] = mkz_m31_sbox(s[0], constants[8 * width + i], p);
            mkz_pos_m31_circulant(s, width, factors, p);
        }
#endif
    }
    (void)matrices;
}

#endif /* MKZ_POSEIDON_MONTY31_H */
