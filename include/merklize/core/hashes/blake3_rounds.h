/* blake3_rounds.h: BLAKE3's constants and its seven rounds, for the hashes that are built on them: blake3, eidos, eidos_v0. */
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

/* A half-round is four independent quarter-rounds G(a, b, c, d, x, y): state indices a..d, message indices x and y.
 * MKZ_BLAKE3_TOGETHER (1 or 2) of them are computed in step. Compilers keep this order, and it decides what is spilled: 2 is
 * best for 16 vector registers, 1 for 32 (docs/performance.md). */
#ifndef MKZ_BLAKE3_TOGETHER
#define MKZ_BLAKE3_TOGETHER 2
#endif
#define MKZ_BLAKE3_AD(a, b, d, x, n)      \
    v[a] = MKZ_ADD32_3(v[a], m[x], v[b]); \
    v[d] = MKZ_ROTR32(v[d] ^ v[a], n)
#define MKZ_BLAKE3_CB(b, c, d, n) \
    v[c] = v[c] + v[d];           \
    v[b] = MKZ_ROTR32(v[b] ^ v[c], n)
#if MKZ_BLAKE3_TOGETHER == 1
#define MKZ_BLAKE3_G(a, b, c, d, x, y) \
    MKZ_BLAKE3_AD(a, b, d, x, 16);     \
    MKZ_BLAKE3_CB(b, c, d, 12);        \
    MKZ_BLAKE3_AD(a, b, d, y, 8);      \
    MKZ_BLAKE3_CB(b, c, d, 7)
#define MKZ_BLAKE3_G2(a0, b0, c0, d0, x0, y0, a1, b1, c1, d1, x1, y1) \
    MKZ_BLAKE3_G(a0, b0, c0, d0, x0, y0);                             \
    MKZ_BLAKE3_G(a1, b1, c1, d1, x1, y1)
#else
#define MKZ_BLAKE3_G2(a0, b0, c0, d0, x0, y0, a1, b1, c1, d1, x1, y1) \
    MKZ_BLAKE3_AD(a0, b0, d0, x0, 16);                                \
    MKZ_BLAKE3_AD(a1, b1, d1, x1, 16);                                \
    MKZ_BLAKE3_CB(b0, c0, d0, 12);                                    \
    MKZ_BLAKE3_CB(b1, c1, d1, 12);                                    \
    MKZ_BLAKE3_AD(a0, b0, d0, y0, 8);                                 \
    MKZ_BLAKE3_AD(a1, b1, d1, y1, 8);                                 \
    MKZ_BLAKE3_CB(b0, c0, d0, 7);                                     \
    MKZ_BLAKE3_CB(b1, c1, d1, 7)
#endif

/* One round: columns, then diagonals. The message schedule is literal, because a table read at run time would spill to memory. */
#define MKZ_BLAKE3_ROUND(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15) \
    MKZ_BLAKE3_G2(0, 4, 8, 12, s0, s1, 1, 5, 9, 13, s2, s3);                                   \
    MKZ_BLAKE3_G2(2, 6, 10, 14, s4, s5, 3, 7, 11, 15, s6, s7);                                 \
    MKZ_BLAKE3_G2(0, 5, 10, 15, s8, s9, 1, 6, 11, 12, s10, s11);                               \
    MKZ_BLAKE3_G2(2, 7, 8, 13, s12, s13, 3, 4, 9, 14, s14, s15)

/* The seven rounds, in place. v: 16 state words, m: 16 message words. */
MKZ_FN void mkz_blake3_rounds(mkz_lane32 v[16], const mkz_lane32 m[16]) {
    MKZ_BLAKE3_ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    MKZ_BLAKE3_ROUND(2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8);
    MKZ_BLAKE3_ROUND(3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1);
    MKZ_BLAKE3_ROUND(10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6);
    MKZ_BLAKE3_ROUND(12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4);
    MKZ_BLAKE3_ROUND(9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7);
    MKZ_BLAKE3_ROUND(11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13);
}

#endif /* MKZ_BLAKE3_ROUNDS_H */
