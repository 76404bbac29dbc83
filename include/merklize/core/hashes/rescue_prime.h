/* rescue_prime.h: Rescue Prime over Goldilocks: state of 12 elements, rate 8, capacity 4, digest 4, 7 rounds, alpha = 7.
 *
 * The three variants of Rp64_256 (winter-crypto) differ in state layout and MDS matrix (docs/hashes.md). This file has what
 * they share; the variants are in rp64_256_v1.h and so on.
 *
 * A round: x^7 on every cell; MDS; + ARK1; x^(1/7) on every cell; MDS; + ARK2. The S-boxes are 95 % of the work; they are 12
 * independent chains of multiplications. */
#ifndef MKZ_RESCUE_PRIME_H
#define MKZ_RESCUE_PRIME_H

#include "../context.h"
#include "../words/goldilocks.h"
#include "rescue_prime_constants.h"

#define MKZ_RP_WIDTH 12
#define MKZ_RP_RATE 8
#define MKZ_RP_ROUNDS 7
#define MKZ_RP_DIGEST 4

/* Number of cells whose x^(1/7) chains are computed in step: enough to hide the latency of a multiplication, few enough to
 * stay in registers. Divides 12. */
#ifndef MKZ_RP_CELLS
#if MKZ_NVIDIA_PTX
#define MKZ_RP_CELLS 3
#else
#define MKZ_RP_CELLS 12
#endif
#endif

/* 1: an S-box works on the first MKZ_RP_CELLS cells and then rotates the state by as many cells. So no cell is chosen at run
 * time: on a GPU the state stays in registers, and a small loop serves all cells. 0: it goes through the state in memory. */
#ifndef MKZ_RP_TURN
#ifdef MKZ_TARGET_CUDA
#define MKZ_RP_TURN 1
#else
#define MKZ_RP_TURN MKZ_NVIDIA_PTX
#endif
#endif

/* out[k] = x[k]^(2^n) * y[k] for k < cells, where `cells` is a constant. out may be x or y. */
MKZ_FN void mkz_rp_power(mkz_gl *out, const mkz_gl *x, int n, const mkz_gl *y, int cells) {
    mkz_gl t[MKZ_RP_WIDTH] = {0};
    MKZ_UNROLL for (int k = 0; k < cells; k++) t[k] = x[k];
    MKZ_NO_UNROLL for (int i = 0; i < n; i++) { MKZ_UNROLL for (int k = 0; k < cells; k++) t[k] = mkz_gl_square(t[k]); }
    MKZ_UNROLL for (int k = 0; k < cells; k++) out[k] = mkz_gl_mul(t[k], y[k]);
}

/* x[k] = x[k]^(1/7) for k < cells: the power 10540996611094048183. Its bits, from the highest, are (100)^10 0 (011)^10 0111. It
 * takes 63 squarings and 9 products. The comments give the power reached so far, in bits. */
MKZ_FN void mkz_rp_root7(mkz_gl *x, int cells) {
    mkz_gl low[MKZ_RP_WIDTH], t[MKZ_RP_WIDTH], u[MKZ_RP_WIDTH];
    MKZ_UNROLL for (int k = 0; k < cells; k++) {
        mkz_gl x2 = mkz_gl_square(x[k]);
        t[k] = mkz_gl_square(x2);                        /* 100 */
        low[k] = mkz_gl_mul(mkz_gl_mul(x2, t[k]), x[k]); /* 111 */
    }
    mkz_rp_power(t, t, 3, t, cells);  /* (100)^2 */
    mkz_rp_power(u, t, 6, t, cells);  /* (100)^4 */
    mkz_rp_power(u, u, 12, u, cells); /* (100)^8 */
    mkz_rp_power(u, u, 6, t, cells);  /* (100)^10 */
    mkz_rp_power(t, u, 31, u, cells); /* (100)^10 0 (100)^10 */
    mkz_rp_power(t, t, 1, u, cells);  /* (100)^10 0 (011)^10 0; its lower half is (100)^10 0 + (100)^10 */
    mkz_rp_power(x, t, 2, low, cells);
}

#if MKZ_RP_TURN
MKZ_FN void mkz_rp_turn(mkz_gl s[MKZ_RP_WIDTH]) {
    mkz_gl t[MKZ_RP_CELLS];
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_CELLS; k++) t[k] = s[k];
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH - MKZ_RP_CELLS; k++) s[k] = s[k + MKZ_RP_CELLS];
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_CELLS; k++) s[MKZ_RP_WIDTH - MKZ_RP_CELLS + k] = t[k];
}

MKZ_FN void mkz_rp_pow7_state(mkz_gl s[MKZ_RP_WIDTH]) {
    MKZ_NO_UNROLL for (int i = 0; i < MKZ_RP_WIDTH; i += MKZ_RP_CELLS) {
        MKZ_UNROLL for (int k = 0; k < MKZ_RP_CELLS; k++) s[k] = mkz_gl_pow7(s[k]);
        mkz_rp_turn(s);
    }
}

MKZ_FN void mkz_rp_root7_state(mkz_gl s[MKZ_RP_WIDTH]) {
    MKZ_NO_UNROLL for (int i = 0; i < MKZ_RP_WIDTH; i += MKZ_RP_CELLS) {
        mkz_rp_root7(s, MKZ_RP_CELLS);
        mkz_rp_turn(s);
    }
}
#else
MKZ_FN void mkz_rp_pow7_state(mkz_gl s[MKZ_RP_WIDTH]) {
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH; k++) s[k] = mkz_gl_pow7(s[k]);
}

MKZ_FN void mkz_rp_root7_state(mkz_gl s[MKZ_RP_WIDTH]) {
    for (int k = 0; k < MKZ_RP_WIDTH; k += MKZ_RP_CELLS) mkz_rp_root7(s + k, MKZ_RP_CELLS);
}
#endif

/* The circulant MDS on one 32-bit half of the state: y[i] = sum over m of c[m] x[i + m mod 12], c = 7, 23, 8, 26, 13, 10, 9, 7,
 * 6, 22, 21, 8. It is split mod z^6 - 1 and z^6 + 1, and the first part again mod z^3 - 1 and z^3 + 1. Then every coefficient
 * is a power of two (the generator of the constants checks this), so only shifts and additions are needed. x < 2^32,
 * y < 160 * 2^32. Intermediate differences may wrap below zero; the last sums undo it. */
MKZ_FN void mkz_rp_circulant(mkz_lane64 y[MKZ_RP_WIDTH], const mkz_lane64 x[MKZ_RP_WIDTH]) {
    mkz_lane64 a[3], b[3], w[6], p[6], n[6];
    MKZ_UNROLL for (int k = 0; k < 3; k++) {
        mkz_lane64 u = x[k] + x[k + 6], v = x[k + 3] + x[k + 9];
        a[k] = u + v;
        b[k] = u - v;
        w[k] = x[k] - x[k + 6];
        w[k + 3] = x[k + 3] - x[k + 9];
    }
    /* mod z^3 - 1: 16, 16, 8; mod z^3 + 1: -8, -1, -1 */
    p[0] = ((a[0] + a[1]) << 4) + (a[2] << 3);
    p[1] = ((a[1] + a[2]) << 4) + (a[0] << 3);
    p[2] = ((a[2] + a[0]) << 4) + (a[1] << 3);
    a[0] = (b[0] << 3) + b[1] + b[2];
    a[1] = (b[1] << 3) + b[2] - b[0];
    a[2] = (b[2] << 3) - b[0] - b[1];
    MKZ_UNROLL for (int k = 0; k < 3; k++) {
        p[k + 3] = p[k] + a[k];
        p[k] = p[k] - a[k];
    }
    /* mod z^6 + 1: -1, 8, 1, 2, -4, 1 */
    n[0] = (w[1] << 3) - w[0] + w[2] + (w[3] << 1) - (w[4] << 2) + w[5];
    n[1] = (w[2] << 3) - w[1] + w[3] + (w[4] << 1) - (w[5] << 2) - w[0];
    n[2] = (w[3] << 3) - w[2] + w[4] + (w[5] << 1) + (w[0] << 2) - w[1];
    n[3] = (w[4] << 3) - w[3] + w[5] - (w[0] << 1) + (w[1] << 2) - w[2];
    n[4] = (w[5] << 3) - w[4] - w[0] - (w[1] << 1) + (w[2] << 2) - w[3];
    n[5] = (w[3] << 2) - w[5] - (w[0] << 3) - w[1] - (w[2] << 1) - w[4];
    MKZ_UNROLL for (int k = 0; k < 6; k++) {
        y[k] = p[k] + n[k];
        y[k + 6] = p[k] - n[k];
    }
}

/* 1: the rows of the dense MDS are unrolled, so that their results stay in registers. 0: a loop, where code size matters. */
#ifndef MKZ_RP_UNROLL_ROWS
#if defined(MKZ_TARGET_CUDA) || MKZ_CONSTANTS == 1
#define MKZ_RP_UNROLL_ROWS 1
#else
#define MKZ_RP_UNROLL_ROWS 0
#endif
#endif
#if MKZ_RP_UNROLL_ROWS
#define MKZ_RP_ROWS MKZ_UNROLL
#else
#define MKZ_RP_ROWS MKZ_NO_UNROLL
#endif

#define MKZ_RP_PLACED(name) mkz_rp_##name
#define MKZ_RP_SPACE MKZ_CONSTANT
#define MKZ_RP_LIMB_WORD mkz_u32
#define MKZ_RP_LIMB(mds, j) (mds)[j]
#include "rescue_prime_permutation.h"
#undef MKZ_RP_PLACED
#undef MKZ_RP_SPACE
#undef MKZ_RP_LIMB_WORD
#undef MKZ_RP_LIMB

MKZ_FN_CALL void mkz_rp_permute_circulant(mkz_gl s[MKZ_RP_WIDTH]) {
    mkz_rp_rounds_circulant(s, MKZ_RP_ARK, MKZ_RP_MDS_DENSE);
}
MKZ_FN_CALL void mkz_rp_permute_dense(mkz_gl s[MKZ_RP_WIDTH]) { mkz_rp_rounds_dense(s, MKZ_RP_ARK, MKZ_RP_MDS_DENSE); }

/* For kernels, with the constants where MKZ_CONSTANTS says. A table is MKZ_RP_ARK, then MKZ_RP_MDS_DENSE as little-endian words. */
#define MKZ_RP_ARK_WORDS (2 * MKZ_RP_ROUNDS * MKZ_RP_WIDTH)
#if MKZ_CONSTANTS == 4
#define MKZ_RP_SPACE MKZ_LOCAL
#else
#define MKZ_RP_SPACE MKZ_GLOBAL
#endif
#if MKZ_CONSTANTS >= 3
#define MKZ_RP_PLACED(name) mkz_rp_placed_##name
#define MKZ_RP_LIMB_WORD mkz_u64
#define MKZ_RP_LIMB(mds, j) ((mkz_u32)((mds)[(j) / 2] >> 32 * ((j) % 2)))
#include "rescue_prime_permutation.h"
#undef MKZ_RP_PLACED
#define MKZ_RP_PLACE(function) mkz_rp_placed_##function
#define MKZ_RP_TABLES(table) (table), (table) + MKZ_RP_ARK_WORDS
#define MKZ_RP_PERMUTE_BY(matrix, s, table) MKZ_JOIN(mkz_rp_placed_rounds_, matrix)(s, MKZ_RP_TABLES(table))
#else
#define MKZ_RP_PLACE(function) mkz_rp_##function
#define MKZ_RP_TABLES(table) MKZ_RP_ARK, MKZ_RP_MDS_DENSE
#define MKZ_RP_PERMUTE_BY(matrix, s, table) ((void)(table), MKZ_JOIN(mkz_rp_permute_, matrix)(s))
#endif

/* Word i of a table. */
MKZ_FN mkz_u64 mkz_rp_table_word(mkz_u32 i) {
    mkz_u32 limb = 2 * (i - MKZ_RP_ARK_WORDS);
    return i < MKZ_RP_ARK_WORDS ? MKZ_RP_ARK[i] : MKZ_RP_MDS_DENSE[limb] | (mkz_u64)MKZ_RP_MDS_DENSE[limb + 1] << 32;
}

#endif /* MKZ_RESCUE_PRIME_H */
