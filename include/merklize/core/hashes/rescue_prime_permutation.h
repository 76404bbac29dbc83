/* rescue_prime_permutation.h: linear layers and rounds of Rescue Prime, for constants in one address space.
 * rescue_prime.h includes it once for each address space:
 *
 *   MKZ_RP_PLACED(name)   the functions' names
 *   MKZ_RP_SPACE          address space of the tables that they take
 *   MKZ_RP_LIMB(mds, j)   limb j of the dense MDS, in a table of words of type MKZ_RP_LIMB_WORD */

/* The 12 constants added after MDS number h of the permutation, 0 <= h < 14. */
MKZ_FN void MKZ_RP_PLACED(round_constants)(mkz_u64 c[MKZ_RP_WIDTH], MKZ_RP_SPACE const mkz_u64 *ark, int h) {
#if MKZ_CONSTANTS == 1
    (void)ark;
    MKZ_UNROLL for (int i = 0; i < 2 * MKZ_RP_ROUNDS; i++) {
        if (i == h) {
            MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH; k++) c[k] = MKZ_RP_ARK[MKZ_RP_WIDTH * i + k];
        }
    }
#else
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH; k++) c[k] = ark[MKZ_RP_WIDTH * h + k];
#endif
}

/* s = circulant MDS * s + c; c: 12 canonical words. Adding the constants by halves costs no carry. */
MKZ_FN void MKZ_RP_PLACED(mds_circulant)(mkz_gl s[MKZ_RP_WIDTH], const mkz_u64 c[MKZ_RP_WIDTH],
                                         MKZ_RP_SPACE const MKZ_RP_LIMB_WORD *mds) {
    mkz_lane64 lo[MKZ_RP_WIDTH], hi[MKZ_RP_WIDTH];
    (void)mds;
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH; k++) {
        lo[k] = s[k] & MKZ_SPLAT64(MKZ_GL_E);
        hi[k] = s[k] >> 32;
    }
    mkz_rp_circulant(lo, lo);
    mkz_rp_circulant(hi, hi);
    MKZ_UNROLL for (int i = 0; i < MKZ_RP_WIDTH; i++) s[i] =
        mkz_gl_join(lo[i] + MKZ_SPLAT64(c[i] & MKZ_GL_E), hi[i] + MKZ_SPLAT64(c[i] >> 32));
}

/* Row i of dense MDS * s + c, with s in halves. x = x0 + 2^32 x1 times m is m x0 + (2^32 m) x1. The table has m and
 * 2^32 m in limbs of at most 22 bits. So 24 products of 54 bits add up in one word, and a row is reduced only once. */
MKZ_FN mkz_gl MKZ_RP_PLACED(row_dense)(const mkz_lane64 low[MKZ_RP_WIDTH], const mkz_lane64 high[MKZ_RP_WIDTH],
                                       mkz_u64 c, int i, MKZ_RP_SPACE const MKZ_RP_LIMB_WORD *mds, mkz_gl after) {
    mkz_lane64 a0 = MKZ_AFTER(MKZ_SPLAT64(c & MKZ_GL_E), after), a1 = MKZ_AFTER(MKZ_SPLAT64((c >> 32) << 10), after);
    mkz_lane64 a2 = MKZ_AFTER(MKZ_SPLAT64(0), after), lo;
    (void)after;
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH; k++) {
        int m = (i * MKZ_RP_WIDTH + k) * 6;
        a0 = MKZ_MUL_ADD32(MKZ_MUL_ADD32(a0, low[k], MKZ_RP_LIMB(mds, m + 0)), high[k], MKZ_RP_LIMB(mds, m + 3));
        a1 = MKZ_MUL_ADD32(MKZ_MUL_ADD32(a1, low[k], MKZ_RP_LIMB(mds, m + 1)), high[k], MKZ_RP_LIMB(mds, m + 4));
        a2 = MKZ_MUL_ADD32(MKZ_MUL_ADD32(a2, low[k], MKZ_RP_LIMB(mds, m + 2)), high[k], MKZ_RP_LIMB(mds, m + 5));
    }
    /* a0 + 2^22 a1 + 2^43 a2, each < 2^59. Gather the part below 2^43 first, so that only one carry is left. */
    a1 = a1 + (a0 >> 22);
    a2 = a2 + (a1 >> 21);
    lo = (a0 & MKZ_SPLAT64(0x3fffff)) | ((a1 & MKZ_SPLAT64(0x1fffff)) << 22) | (a2 << 43);
    return mkz_gl_reduce(lo, a2 >> 21);
}

/* s = dense MDS * s + c. */
MKZ_FN void MKZ_RP_PLACED(mds_dense)(mkz_gl s[MKZ_RP_WIDTH], const mkz_u64 c[MKZ_RP_WIDTH],
                                     MKZ_RP_SPACE const MKZ_RP_LIMB_WORD *mds) {
    mkz_gl out[MKZ_RP_WIDTH];
    mkz_lane64 high[MKZ_RP_WIDTH];
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH; k++) high[k] = s[k] >> 32;
    MKZ_RP_ROWS for (int i = 0; i < MKZ_RP_WIDTH; i++) out[i] =
        MKZ_RP_PLACED(row_dense)(s, high, c[i], i, mds, i == 0 ? s[0] : out[i - 1]);
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH; k++) s[k] = out[k];
}

/* Row i of MDS number h, from cells in local memory: the part of one item of a team (rescue_prime_variant.h). */
#if MKZ_TEAMS && MKZ_LANES == 1
MKZ_BODY mkz_u64 MKZ_RP_PLACED(team_row_circulant)(MKZ_LOCAL const mkz_u64 *cells, int i, int h,
                                                   MKZ_RP_SPACE const mkz_u64 *ark,
                                                   MKZ_RP_SPACE const MKZ_RP_LIMB_WORD *mds) {
    const mkz_u32 coefficients[MKZ_RP_WIDTH] = {7, 23, 8, 26, 13, 10, 9, 7, 6, 22, 21, 8};
    mkz_u64 c = ark[MKZ_RP_WIDTH * h + i], lo = c & MKZ_GL_E, hi = c >> 32;
    (void)mds;
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH; k++) {
        mkz_u64 x = cells[i + k < MKZ_RP_WIDTH ? i + k : i + k - MKZ_RP_WIDTH];
        lo = MKZ_MUL_ADD32(lo, x, coefficients[k]);
        hi = MKZ_MUL_ADD32(hi, x >> 32, coefficients[k]);
    }
    return mkz_gl_join(lo, hi);
}

MKZ_BODY mkz_u64 MKZ_RP_PLACED(team_row_dense)(MKZ_LOCAL const mkz_u64 *cells, int i, int h,
                                               MKZ_RP_SPACE const mkz_u64 *ark,
                                               MKZ_RP_SPACE const MKZ_RP_LIMB_WORD *mds) {
    mkz_u64 lo[MKZ_RP_WIDTH], hi[MKZ_RP_WIDTH];
    MKZ_UNROLL for (int k = 0; k < MKZ_RP_WIDTH; k++) {
        lo[k] = cells[k] & MKZ_GL_E;
        hi[k] = cells[k] >> 32;
    }
    return MKZ_RP_PLACED(row_dense)(lo, hi, ark[MKZ_RP_WIDTH * h + i], i, mds, 0);
}
#endif

/* The seven rounds as fourteen halves, each an S-box and an MDS, so that one copy of the MDS serves both. For either
 * matrix. */
#define MKZ_RP_ROUNDS_WITH(matrix)                                                                      \
    MKZ_FN void MKZ_RP_PLACED(rounds_##matrix)(mkz_gl s[MKZ_RP_WIDTH], MKZ_RP_SPACE const mkz_u64 *ark, \
                                               MKZ_RP_SPACE const MKZ_RP_LIMB_WORD *mds) {              \
        MKZ_NO_UNROLL for (int h = 0; h < 2 * MKZ_RP_ROUNDS; h++) {                                     \
            mkz_u64 c[MKZ_RP_WIDTH] = {0};                                                              \
            if (h % 2 == 0)                                                                             \
                mkz_rp_pow7_state(s);                                                                   \
            else                                                                                        \
                mkz_rp_root7_state(s);                                                                  \
            MKZ_RP_PLACED(round_constants)(c, ark, h);                                                  \
            MKZ_RP_PLACED(mds_##matrix)(s, c, mds);                                                     \
        }                                                                                               \
    }
MKZ_RP_ROUNDS_WITH(circulant)
MKZ_RP_ROUNDS_WITH(dense)
#undef MKZ_RP_ROUNDS_WITH
