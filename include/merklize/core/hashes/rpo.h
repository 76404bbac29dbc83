/* rpo.h: the permutations of RPO256 and RPX256, over the S-boxes and the circulant MDS of rescue_prime.h.
 * docs/hashes.md has the definition.
 *
 * RPO's seven rounds: MDS; + ARK1; x^7 on every cell; MDS; + ARK2; x^(1/7) on every cell. In RPX rounds 1, 3 and 5 are
 * products in a cubic extension instead, and round 6 is one MDS; + ARK1. */
#ifndef MKZ_RPO_H
#define MKZ_RPO_H

#include "rescue_prime.h"

/* Constants of Rpo256 and Rpx256 of miden-crypto (MIT or Apache-2.0). */
/* Written by scripts/generate_hash_constants.py; do not edit. */
/* clang-format off */
/* [round][half][cell]: half 0 = ARK1, half 1 = ARK2. Canonical. */
MKZ_TABLE mkz_u64 MKZ_RPO_ARK[7 * 2 * 12] = {
    MKZ_U64(5789762306288267392), MKZ_U64(6522564764413701783), MKZ_U64(17809893479458208203), MKZ_U64(107145243989736508),
    MKZ_U64(6388978042437517382), MKZ_U64(15844067734406016715), MKZ_U64(9975000513555218239), MKZ_U64(3344984123768313364),
    MKZ_U64(9959189626657347191), MKZ_U64(12960773468763563665), MKZ_U64(9602914297752488475), MKZ_U64(16657542370200465908),
    MKZ_U64(6077062762357204287), MKZ_U64(15277620170502011191), MKZ_U64(5358738125714196705), MKZ_U64(14233283787297595718),
    MKZ_U64(13792579614346651365), MKZ_U64(11614812331536767105), MKZ_U64(14871063686742261166), MKZ_U64(10148237148793043499),
    MKZ_U64(4457428952329675767), MKZ_U64(15590786458219172475), MKZ_U64(10063319113072092615), MKZ_U64(14200078843431360086),
    MKZ_U64(12987190162843096997), MKZ_U64(653957632802705281), MKZ_U64(4441654670647621225), MKZ_U64(4038207883745915761),
    MKZ_U64(5613464648874830118), MKZ_U64(13222989726778338773), MKZ_U64(3037761201230264149), MKZ_U64(16683759727265180203),
    MKZ_U64(8337364536491240715), MKZ_U64(3227397518293416448), MKZ_U64(8110510111539674682), MKZ_U64(2872078294163232137),
    MKZ_U64(6202948458916099932), MKZ_U64(17690140365333231091), MKZ_U64(3595001575307484651), MKZ_U64(373995945117666487),
    MKZ_U64(1235734395091296013), MKZ_U64(14172757457833931602), MKZ_U64(707573103686350224), MKZ_U64(15453217512188187135),
    MKZ_U64(219777875004506018), MKZ_U64(17876696346199469008), MKZ_U64(17731621626449383378), MKZ_U64(2897136237748376248),
    MKZ_U64(18072785500942327487), MKZ_U64(6200974112677013481), MKZ_U64(17682092219085884187), MKZ_U64(10599526828986756440),
    MKZ_U64(975003873302957338), MKZ_U64(8264241093196931281), MKZ_U64(10065763900435475170), MKZ_U64(2181131744534710197),
    MKZ_U64(6317303992309418647), MKZ_U64(1401440938888741532), MKZ_U64(8884468225181997494), MKZ_U64(13066900325715521532),
    MKZ_U64(8023374565629191455), MKZ_U64(15013690343205953430), MKZ_U64(4485500052507912973), MKZ_U64(12489737547229155153),
    MKZ_U64(9500452585969030576), MKZ_U64(2054001340201038870), MKZ_U64(12420704059284934186), MKZ_U64(355990932618543755),
    MKZ_U64(9071225051243523860), MKZ_U64(12766199826003448536), MKZ_U64(9045979173463556963), MKZ_U64(12934431667190679898),
    MKZ_U64(5674685213610121970), MKZ_U64(5759084860419474071), MKZ_U64(13943282657648897737), MKZ_U64(1352748651966375394),
    MKZ_U64(17110913224029905221), MKZ_U64(1003883795902368422), MKZ_U64(4141870621881018291), MKZ_U64(8121410972417424656),
    MKZ_U64(14300518605864919529), MKZ_U64(13712227150607670181), MKZ_U64(17021852944633065291), MKZ_U64(6252096473787587650),
    MKZ_U64(18389244934624494276), MKZ_U64(16731736864863925227), MKZ_U64(4440209734760478192), MKZ_U64(17208448209698888938),
    MKZ_U64(8739495587021565984), MKZ_U64(17000774922218161967), MKZ_U64(13533282547195532087), MKZ_U64(525402848358706231),
    MKZ_U64(16987541523062161972), MKZ_U64(5466806524462797102), MKZ_U64(14512769585918244983), MKZ_U64(10973956031244051118),
    MKZ_U64(4887609836208846458), MKZ_U64(3027115137917284492), MKZ_U64(9595098600469470675), MKZ_U64(10528569829048484079),
    MKZ_U64(7864689113198939815), MKZ_U64(17533723827845969040), MKZ_U64(5781638039037710951), MKZ_U64(17024078752430719006),
    MKZ_U64(109659393484013511), MKZ_U64(7158933660534805869), MKZ_U64(2955076958026921730), MKZ_U64(7433723648458773977),
    MKZ_U64(6982293561042362913), MKZ_U64(14065426295947720331), MKZ_U64(16451845770444974180), MKZ_U64(7139138592091306727),
    MKZ_U64(9012006439959783127), MKZ_U64(14619614108529063361), MKZ_U64(1394813199588124371), MKZ_U64(4635111139507788575),
    MKZ_U64(16217473952264203365), MKZ_U64(10782018226466330683), MKZ_U64(6844229992533662050), MKZ_U64(7446486531695178711),
    MKZ_U64(16308865189192447297), MKZ_U64(11977192855656444890), MKZ_U64(12532242556065780287), MKZ_U64(14594890931430968898),
    MKZ_U64(7291784239689209784), MKZ_U64(5514718540551361949), MKZ_U64(10025733853830934803), MKZ_U64(7293794580341021693),
    MKZ_U64(6728552937464861756), MKZ_U64(6332385040983343262), MKZ_U64(13277683694236792804), MKZ_U64(2600778905124452676),
    MKZ_U64(3736792340494631448), MKZ_U64(577852220195055341), MKZ_U64(6689998335515779805), MKZ_U64(13886063479078013492),
    MKZ_U64(14358505101923202168), MKZ_U64(7744142531772274164), MKZ_U64(16135070735728404443), MKZ_U64(12290902521256031137),
    MKZ_U64(12059913662657709804), MKZ_U64(16456018495793751911), MKZ_U64(4571485474751953524), MKZ_U64(17200392109565783176),
    MKZ_U64(7123075680859040534), MKZ_U64(1034205548717903090), MKZ_U64(7717824418247931797), MKZ_U64(3019070937878604058),
    MKZ_U64(11403792746066867460), MKZ_U64(10280580802233112374), MKZ_U64(337153209462421218), MKZ_U64(13333398568519923717),
    MKZ_U64(3596153696935337464), MKZ_U64(8104208463525993784), MKZ_U64(14345062289456085693), MKZ_U64(17036731477169661256),
    MKZ_U64(17130398059294018733), MKZ_U64(519782857322261988), MKZ_U64(9625384390925085478), MKZ_U64(1664893052631119222),
    MKZ_U64(7629576092524553570), MKZ_U64(3485239601103661425), MKZ_U64(9755891797164033838), MKZ_U64(15218148195153269027),
    MKZ_U64(16460604813734957368), MKZ_U64(9643968136937729763), MKZ_U64(3611348709641382851), MKZ_U64(18256379591337759196),
};
/* clang-format on */

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

/* Elements a0 + a1 x + a2 x^2 of F[x] / (x^3 - x - 1). With v_i = a_i b_i and m_ij = (a_i + a_j) (b_i + b_j) the
 * product is v0 - v1 - v2 + m12, -v0 - 2 v1 + m01 + m12, -v0 + v1 + m02. */
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
/* A merge by a team of 16 items as in rescue_prime_variant.h: item `cell` has x of the state before the permutation,
 * and returns its cell of the state after it, canonical. */
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
