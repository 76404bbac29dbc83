/* rpo.h: the permutations of RPO256 and RPX256, over the S-boxes and the circulant MDS of rescue_prime.h. docs/hashes.md has the
 * definition.
 *
 * RPO's seven rounds: MDS; + ARK1; x^7 on every cell; MDS; + ARK2; x^(1/7) on every cell. In RPX rounds 1, 3 and 5 are products in a
 * cubic extension instead, and round 6 is one MDS; + ARK1. */
#ifndef MKZ_RPO_H
#define MKZ_RPO_H

#include "rescue_prime.h"
#include "rpo_constants.h"

/* s = MDS * s + the constants of half h of the 14. */
MKZ_FN void mkz_rpo_mds(mkz_gl s[MKZ_RP_WIDTH], int h) {
    mkz_u64 c[MKZ_RP_WIDTH] = {0};
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH; k++) c[k] = MKZ_RPO_ARK[MKZ_RP_WIDTH * h + k];
    mkz_rp_mds_circulant(s, c, MKZ_RP_MDS_DENSE);
}

MKZ_FN void mkz_rpo_half_round(mkz_gl s[MKZ_RP_WIDTH], int h) {
    mkz_rpo_mds(s, h);
    if (h % 2 == 0)
        mkz_rp_pow7_state(s);
    else
        mkz_rp_root7_state(s);
}

MKZ_FN_CALL void mkz_rpo_permute(mkz_gl s[MKZ_RP_WIDTH]) {
    MKZ_NO_UNROLL for (int h = 0; h < 2 * MKZ_RP_ROUNDS; h++) mkz_rpo_half_round(s, h);
}

/* Elements a0 + a1 x + a2 x^2 of F[x] / (x^3 - x - 1). With v_i = a_i b_i and m_ij = (a_i + a_j) (b_i + b_j) the product is
 * v0 - v1 - v2 + m12, -v0 - 2 v1 + m01 + m12, -v0 + v1 + m02. */
MKZ_FN void mkz_rpx_mul(mkz_gl out[3], const mkz_gl a[3], const mkz_gl b[3]) {
    mkz_gl a1 = mkz_gl_canonical(a[1]), a2 = mkz_gl_canonical(a[2]), b1 = mkz_gl_canonical(b[1]),
           b2 = mkz_gl_canonical(b[2]);
    mkz_gl p[6], lo[6], hi[6];
    p[0] = mkz_gl_mul(a[0], b[0]);
    p[1] = mkz_gl_mul(a1, b1);
    p[2] = mkz_gl_mul(a2, b2);
    p[3] = mkz_gl_mul(mkz_gl_add(a[0], a1), mkz_gl_add(b[0], b1));
    p[4] = mkz_gl_mul(mkz_gl_add(a[0], a2), mkz_gl_add(b[0], b2));
    p[5] = mkz_gl_mul(mkz_gl_add(a1, a2), mkz_gl_add(b1, b2));
    MKZ_UNROLL for (int k = 0; k < 6; k++) {
        lo[k] = p[k] & MKZ_SPLAT64(MKZ_GL_E);
        hi[k] = p[k] >> 32;
    }
    out[0] = mkz_gl_join_signed(lo[0] - lo[1] - lo[2] + lo[5], hi[0] - hi[1] - hi[2] + hi[5], 0);
    out[1] = mkz_gl_join_signed(lo[3] + lo[5] - lo[0] - (lo[1] << 1), hi[3] + hi[5] - hi[0] - (hi[1] << 1), 0);
    out[2] = mkz_gl_join_signed(lo[1] - lo[0] + lo[4], hi[1] - hi[0] + hi[4], 0);
}

/* a^7. */
MKZ_FN void mkz_rpx_pow7(mkz_gl a[3]) {
    mkz_gl t[3];
    mkz_rpx_mul(t, a, a);
    mkz_rpx_mul(t, t, a);
    mkz_rpx_mul(t, t, t);
    mkz_rpx_mul(a, t, a);
}

MKZ_FN_CALL void mkz_rpx_permute(mkz_gl s[MKZ_RP_WIDTH]) {
    MKZ_NO_UNROLL for (int h = 0; h < 2 * MKZ_RP_ROUNDS - 2; h++) {
        if (h % 4 < 2) {
            mkz_rpo_half_round(s, h);
        } else if (h % 4 == 2) {
            MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH; k++) s[k] =
                mkz_gl_add(s[k], MKZ_SPLAT64(MKZ_RPO_ARK[MKZ_RP_WIDTH * h + k]));
            MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH; k += 3) mkz_rpx_pow7(s + k);
        }
    }
    mkz_rpo_mds(s, 2 * MKZ_RP_ROUNDS - 2);
}

#if MKZ_TEAMS && MKZ_LANES == 1
/* A merge by a team of 16 items as in rescue_prime_variant.h: item `cell` has x of the state before the permutation, and returns its
 * cell of the state after it, canonical. */
MKZ_BODY mkz_u64 mkz_rpo_team_mds(mkz_work_item item, MKZ_LOCAL mkz_u64 *cells, mkz_u32 cell, mkz_u32 works, mkz_u64 x,
                                  int h) {
    if (works) cells[cell] = x;
    MKZ_BARRIER(item);
    if (works) x = mkz_rp_team_row_circulant(cells, (int)cell, h, MKZ_RPO_ARK, MKZ_RP_MDS_DENSE);
    MKZ_BARRIER(item);
    return x;
}

MKZ_BODY mkz_u64 mkz_rpo_team_half_round(mkz_work_item item, MKZ_LOCAL mkz_u64 *cells, mkz_u32 cell, mkz_u32 works,
                                         mkz_u64 x, int h) {
    x = mkz_rpo_team_mds(item, cells, cell, works, x, h);
    if (works && h % 2 == 0) x = mkz_gl_pow7(x);
    if (works && h % 2 != 0) mkz_rp_root7(&x, 1);
    return x;
}

MKZ_BODY mkz_u64 mkz_rpo_team(mkz_work_item item, MKZ_LOCAL mkz_u64 *cells, mkz_u32 cell, mkz_u32 works, mkz_u64 x) {
    MKZ_NO_UNROLL for (int h = 0; h < 2 * MKZ_RP_ROUNDS; h++) x =
        mkz_rpo_team_half_round(item, cells, cell, works, x, h);
    return mkz_gl_canonical(x);
}

MKZ_BODY mkz_u64 mkz_rpx_team(mkz_work_item item, MKZ_LOCAL mkz_u64 *cells, mkz_u32 cell, mkz_u32 works, mkz_u64 x) {
    MKZ_NO_UNROLL for (int h = 0; h < 2 * MKZ_RP_ROUNDS - 2; h++) {
        if (h % 4 < 2) {
            x = mkz_rpo_team_half_round(item, cells, cell, works, x, h);
        } else if (h % 4 == 2) {
            if (works) cells[cell] = mkz_gl_add(x, MKZ_RPO_ARK[MKZ_RP_WIDTH * h + cell]);
            MKZ_BARRIER(item);
            if (works) {
                mkz_u64 a[3];
                MKZ_UNROLL for (mkz_u32 k = 0; k < 3; k++) a[k] = cells[cell / 3 * 3 + k];
                mkz_rpx_pow7(a);
                x = cell % 3 == 0 ? a[0] : cell % 3 == 1 ? a[1] : a[2];
            }
            MKZ_BARRIER(item);
        }
    }
    return mkz_gl_canonical(mkz_rpo_team_mds(item, cells, cell, works, x, 2 * MKZ_RP_ROUNDS - 2));
}
#endif

#endif /* MKZ_RPO_H */
