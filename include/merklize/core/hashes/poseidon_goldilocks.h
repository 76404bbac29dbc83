/* poseidon_goldilocks.h: Poseidon over Goldilocks, of 8 and 12 cells: the instances of Plonky3, since p3-goldilocks
 * 0.8. docs/hashes.md has the definition.
 *
 * The MDS matrices are circulant with small entries, so every round multiplies by them on halves of the cells
 * (goldilocks.h), which takes no product of words. The constants of partial rounds are folded forward: only cell 0 gets
 * one in each, and what the other cells would have got is in the first terminal row. Each linear layer adds the
 * constants of the round that follows, because that costs no carry. The tables are as those of poseidon2_permutation.h,
 * but row 0 is added before any layer. */
#ifndef MKZ_POSEIDON_GOLDILOCKS_H
#define MKZ_POSEIDON_GOLDILOCKS_H

#include "../words/goldilocks.h"

/* Constants of p3-goldilocks 0.8.0 (MIT or Apache-2.0), folded. */
/* Written by scripts/generate_hash_constants.py; do not edit. */
/* clang-format off */
MKZ_TABLE mkz_u64 mkz_pos_goldilocks_8_constants[101] = {
    MKZ_U64(15949291268843349465), MKZ_U64(14644164809401934923), MKZ_U64(18420360874837380316), MKZ_U64(4756469047455716334),
    MKZ_U64(8685499049481102115), MKZ_U64(3799221349720045367), MKZ_U64(13676397835037157930), MKZ_U64(6566439050423619635),
    MKZ_U64(17428268347612331188), MKZ_U64(2833135872454503769), MKZ_U64(4767009016213040191), MKZ_U64(2797635963551733652),
    MKZ_U64(5312339450141126694), MKZ_U64(5356668452102813289), MKZ_U64(1234059326449530173), MKZ_U64(7724302552453704877),
    MKZ_U64(14868588146468890290), MKZ_U64(12825281145595371185), MKZ_U64(13097885453579304196), MKZ_U64(7905326782341128063),
    MKZ_U64(14167525334039893569), MKZ_U64(2082169701994688927), MKZ_U64(12190787523818595537), MKZ_U64(12602917751946636),
    MKZ_U64(14890907856876319003), MKZ_U64(16552240149997473409), MKZ_U64(5634093690795187558), MKZ_U64(4883714163685656967),
    MKZ_U64(12440776365164557866), MKZ_U64(3923800234666204307), MKZ_U64(9858064884105950259), MKZ_U64(16040043470428402038),
    MKZ_U64(5226594323142090582), MKZ_U64(0), MKZ_U64(0), MKZ_U64(0),
    MKZ_U64(0), MKZ_U64(0), MKZ_U64(0), MKZ_U64(0),
    MKZ_U64(14603649285241593324), MKZ_U64(761417572415388640), MKZ_U64(1226185771089878470), MKZ_U64(3868252963893629278),
    MKZ_U64(10213206374844377176), MKZ_U64(12513523831859935725), MKZ_U64(5930658500326631305), MKZ_U64(12194321302721369377),
    MKZ_U64(11321798037787734142), MKZ_U64(8980154259883873756), MKZ_U64(11736938192888407579), MKZ_U64(13192414074373038918),
    MKZ_U64(2476169510837310467), MKZ_U64(1533959397343817152), MKZ_U64(12606670949879920962), MKZ_U64(7925350173351919368),
    MKZ_U64(9072593798739179107), MKZ_U64(12001755003233916850), MKZ_U64(16756686135965682097), MKZ_U64(15550825404583733749),
    MKZ_U64(8694668369540076298), MKZ_U64(15457222476085186130), MKZ_U64(5108598208140922837), MKZ_U64(3620213722474373078),
    MKZ_U64(0), MKZ_U64(0), MKZ_U64(0), MKZ_U64(0),
    MKZ_U64(0), MKZ_U64(0), MKZ_U64(0), MKZ_U64(0),
    MKZ_U64(4093267630159412372), MKZ_U64(5229480500970802850), MKZ_U64(6778219792491992232), MKZ_U64(11523314989235156979),
    MKZ_U64(12074061683658409577), MKZ_U64(7034450271677583264), MKZ_U64(15092125514013126975), MKZ_U64(10178520676248342573),
    MKZ_U64(17203224027303049014), MKZ_U64(8837963847921202148), MKZ_U64(5426379034440538061), MKZ_U64(539019826356539874),
    MKZ_U64(11440594674289754539), MKZ_U64(9845432823693540133), MKZ_U64(2437467537777649538), MKZ_U64(16544684795418157210),
    MKZ_U64(12820252551497465008), MKZ_U64(18238746065766145076), MKZ_U64(15396881256018496057), MKZ_U64(1343042715403264973),
    MKZ_U64(4999564239994710825), MKZ_U64(4510791546917689230), MKZ_U64(16231173001196691986), MKZ_U64(5754679511119342736),
    MKZ_U64(15873361384966503658), MKZ_U64(9438140299489666554), MKZ_U64(3040071162405855024), MKZ_U64(17642306654740204179),
    MKZ_U64(8607971600953355448),
};

MKZ_TABLE mkz_u64 mkz_pos_goldilocks_12_constants[141] = {
    MKZ_U64(1431286215153372998), MKZ_U64(3509349009260703107), MKZ_U64(2289575380984896342), MKZ_U64(10625215922958251110),
    MKZ_U64(17137022507167291684), MKZ_U64(17143426961497010024), MKZ_U64(9589775313463224365), MKZ_U64(7736066733515538648),
    MKZ_U64(2217569167061322248), MKZ_U64(10394930802584583083), MKZ_U64(4612393375016695705), MKZ_U64(5332470884919453534),
    MKZ_U64(8724526834049581439), MKZ_U64(17673787971454860688), MKZ_U64(2519987773101056005), MKZ_U64(7999687124137420323),
    MKZ_U64(18312454652563306701), MKZ_U64(15136091233824155669), MKZ_U64(1257110570403430003), MKZ_U64(5665449074466664773),
    MKZ_U64(16178737609685266571), MKZ_U64(52855143527893348), MKZ_U64(8084454992943870230), MKZ_U64(2597062441266647183),
    MKZ_U64(3342624911463171251), MKZ_U64(6781356195391537436), MKZ_U64(4697929572322733707), MKZ_U64(4179687232228901671),
    MKZ_U64(17841073646522133059), MKZ_U64(18340176721233187897), MKZ_U64(13152929999122219197), MKZ_U64(6306257051437840427),
    MKZ_U64(4974451914008050921), MKZ_U64(11258703678970285201), MKZ_U64(581736081259960204), MKZ_U64(18323286026903235604),
    MKZ_U64(10250026231324330997), MKZ_U64(13321947507807660157), MKZ_U64(13020725208899496943), MKZ_U64(11416990495425192684),
    MKZ_U64(7221795794796219413), MKZ_U64(2607917872900632985), MKZ_U64(2591896057192169329), MKZ_U64(10485489452304998145),
    MKZ_U64(9480186048908910015), MKZ_U64(2645141845409940474), MKZ_U64(16242299839765162610), MKZ_U64(12203738590896308135),
    MKZ_U64(5395176197344543510), MKZ_U64(0), MKZ_U64(0), MKZ_U64(0),
    MKZ_U64(0), MKZ_U64(0), MKZ_U64(0), MKZ_U64(0),
    MKZ_U64(0), MKZ_U64(0), MKZ_U64(0), MKZ_U64(0),
    MKZ_U64(12014669431902405777), MKZ_U64(11319504285297576766), MKZ_U64(5234999940078631477), MKZ_U64(1125448944938006422),
    MKZ_U64(2164405204907480972), MKZ_U64(6168495504522907053), MKZ_U64(6250236942243891229), MKZ_U64(18269902991411124149),
    MKZ_U64(9426885685329917236), MKZ_U64(4521800374915508165), MKZ_U64(2213719649464492152), MKZ_U64(9422759956003735939),
    MKZ_U64(12723275943377720767), MKZ_U64(14785736031955679545), MKZ_U64(15257683393549924851), MKZ_U64(14586462537439744229),
    MKZ_U64(13109892360729616102), MKZ_U64(18054952537889795742), MKZ_U64(12589969976105374274), MKZ_U64(1436163932748701916),
    MKZ_U64(14879322534176465619), MKZ_U64(17580838042056220468), MKZ_U64(17970300042937392952), MKZ_U64(1420156878331078790),
    MKZ_U64(17310902395782251544), MKZ_U64(9021117459098865178), MKZ_U64(9956374953785489337), MKZ_U64(9283926179170577664),
    MKZ_U64(2866744588122882663), MKZ_U64(12613310502798528952), MKZ_U64(48642999969593367), MKZ_U64(5069344854700671784),
    MKZ_U64(17704314310866354161), MKZ_U64(15988800480645163458), MKZ_U64(5818851986787837003), MKZ_U64(2578102338873304736),
    MKZ_U64(0), MKZ_U64(0), MKZ_U64(0), MKZ_U64(0),
    MKZ_U64(0), MKZ_U64(0), MKZ_U64(0), MKZ_U64(0),
    MKZ_U64(0), MKZ_U64(0), MKZ_U64(0), MKZ_U64(0),
    MKZ_U64(5428580150110857091), MKZ_U64(12343237179589438528), MKZ_U64(15578143382569859778), MKZ_U64(1208305997306700193),
    MKZ_U64(9826683928786611085), MKZ_U64(7895614389891663207), MKZ_U64(7917172285323046350), MKZ_U64(8117835824129772727),
    MKZ_U64(17766222975583299197), MKZ_U64(11399472211832005857), MKZ_U64(8596101022799491664), MKZ_U64(11518784002981322503),
    MKZ_U64(13005054847228698838), MKZ_U64(4413400467842874269), MKZ_U64(15126074858064932588), MKZ_U64(8174099768677333604),
    MKZ_U64(10462109931814976099), MKZ_U64(9889922004857247466), MKZ_U64(1514336143460203973), MKZ_U64(6940266337135839863),
    MKZ_U64(2661804719117014044), MKZ_U64(484566211482047104), MKZ_U64(6959251825139136872), MKZ_U64(11547602125070884381),
    MKZ_U64(9236323559314373085), MKZ_U64(12757845863489266830), MKZ_U64(5091881177176757773), MKZ_U64(3471532782938707821),
    MKZ_U64(7519114506750025454), MKZ_U64(10338857763789495571), MKZ_U64(15868432575966676387), MKZ_U64(16879229238278056825),
    MKZ_U64(14931584945427925324),
};
/* clang-format on */

#define MKZ_POS_GL_PARTIAL_ROUNDS 22

/* The matrices on one half of the cells: y[i] = sum over m of c[m] x[i + m mod cells]. As rp_circulant (rescue_prime.h)
 * it is split mod z^(n/2) - 1 and z^(n/2) + 1, and the first part again. The parts have the sums and differences of
 * coefficients and not their halves, so 4 y comes out. Differences may wrap below zero; 4 y is exact and below 2^64.
 *
 * 8 cells: c = 7, 1, 3, 8, 8, 3, 4, 9. mod z^2 - 1: 22, 21; mod z^2 + 1: 8, -13; mod z^4 + 1: -1, -2, -1, -1. y < 43 x.
 */
MKZ_FN void mkz_pos_goldilocks_circulant_8(mkz_lane64 *x) {
    mkz_lane64 u0 = x[0] + x[4], u1 = x[1] + x[5], u2 = x[2] + x[6], u3 = x[3] + x[7];
    mkz_lane64 v0 = x[0] - x[4], v1 = x[1] - x[5], v2 = x[2] - x[6], v3 = x[3] - x[7];
    mkz_lane64 e0 = u0 + u2, e1 = u1 + u3, f0 = u0 - u2, f1 = u1 - u3, t = e0 + e1;
    mkz_lane64 p[4], n[4];
    t = (t << 4) + (t << 2) + t;
    e0 = t + e0;
    e1 = t + e1;
    t = f0;
    f0 = ((f0 - f1) << 3) - (f1 << 2) - f1;
    f1 = ((t + f1) << 3) + (t << 2) + t;
    p[0] = e0 + f0;
    p[1] = e1 + f1;
    p[2] = e0 - f0;
    p[3] = e1 - f1;
    t = v2 + v3;
    e0 = v0 + v1;
    n[0] = e0 + v1 + t;
    n[1] = v1 + v2 + t - v0;
    n[2] = t + v3 - e0;
    n[3] = v3 - v2 - v0 - e0;
    MKZ_UNROLL for (int k = 0; k < 4; k++) {
        x[k] = (p[k] - (n[k] << 1)) >> 2;
        x[k + 4] = (p[k] + (n[k] << 1)) >> 2;
    }
}

/* 12 cells: c = 1, 1, 2, 1, 8, 9, 10, 7, 5, 9, 4, 10. mod z^3 - 1: 21, 20, 26; mod z^3 + 1: 1, -4, -12; mod z^6 + 1:
 * -9, -6, -3, -8, 4, -1. y < 67 x. */
MKZ_FN void mkz_pos_goldilocks_circulant_12(mkz_lane64 *x) {
    mkz_lane64 a[3], b[3], c[3], w[6], w3[6], w4[6], p[6], n[6], t;
    MKZ_UNROLL for (int k = 0; k < 3; k++) {
        mkz_lane64 u = x[k] + x[k + 6], v = x[k + 3] + x[k + 9];
        a[k] = u + v;
        b[k] = u - v;
        w[k] = x[k] - x[k + 6];
        w[k + 3] = x[k + 3] - x[k + 9];
    }
    t = a[0] + a[1] + a[2];
    t = (t << 4) + (t << 2);
    MKZ_UNROLL for (int k = 0; k < 3; k++) c[k] = (b[k] << 3) + (b[k] << 2); /* 12 b */
    MKZ_UNROLL for (int k = 0; k < 3; k++) {
        mkz_lane64 last = a[(k + 2) % 3], even = t + a[k] + (last << 2) + (last << 1), odd = b[k];
        odd = k == 2 ? odd + (b[0] << 2) : odd - (b[(k + 1) % 3] << 2);
        odd = k == 0 ? odd - c[2] : odd + c[(k + 2) % 3];
        p[k] = even + odd;
        p[k + 3] = even - odd;
    }
    MKZ_UNROLL for (int k = 0; k < 6; k++) {
        w4[k] = w[k] << 2;
        w3[k] = w4[k] - w[k];
    }
    /* The negative of the part mod z^6 + 1: 9, 6, 3, 8, -4, 1. w[k + 6] is -w[k]. */
#define MKZ_POS_GL_TERM(j, of) ((j) < 6 ? of[(j) % 6] : MKZ_SPLAT64(0) - of[(j) % 6])
    MKZ_UNROLL for (int k = 0; k < 6; k++) {
        mkz_lane64 twice = MKZ_POS_GL_TERM(k + 1, w3) + MKZ_POS_GL_TERM(k + 3, w4);
        n[k] = (twice << 1) + (w[k] << 3) + w[k] + MKZ_POS_GL_TERM(k + 2, w3) - MKZ_POS_GL_TERM(k + 4, w4) +
               MKZ_POS_GL_TERM(k + 5, w);
    }
#undef MKZ_POS_GL_TERM
    MKZ_UNROLL for (int k = 0; k < 6; k++) {
        x[k] = (p[k] - (n[k] << 1)) >> 2;
        x[k + 6] = (p[k] + (n[k] << 1)) >> 2;
    }
}

MKZ_FN void mkz_pos_goldilocks_circulant(mkz_lane64 *x, int width) {
    if (width == 8) {
        mkz_pos_goldilocks_circulant_8(x);
    } else {
        mkz_pos_goldilocks_circulant_12(x);
    }
}

MKZ_FN void mkz_pos_goldilocks_split(mkz_lane64 lo[12], mkz_lane64 hi[12], const mkz_gl *s, int width) {
    MKZ_UNROLL for (int k = 0; k < width; k++) {
        lo[k] = s[k] & MKZ_SPLAT64(MKZ_GL_E);
        hi[k] = s[k] >> 32;
    }
}

MKZ_FN void mkz_pos_goldilocks_join(mkz_gl *s, const mkz_lane64 lo[12], const mkz_lane64 hi[12], int first, int width,
                                    MKZ_CONSTANT const mkz_u64 *constants) {
    MKZ_UNROLL for (int k = first; k < width; k++) s[k] =
        mkz_gl_join(lo[k] + MKZ_SPLAT64(constants[k] & MKZ_GL_E), hi[k] + MKZ_SPLAT64(constants[k] >> 32));
}

/* Partial rounds on halves. Only cell 0 becomes a word in each. The others grow by a factor of 67 at most, so they are
 * made small again after every fourth: 2^32 67^4 < 2^57. `constants`: of the rounds after the first, then the first
 * terminal row. */
MKZ_FN void mkz_pos_goldilocks_partial(mkz_gl *s, int states, int width, MKZ_CONSTANT const mkz_u64 *constants) {
    mkz_lane64 lows[MKZ_STATES][12] = {{0}}, highs[MKZ_STATES][12] = {{0}};
    mkz_gl x[MKZ_STATES];
    MKZ_UNROLL for (int v = 0; v < states; v++) {
        x[v] = s[width * v];
        mkz_pos_goldilocks_split(lows[v], highs[v], s + width * v, width);
    }
    MKZ_NO_UNROLL for (int r = 0; r < MKZ_POS_GL_PARTIAL_ROUNDS; r++) {
        mkz_gl_pow7_each(x, states);
        MKZ_UNROLL for (int v = 0; v < states; v++) {
            mkz_lane64 *lo = lows[v], *hi = highs[v];
            lo[0] = x[v] & MKZ_SPLAT64(MKZ_GL_E);
            hi[0] = x[v] >> 32;
            mkz_pos_goldilocks_circulant(lo, width);
            mkz_pos_goldilocks_circulant(hi, width);
            x[v] = mkz_gl_join(lo[0] + MKZ_SPLAT64(constants[r] & MKZ_GL_E), hi[0] + MKZ_SPLAT64(constants[r] >> 32));
            if (r % 4 == 3) {
                MKZ_UNROLL for (int k = 1; k < width; k++) s[width * v + k] = mkz_gl_join(lo[k], hi[k]);
                mkz_pos_goldilocks_split(lo, hi, s + width * v, width);
            }
        }
    }
    MKZ_UNROLL for (int v = 0; v < states; v++) {
        mkz_gl *out = s + width * v;
        out[0] = x[v];
        mkz_pos_goldilocks_join(out, lows[v], highs[v], 1, width, constants + MKZ_POS_GL_PARTIAL_ROUNDS - 1);
    }
}

/* One state after the other, or two in step where the chain of a partial round leaves a processor idle. */
MKZ_FN void mkz_pos_goldilocks_permute(mkz_gl *s, int states, int width, MKZ_CONSTANT const mkz_u64 *table) {
    MKZ_UNROLL for (int k = 0; k < states * width; k++) s[k] = mkz_gl_add(s[k], MKZ_SPLAT64(table[k % width]));
    MKZ_NO_UNROLL for (int r = 0; r < 8; r++) {
        if (r == 4) mkz_pos_goldilocks_partial(s, states, width, table + 9 * width);
        MKZ_UNROLL for (int v = 0; v < states; v++) {
            mkz_lane64 lo[12] = {0}, hi[12] = {0};
            mkz_gl_pow7_each(s + width * v, width);
            mkz_pos_goldilocks_split(lo, hi, s + width * v, width);
            mkz_pos_goldilocks_circulant(lo, width);
            mkz_pos_goldilocks_circulant(hi, width);
            mkz_pos_goldilocks_join(s + width * v, lo, hi, 0, width, table + width * (r + 1));
        }
    }
}

MKZ_FN_CALL void mkz_pos_goldilocks_8_permute(mkz_gl s[8]) {
    mkz_pos_goldilocks_permute(s, 1, 8, mkz_pos_goldilocks_8_constants);
}
MKZ_FN_CALL void mkz_pos_goldilocks_12_permute(mkz_gl s[12]) {
    mkz_pos_goldilocks_permute(s, 1, 12, mkz_pos_goldilocks_12_constants);
}
#if MKZ_STATES == 2
MKZ_FN_CALL void mkz_pos_goldilocks_8_permute_two(mkz_gl s[16]) {
    mkz_pos_goldilocks_permute(s, 2, 8, mkz_pos_goldilocks_8_constants);
}
MKZ_FN_CALL void mkz_pos_goldilocks_12_permute_two(mkz_gl s[24]) {
    mkz_pos_goldilocks_permute(s, 2, 12, mkz_pos_goldilocks_12_constants);
}
#endif

#endif /* MKZ_POSEIDON_GOLDILOCKS_H */
