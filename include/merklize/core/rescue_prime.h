/* rescue_prime.h: Rescue Prime over Goldilocks: state of 12 elements, rate 8, capacity 4, digest 4, 7 rounds, alpha = 7.
 *
 * The three variants of Rp64_256 (winter-crypto) differ in state layout and MDS matrix: docs/hashes.md. This file has what
 * they share, then includes rescue_prime_variant.h once a variant for mkz_rp64_256_v1_permute, _merge, _absorb and so on.
 *
 * A round: x^7 on every cell; MDS; + ARK1; x^(1/7) on every cell; MDS; + ARK2. The S-boxes are 95 % of the work and 12
 * independent chains of multiplications. */
#ifndef MKZ_RESCUE_PRIME_H
#define MKZ_RESCUE_PRIME_H

#include "goldilocks.h"
#include "rescue_prime_constants.h"

#define MKZ_RP_WIDTH 12
#define MKZ_RP_RATE 8
#define MKZ_RP_ROUNDS 7
#define MKZ_RP_DIGEST 4

/* Cells whose x^(1/7) chains are stepped together: enough to hide the latency of a multiplication, few enough to stay in
 * registers. Divides 12. */
#ifndef MKZ_RP_CELLS
#define MKZ_RP_CELLS 12
#endif

/* out[k] = x[k]^(2^n) * y[k] for MKZ_RP_CELLS cells; out may be x or y. */
MKZ_FN void mkz_rp_power(mkz_gl out[MKZ_RP_CELLS], const mkz_gl x[MKZ_RP_CELLS], int n, const mkz_gl y[MKZ_RP_CELLS]) {
    mkz_gl t[MKZ_RP_CELLS];
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_CELLS; k++) t[k] = x[k];
    MKZ_NO_UNROLL for (int i = 0; i < n; i++) {
        MKZ_UNROLL for (int k = 0; k < MKZ_RP_CELLS; k++) t[k] = mkz_gl_square(t[k]);
    }
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_CELLS; k++) out[k] = mkz_gl_mul(t[k], y[k]);
}

/* x[k] = x[k]^(1/7) for MKZ_RP_CELLS cells: the power 10540996611094048183, in bits (100)^10 0 (011)^10 0111 with the first 1
 * on top: 63 squarings and 9 products. Comments give the power reached, in bits. */
MKZ_FN void mkz_rp_root7(mkz_gl x[MKZ_RP_CELLS]) {
    mkz_gl low[MKZ_RP_CELLS], t[MKZ_RP_CELLS], u[MKZ_RP_CELLS];
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_CELLS; k++) {
        mkz_gl x2 = mkz_gl_square(x[k]);
        t[k] = mkz_gl_square(x2);                        /* 100 */
        low[k] = mkz_gl_mul(mkz_gl_mul(x2, t[k]), x[k]); /* 111 */
    }
    mkz_rp_power(t, t, 3, t);  /* (100)^2 */
    mkz_rp_power(u, t, 6, t);  /* (100)^4 */
    mkz_rp_power(u, u, 12, u); /* (100)^8 */
    mkz_rp_power(u, u, 6, t);  /* (100)^10 */
    mkz_rp_power(t, u, 31, u); /* (100)^10 0 (100)^10 */
    mkz_rp_power(t, t, 1, u);  /* (100)^10 0 (011)^10 0, its lower half being (100)^10 0 + (100)^10 */
    mkz_rp_power(x, t, 2, low);
}

MKZ_FN void mkz_rp_pow7_state(mkz_gl s[MKZ_RP_WIDTH]) {
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH; k++) s[k] = mkz_gl_pow7(s[k]);
}

MKZ_FN void mkz_rp_root7_state(mkz_gl s[MKZ_RP_WIDTH]) {
    for (int k = 0; k < MKZ_RP_WIDTH; k += MKZ_RP_CELLS) mkz_rp_root7(s + k);
}

/* The circulant MDS on one 32-bit half of the state: y[i] = sum over m of c[m] x[i + m mod 12], c = 7, 23, 8, 26, 13, 10, 9, 7,
 * 6, 22, 21, 8. Split mod z^6 - 1 and z^6 + 1, and the first again mod z^3 - 1 and z^3 + 1, every coefficient is a power of
 * two (the generator of the constants checks this): shifts and additions only. x < 2^32, y < 160 * 2^32; differences may wrap
 * below zero on the way, the last sums undo it. */
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

/* s = circulant MDS * s + ark; ark: 12 canonical words. */
MKZ_FN void mkz_rp_mds_circulant(mkz_gl s[MKZ_RP_WIDTH], MKZ_CONSTANT const mkz_u64 *ark) {
    mkz_lane64 lo[MKZ_RP_WIDTH], hi[MKZ_RP_WIDTH];
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH; k++) {
        lo[k] = s[k] & MKZ_SPLAT64(MKZ_GL_E);
        hi[k] = s[k] >> 32;
    }
    mkz_rp_circulant(lo, lo);
    mkz_rp_circulant(hi, hi);
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH; k++) {
        /* Adding the constant by halves costs no carry: lo + 2^32 hi with both below 2^41. */
        mkz_lane64 l = lo[k] + MKZ_SPLAT64(ark[k] & MKZ_GL_E), h = hi[k] + MKZ_SPLAT64(ark[k] >> 32);
        mkz_lane64 top = h >> 32, low = h << 32;
        mkz_lane64 r = l + (top << 32) - top + low;
        s[k] = r + (MKZ_LT_MASK(r, low) & MKZ_SPLAT64(MKZ_GL_E));
    }
}

/* s = dense MDS * s + ark. x = x0 + 2^32 x1 times m is m x0 + (2^32 m) x1; with both factors m in limbs of at most 22 bits
 * (the table), 24 products of 54 bits add up in one word, and a row is reduced once. */
MKZ_FN void mkz_rp_mds_dense(mkz_gl s[MKZ_RP_WIDTH], MKZ_CONSTANT const mkz_u64 *ark) {
    mkz_gl out[MKZ_RP_WIDTH];
    mkz_lane64 high[MKZ_RP_WIDTH];
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH; k++) high[k] = s[k] >> 32;
    MKZ_NO_UNROLL for (int i = 0; i < MKZ_RP_WIDTH; i++) {
        mkz_lane64 a0 = MKZ_SPLAT64(ark[i] & MKZ_GL_E), a1 = MKZ_SPLAT64((ark[i] >> 32) << 10), a2 = MKZ_SPLAT64(0);
        mkz_lane64 lo, t;
        MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH; k++) {
            MKZ_CONSTANT const mkz_u32 *m = MKZ_RP_MDS_DENSE + (i * MKZ_RP_WIDTH + k) * 6;
            a0 = a0 + MKZ_MUL32(s[k], MKZ_SPLAT64(m[0])) + MKZ_MUL32(high[k], MKZ_SPLAT64(m[3]));
            a1 = a1 + MKZ_MUL32(s[k], MKZ_SPLAT64(m[1])) + MKZ_MUL32(high[k], MKZ_SPLAT64(m[4]));
            a2 = a2 + MKZ_MUL32(s[k], MKZ_SPLAT64(m[2])) + MKZ_MUL32(high[k], MKZ_SPLAT64(m[5]));
        }
        /* a0 + 2^22 a1 + 2^43 a2, each < 2^59: gather what lies below 2^43 first, so that only one carry is left. */
        a1 = a1 + (a0 >> 22);
        a2 = a2 + (a1 >> 21);
        lo = (a0 & MKZ_SPLAT64(0x3fffff)) | ((a1 & MKZ_SPLAT64(0x1fffff)) << 22) | (a2 << 43);
        t = a2 >> 21;
        out[i] = mkz_gl_reduce(lo, t);
    }
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH; k++) s[k] = out[k];
}

/* The permutation, in place, with either MDS. Input and output words are any 64-bit words. */
#define MKZ_RP_PERMUTE(mds)                                         \
    MKZ_FN_CALL void mkz_rp_permute_##mds(mkz_gl s[MKZ_RP_WIDTH]) { \
        MKZ_NO_UNROLL for (int r = 0; r < MKZ_RP_ROUNDS; r++) {     \
            mkz_rp_pow7_state(s);                                   \
            mkz_rp_mds_##mds(s, MKZ_RP_ARK + 24 * r);               \
            mkz_rp_root7_state(s);                                  \
            mkz_rp_mds_##mds(s, MKZ_RP_ARK + 24 * r + 12);          \
        }                                                           \
    }
MKZ_RP_PERMUTE(dense)
MKZ_RP_PERMUTE(circulant)

#define MKZ_RP_VARIANT 1
#include "rescue_prime_variant.h"
#undef MKZ_RP_VARIANT
#define MKZ_RP_VARIANT 2
#include "rescue_prime_variant.h"
#undef MKZ_RP_VARIANT
#define MKZ_RP_VARIANT 3
#include "rescue_prime_variant.h"
#undef MKZ_RP_VARIANT

#endif /* MKZ_RESCUE_PRIME_H */
