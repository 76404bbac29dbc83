/* rpjive64_256.h: RpJive64_256 of winter-crypto 0.13: Rescue Prime over Goldilocks on 8 cells. Rows go through a
 * sponge; a merge is one permutation in Jive's compression mode. docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 57
#define MKZ_UNIT_NAME rpjive64_256
#define MKZ_UNIT_WORD_BITS 64
#define MKZ_UNIT_MODULUS 0xffffffff00000001
#define MKZ_UNIT_RATE 4
#define MKZ_UNIT_STATE_WORDS 8
#define MKZ_UNIT_FILLS_BLOCK 2
#define MKZ_UNIT_FILL_BY fill /* the padding replaces cells of the rate, to which add() adds */
#define MKZ_UNIT_TEAM_ITEMS 8 /* one cell for each item */

#ifdef MKZ_RESET
#undef MKZ_RPJIVE64_256_H
#elif !defined(MKZ_HASH) && !defined(MKZ_RPJIVE64_256_H)
#define MKZ_RPJIVE64_256_H
#include "rescue_prime.h"

/* Constants of RpJive64_256 of winter-crypto (MIT). */
/* Written by scripts/generate_hash_constants.py; do not edit. */
/* clang-format off */
/* [round][half][cell]: half 0 = ARK1, half 1 = ARK2. Canonical. */
MKZ_TABLE mkz_u64 MKZ_RPJIVE_ARK[7 * 2 * 8] = {
    MKZ_U64(5250156239823432273), MKZ_U64(17991370199276831394), MKZ_U64(15363758995121189373), MKZ_U64(7550390719632034712),
    MKZ_U64(705744964663370588), MKZ_U64(14718080047998507086), MKZ_U64(15612952641514293932), MKZ_U64(8827614218997241655),
    MKZ_U64(9860068499471230379), MKZ_U64(10391494434594667033), MKZ_U64(4986587677027284267), MKZ_U64(17781977240739864050),
    MKZ_U64(6888921375142581299), MKZ_U64(8950831725295674725), MKZ_U64(17048848277806802259), MKZ_U64(14146306451370933851),
    MKZ_U64(3820104553051581938), MKZ_U64(3385456123263281593), MKZ_U64(16094709323995557719), MKZ_U64(16303336019291352506),
    MKZ_U64(8678496957982514796), MKZ_U64(498270172890916765), MKZ_U64(17676155962043649331), MKZ_U64(14993644560894569061),
    MKZ_U64(707569561928852298), MKZ_U64(6724851263229096394), MKZ_U64(16052786826295129381), MKZ_U64(1966016718617096590),
    MKZ_U64(9416027981257317341), MKZ_U64(650995073054283087), MKZ_U64(10013853213448688130), MKZ_U64(14400137552134409897),
    MKZ_U64(14258773164148374760), MKZ_U64(1655972393090532756), MKZ_U64(7105012644980738960), MKZ_U64(11852376844296856307),
    MKZ_U64(17816158174482938174), MKZ_U64(3981864273667206359), MKZ_U64(2807469273751819673), MKZ_U64(14974221859211617968),
    MKZ_U64(7149263702162640230), MKZ_U64(7096225564191267298), MKZ_U64(12197502430442379401), MKZ_U64(12804378092281676880),
    MKZ_U64(17409570408925731570), MKZ_U64(2819914464281065415), MKZ_U64(15831648359524824910), MKZ_U64(15629743966484525526),
    MKZ_U64(15947271309323471269), MKZ_U64(14698197888879866148), MKZ_U64(14077077040726269118), MKZ_U64(2859805440338816615),
    MKZ_U64(4945184696648790387), MKZ_U64(15183288803792940883), MKZ_U64(7601775560447886378), MKZ_U64(6477224812816853098),
    MKZ_U64(17953398529773387863), MKZ_U64(6198711330432012203), MKZ_U64(9157726872360640492), MKZ_U64(9493333679697066249),
    MKZ_U64(16030612341681265024), MKZ_U64(4739709630031417239), MKZ_U64(18287301685877696586), MKZ_U64(8798230489526342293),
    MKZ_U64(18213733347601447845), MKZ_U64(10031679943792626621), MKZ_U64(5971928707867502549), MKZ_U64(4916840084933933812),
    MKZ_U64(3613815642787339926), MKZ_U64(16715066477165606893), MKZ_U64(14603075385258290966), MKZ_U64(6037771699330759024),
    MKZ_U64(11624786627634502148), MKZ_U64(12924370583547723043), MKZ_U64(11192385058160295505), MKZ_U64(14350900531623057057),
    MKZ_U64(6649040255431543914), MKZ_U64(2106567763792008889), MKZ_U64(12434281915569617273), MKZ_U64(8101377239551798417),
    MKZ_U64(11092469678405138663), MKZ_U64(14512788091784891767), MKZ_U64(12690682422447262976), MKZ_U64(4807355108863118656),
    MKZ_U64(5207405791308193025), MKZ_U64(5970889292753030887), MKZ_U64(17691092604759176390), MKZ_U64(2731892623388788619),
    MKZ_U64(13925815041351874730), MKZ_U64(15981136477777934021), MKZ_U64(17398194123970783302), MKZ_U64(17377636820017036987),
    MKZ_U64(5173992930377549692), MKZ_U64(3688194845376511083), MKZ_U64(16177005022792194790), MKZ_U64(6482787365501773067),
    MKZ_U64(9320990164295747317), MKZ_U64(8313044787501051613), MKZ_U64(15388579942433649113), MKZ_U64(16827303822369113172),
    MKZ_U64(7362247368635881413), MKZ_U64(5501558211335089067), MKZ_U64(16959364163466644433), MKZ_U64(15127897185888596873),
    MKZ_U64(9197066592623932055), MKZ_U64(1777435748159421921), MKZ_U64(5079482957444239813), MKZ_U64(15080163201683705054),
    MKZ_U64(4278835591662809119), MKZ_U64(6609842793229774583), MKZ_U64(651644751771720476), MKZ_U64(14434199410773467460),
};
/* clang-format on */

#define MKZ_RPJIVE_WIDTH 8
#define MKZ_RPJIVE_DIGEST 4 /* also the first cell of the rate and of a row's digest */

/* Cells whose S-boxes are computed in step, which divide 8: for the registers of a GPU two thirds of those of a state
 * of 12, else the next more (on AVX-512 and AVX2 8 have 1.08 times the rate of 4). */
#if MKZ_RP_TURN
#define MKZ_RPJIVE_CELLS (MKZ_RP_CELLS > 1 ? 2 * MKZ_RP_CELLS / 3 : 1)
#else
#define MKZ_RPJIVE_CELLS (MKZ_RP_CELLS > 4 ? 8 : MKZ_RP_CELLS > 2 ? 4 : MKZ_RP_CELLS)
#endif

/* The MDS on one 32-bit half of the state, as mkz_rp_circulant() computes that of 12 cells: y[i] = sum over m of c[m]
 * x[i + m mod 8], c = 23, 8, 13, 10, 7, 6, 21, 8. x < 2^32, y < 96 * 2^32. */
MKZ_FN void mkz_rpjive_circulant(mkz_lane64 y[MKZ_RPJIVE_WIDTH], const mkz_lane64 x[MKZ_RPJIVE_WIDTH]) {
    mkz_lane64 a[2], b[2], w[4], p[4], n[4], low, high;
    MKZ_UNROLL for (int k = 0; k < 2; k++) {
        mkz_lane64 u = x[k] + x[k + 4], v = x[k + 2] + x[k + 6];
        a[k] = u + v;
        b[k] = u - v;
        w[k] = x[k] - x[k + 4];
        w[k + 2] = x[k + 2] - x[k + 6];
    }
    /* mod z^2 - 1: 16, 8; mod z^2 + 1: -1, -1 */
    low = (a[0] << 4) + (a[1] << 3);
    high = (a[1] << 4) + (a[0] << 3);
    p[0] = low - b[0] - b[1];
    p[1] = high - b[1] + b[0];
    p[2] = low + b[0] + b[1];
    p[3] = high + b[1] - b[0];
    /* mod z^4 + 1: 8, 1, -4, 1 */
    n[0] = (w[0] << 3) + w[1] - (w[2] << 2) + w[3];
    n[1] = (w[1] << 3) + w[2] - (w[3] << 2) - w[0];
    n[2] = (w[2] << 3) + w[3] + (w[0] << 2) - w[1];
    n[3] = (w[3] << 3) - w[0] + (w[1] << 2) - w[2];
    MKZ_UNROLL for (int k = 0; k < 4; k++) {
        y[k] = p[k] + n[k];
        y[k + 4] = p[k] - n[k];
    }
}

/* s = MDS * s + the constants of half h of the 14. */
MKZ_FN void mkz_rpjive_mds(mkz_gl s[MKZ_RPJIVE_WIDTH], int h) {
    mkz_lane64 lo[MKZ_RPJIVE_WIDTH], hi[MKZ_RPJIVE_WIDTH];
    MKZ_UNROLL for (int k = 0; k < MKZ_RPJIVE_WIDTH; k++) {
        lo[k] = s[k] & MKZ_SPLAT64(MKZ_GL_E);
        hi[k] = s[k] >> 32;
    }
    mkz_rpjive_circulant(lo, lo);
    mkz_rpjive_circulant(hi, hi);
    MKZ_UNROLL for (int k = 0; k < MKZ_RPJIVE_WIDTH; k++) {
        mkz_u64 c = MKZ_RPJIVE_ARK[MKZ_RPJIVE_WIDTH * h + k];
        s[k] = mkz_gl_join(lo[k] + MKZ_SPLAT64(c & MKZ_GL_E), hi[k] + MKZ_SPLAT64(c >> 32));
    }
}

MKZ_FN_CALL void mkz_rpjive64_256_permute(mkz_gl s[MKZ_RPJIVE_WIDTH]) {
    MKZ_NO_UNROLL for (int h = 0; h < 2 * MKZ_RP_ROUNDS; h++) {
        if (h % 2 == 0)
            mkz_rp_pow7_each(s, MKZ_RPJIVE_WIDTH, MKZ_RPJIVE_CELLS);
        else
            mkz_rp_root7_each(s, MKZ_RPJIVE_WIDTH, MKZ_RPJIVE_CELLS);
        mkz_rpjive_mds(s, h);
    }
}

/* The state before the first block of `length` elements: cell 0 says whether the last block is padded. */
MKZ_FN void mkz_rpjive64_256_init(mkz_gl s[MKZ_RPJIVE_WIDTH], mkz_u64 length) {
    for (int k = 0; k < MKZ_RPJIVE_WIDTH; k++) s[k] = MKZ_SPLAT64(0);
    s[0] = MKZ_SPLAT64((mkz_u64)(length % MKZ_UNIT_RATE != 0));
}

/* Adds any word, taken mod p, to rate cell k of a block, 0 <= k < 4. */
MKZ_FN void mkz_rpjive64_256_add(mkz_gl s[MKZ_RPJIVE_WIDTH], int k, mkz_gl word) {
    s[MKZ_RPJIVE_DIGEST + k] = mkz_gl_add(s[MKZ_RPJIVE_DIGEST + k], mkz_gl_canonical(word));
}

/* Puts a word of the padding there. */
MKZ_FN void mkz_rpjive64_256_fill(mkz_gl s[MKZ_RPJIVE_WIDTH], int k, mkz_gl word) { s[MKZ_RPJIVE_DIGEST + k] = word; }

/* The digest of a row: 4 canonical elements. */
MKZ_FN void mkz_rpjive64_256_digest(mkz_gl out[MKZ_RPJIVE_DIGEST], const mkz_gl s[MKZ_RPJIVE_WIDTH]) {
    for (int k = 0; k < MKZ_RPJIVE_DIGEST; k++) out[k] = mkz_gl_canonical(s[MKZ_RPJIVE_DIGEST + k]);
}

/* Merge of a Merkle tree, by Jive: with f the permutation of left || right, element k is left[k] + right[k] + f[k] +
 * f[4 + k]. It is not the digest of the row left || right. Canonical in and out. */
MKZ_FN void mkz_rpjive64_256_merge(mkz_gl out[MKZ_RPJIVE_DIGEST], const mkz_gl left[MKZ_RPJIVE_DIGEST],
                                   const mkz_gl right[MKZ_RPJIVE_DIGEST]) {
    mkz_gl s[MKZ_RPJIVE_WIDTH], sum[MKZ_RPJIVE_DIGEST];
    for (int k = 0; k < MKZ_RPJIVE_DIGEST; k++) {
        s[k] = left[k];
        s[MKZ_RPJIVE_DIGEST + k] = right[k];
        sum[k] = mkz_gl_add(left[k], right[k]);
    }
    mkz_rpjive64_256_permute(s);
    for (int k = 0; k < MKZ_RPJIVE_DIGEST; k++) {
        mkz_gl two = mkz_gl_add(s[k], mkz_gl_canonical(s[MKZ_RPJIVE_DIGEST + k]));
        out[k] = mkz_gl_canonical(mkz_gl_add(two, mkz_gl_canonical(sum[k])));
    }
}

#if MKZ_TEAMS && MKZ_LANES == 1
/* A merge by a team of 8 items, as in rescue_prime_variant.h. */
MKZ_BODY mkz_u32 mkz_rpjive64_256_team_input(mkz_u32 cell) { return cell; }

MKZ_BODY mkz_u64 mkz_rpjive64_256_merge_team(mkz_work_item item, MKZ_LOCAL mkz_u64 *cells, mkz_u32 cell, mkz_u32 works,
                                             mkz_u64 x, mkz_context ctx) {
    const mkz_u32 coefficients[MKZ_RPJIVE_WIDTH] = {23, 8, 13, 10, 7, 6, 21, 8};
    mkz_u64 given = x;
    (void)ctx;
    MKZ_NO_UNROLL for (int h = 0; h < 2 * MKZ_RP_ROUNDS; h++) {
        if (works) {
            if (h % 2 == 0)
                x = mkz_gl_pow7(x);
            else
                mkz_rp_root7(&x, 1);
            cells[cell] = x;
        }
        MKZ_BARRIER(item);
        if (works) {
            mkz_u64 c = MKZ_RPJIVE_ARK[MKZ_RPJIVE_WIDTH * h + cell], lo = c & MKZ_GL_E, hi = c >> 32;
            MKZ_UNROLL for (mkz_u32 k = 0; k < MKZ_RPJIVE_WIDTH; k++) {
                mkz_u64 at = cells[(cell + k) % MKZ_RPJIVE_WIDTH];
                lo = MKZ_MUL_ADD32(lo, at, coefficients[k]);
                hi = MKZ_MUL_ADD32(hi, at >> 32, coefficients[k]);
            }
            x = mkz_gl_join(lo, hi);
        }
        MKZ_BARRIER(item);
    }
    x = mkz_gl_canonical(mkz_gl_add(x, given));
    if (works) cells[cell] = x;
    MKZ_BARRIER(item);
    if (works) x = mkz_gl_canonical(mkz_gl_add(x, cells[(cell + MKZ_RPJIVE_DIGEST) % MKZ_RPJIVE_WIDTH]));
    return x;
}
#endif
#endif
#include "../unit.h"
