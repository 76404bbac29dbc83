/* blake3_rounds.h: BLAKE3's constants and its seven rounds, for the hashes that are built on them: blake3,
 * blake3_parent, eidos, eidos_v0. blake2s has the constants and the quarter-rounds. */
#ifndef MKZ_BLAKE3_ROUNDS_H
#define MKZ_BLAKE3_ROUNDS_H

#include "../port.h"

/* The first 32 bits of the fractional parts of the square roots of the first 8 primes (as in SHA-256). */
#define MKZ_BLAKE3_IV0 0x6a09e667u
#define MKZ_BLAKE3_IV1 0xbb67ae85u
#define MKZ_BLAKE3_IV2 0x3c6ef372u
#define MKZ_BLAKE3_IV3 0xa54ff53au
#define MKZ_BLAKE3_IV4 0x510e527fu
#define MKZ_BLAKE3_IV5 0x9b05688cu
#define MKZ_BLAKE3_IV6 0x1f83d9abu
#define MKZ_BLAKE3_IV7 0x5be0cd19u

MKZ_FN void mkz_blake3_iv(mkz_lane32 cv[8]) {
    cv[0] = MKZ_SPLAT32(MKZ_BLAKE3_IV0);
    cv[1] = MKZ_SPLAT32(MKZ_BLAKE3_IV1);
    cv[2] = MKZ_SPLAT32(MKZ_BLAKE3_IV2);
    cv[3] = MKZ_SPLAT32(MKZ_BLAKE3_IV3);
    cv[4] = MKZ_SPLAT32(MKZ_BLAKE3_IV4);
    cv[5] = MKZ_SPLAT32(MKZ_BLAKE3_IV5);
    cv[6] = MKZ_SPLAT32(MKZ_BLAKE3_IV6);
    cv[7] = MKZ_SPLAT32(MKZ_BLAKE3_IV7);
}

/* A half-round is four independent quarter-rounds G(a, b, c, d, x, y): state indices a..d, message indices x and y. The
 * state begins at v[s], its message at m[s]. MKZ_BLAKE3_TOGETHER (1 or 2) of them are computed in step. Compilers keep
 * this order, and it decides what is spilled: 2 is best for 16 vector registers, 1 for 32 (docs/notes/blake3-cpu.md).
 * MKZ_BLAKE3_STATES 2 adds functions that interleave two states, for 32 vector registers. Two states hide latency where
 * one state's four dependency chains cannot fill the issue width. */
#ifndef MKZ_BLAKE3_TOGETHER
#define MKZ_BLAKE3_TOGETHER 2
#endif
#ifndef MKZ_BLAKE3_STATES
#define MKZ_BLAKE3_STATES 1
#endif
#define MKZ_BLAKE3_AD(s, a, b, d, x, n)                   \
    v[s + a] = MKZ_ADD32_3(v[s + a], m[s + x], v[s + b]); \
    v[s + d] = MKZ_ROTR32(v[s + d] ^ v[s + a], n)
#define MKZ_BLAKE3_CB(s, b, c, d, n) \
    v[s + c] = v[s + c] + v[s + d];  \
    v[s + b] = MKZ_ROTR32(v[s + b] ^ v[s + c], n)
#if MKZ_BLAKE3_TOGETHER == 1
#define MKZ_BLAKE3_G(a, b, c, d, x, y) \
    MKZ_BLAKE3_AD(0, a, b, d, x, 16);  \
    MKZ_BLAKE3_CB(0, b, c, d, 12);     \
    MKZ_BLAKE3_AD(0, a, b, d, y, 8);   \
    MKZ_BLAKE3_CB(0, b, c, d, 7)
#define MKZ_BLAKE3_G2(a0, b0, c0, d0, x0, y0, a1, b1, c1, d1, x1, y1) \
    MKZ_BLAKE3_G(a0, b0, c0, d0, x0, y0);                             \
    MKZ_BLAKE3_G(a1, b1, c1, d1, x1, y1)
#else
#define MKZ_BLAKE3_G2(a0, b0, c0, d0, x0, y0, a1, b1, c1, d1, x1, y1) \
    MKZ_BLAKE3_AD(0, a0, b0, d0, x0, 16);                             \
    MKZ_BLAKE3_AD(0, a1, b1, d1, x1, 16);                             \
    MKZ_BLAKE3_CB(0, b0, c0, d0, 12);                                 \
    MKZ_BLAKE3_CB(0, b1, c1, d1, 12);                                 \
    MKZ_BLAKE3_AD(0, a0, b0, d0, y0, 8);                              \
    MKZ_BLAKE3_AD(0, a1, b1, d1, y1, 8);                              \
    MKZ_BLAKE3_CB(0, b0, c0, d0, 7);                                  \
    MKZ_BLAKE3_CB(0, b1, c1, d1, 7)
#endif
#define MKZ_BLAKE3_HALF(b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, x0, y0, x1, y1, x2, y2, x3, y3) \
    MKZ_BLAKE3_G2(0, b0, c0, d0, x0, y0, 1, b1, c1, d1, x1, y1);                                        \
    MKZ_BLAKE3_G2(2, b2, c2, d2, x2, y2, 3, b3, c3, d3, x3, y3)

/* The rounds, each columns, then diagonals, by a macro HALF with the arguments of MKZ_BLAKE3_HALF. The message schedule
 * is literal, because a table read at run time would spill to memory. */
#define MKZ_BLAKE3_ROUND(HALF, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15) \
    HALF(4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, s0, s1, s2, s3, s4, s5, s6, s7);                  \
    HALF(5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14, s8, s9, s10, s11, s12, s13, s14, s15)
#define MKZ_BLAKE3_ROUNDS(HALF)                                                   \
    MKZ_BLAKE3_ROUND(HALF, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); \
    MKZ_BLAKE3_ROUND(HALF, 2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8); \
    MKZ_BLAKE3_ROUND(HALF, 3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1); \
    MKZ_BLAKE3_ROUND(HALF, 10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6); \
    MKZ_BLAKE3_ROUND(HALF, 12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4); \
    MKZ_BLAKE3_ROUND(HALF, 9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7); \
    MKZ_BLAKE3_ROUND(HALF, 11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13)

/* The seven rounds, in place. v: 16 state words, m: 16 message words. */
MKZ_FN void mkz_blake3_rounds(mkz_lane32 v[16], const mkz_lane32 m[16]) { MKZ_BLAKE3_ROUNDS(MKZ_BLAKE3_HALF); }

#if MKZ_BLAKE3_STATES == 2
/* Half of all four quarter-rounds of a state, one step after another: a processor with one port for rotations then has
 * other instructions beside them. */
#define MKZ_BLAKE3_XR4(s, d0, d1, d2, d3, a0, a1, a2, a3, n) \
    v[s + d0] ^= v[s + a0];                                  \
    v[s + d1] ^= v[s + a1];                                  \
    v[s + d2] ^= v[s + a2];                                  \
    v[s + d3] ^= v[s + a3];                                  \
    v[s + d0] = MKZ_ROTR32(v[s + d0], n);                    \
    v[s + d1] = MKZ_ROTR32(v[s + d1], n);                    \
    v[s + d2] = MKZ_ROTR32(v[s + d2], n);                    \
    v[s + d3] = MKZ_ROTR32(v[s + d3], n)
#define MKZ_BLAKE3_AD4(s, b0, b1, b2, b3, d0, d1, d2, d3, x0, x1, x2, x3, n) \
    v[s + 0] = MKZ_ADD32_3(v[s + 0], m[s + x0], v[s + b0]);                  \
    v[s + 1] = MKZ_ADD32_3(v[s + 1], m[s + x1], v[s + b1]);                  \
    v[s + 2] = MKZ_ADD32_3(v[s + 2], m[s + x2], v[s + b2]);                  \
    v[s + 3] = MKZ_ADD32_3(v[s + 3], m[s + x3], v[s + b3]);                  \
    MKZ_BLAKE3_XR4(s, d0, d1, d2, d3, 0, 1, 2, 3, n)
#define MKZ_BLAKE3_CB4(s, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, n) \
    v[s + c0] += v[s + d0];                                                  \
    v[s + c1] += v[s + d1];                                                  \
    v[s + c2] += v[s + d2];                                                  \
    v[s + c3] += v[s + d3];                                                  \
    MKZ_BLAKE3_XR4(s, b0, b1, b2, b3, c0, c1, c2, c3, n)
/* Two states, the steps of one behind those of the other. */
#define MKZ_BLAKE3_HALF_TWO(b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, x0, y0, x1, y1, x2, y2, x3, y3) \
    MKZ_BLAKE3_AD4(0, b0, b1, b2, b3, d0, d1, d2, d3, x0, x1, x2, x3, 16);                                  \
    MKZ_BLAKE3_AD4(16, b0, b1, b2, b3, d0, d1, d2, d3, x0, x1, x2, x3, 16);                                 \
    MKZ_BLAKE3_CB4(0, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, 12);                                  \
    MKZ_BLAKE3_CB4(16, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, 12);                                 \
    MKZ_BLAKE3_AD4(0, b0, b1, b2, b3, d0, d1, d2, d3, y0, y1, y2, y3, 8);                                   \
    MKZ_BLAKE3_AD4(16, b0, b1, b2, b3, d0, d1, d2, d3, y0, y1, y2, y3, 8);                                  \
    MKZ_BLAKE3_CB4(0, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, 7);                                   \
    MKZ_BLAKE3_CB4(16, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, 7)

MKZ_FN void mkz_blake3_rounds_two(mkz_lane32 v[32], const mkz_lane32 m[32]) { MKZ_BLAKE3_ROUNDS(MKZ_BLAKE3_HALF_TWO); }
#endif

#endif /* MKZ_BLAKE3_ROUNDS_H */
