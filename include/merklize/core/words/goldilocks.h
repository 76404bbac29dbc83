/* goldilocks.h: the prime field of p = 2^64 - 2^32 + 1.
 *
 * An element is any 64-bit word; the words p .. 2^64-1 stand for 0 .. 2^32-2. Only mkz_gl_canonical() makes the word
 * unique, so the inner loops need no final subtraction. "canonical" below means < p.
 *
 * With e = 2^32 - 1: 2^64 = e and 2^96 = -1 (mod p). */
#ifndef MKZ_GOLDILOCKS_H
#define MKZ_GOLDILOCKS_H

#include "../port.h"

#define MKZ_GL_P MKZ_U64(0xffffffff00000001)
#define MKZ_GL_E MKZ_U64(0x00000000ffffffff)

/* An element. A build that mixes several kinds of lanes defines MKZ_GL and the mkz_gl_* functions for it. */
#ifndef MKZ_GL
#define MKZ_GL mkz_lane64
typedef mkz_lane64 mkz_gl;

/* The same element, < p. */
MKZ_FN mkz_gl mkz_gl_canonical(mkz_gl a) {
    mkz_lane64 p = MKZ_SPLAT64(MKZ_GL_P);
    return a - (p & ~MKZ_LT_MASK(a, p));
}

/* a + b, where b is canonical. */
MKZ_FN mkz_gl mkz_gl_add(mkz_gl a, mkz_gl b) {
    mkz_lane64 s = a + b;
    return s +
           (MKZ_LT_MASK(s, b) & MKZ_SPLAT64(MKZ_GL_E)); /* a carry is worth e; b < p keeps this from carrying again */
}

/* lo + 2^64 hi, any two words. */
#ifdef MKZ_GL_REDUCE
#define mkz_gl_reduce MKZ_GL_REDUCE
#else
MKZ_FN mkz_gl mkz_gl_reduce(mkz_lane64 lo, mkz_lane64 hi) {
    /* hi = h0 + 2^32 h1: lo + e h0 - h1. Neither correction can wrap again: after a borrow t >= 2^64 - 2^32 + 1, and
     * e h0 <= 2^64 - 2^33 + 1. */
    mkz_lane64 h1 = hi >> 32;
    mkz_lane64 t = lo - h1;
    mkz_lane64 u = MKZ_MUL32(hi, MKZ_SPLAT64(MKZ_GL_E));
    mkz_lane64 r;
    t -= MKZ_LT_MASK(lo, h1) & MKZ_SPLAT64(MKZ_GL_E);
    r = t + u;
    return r + (MKZ_LT_MASK(r, u) & MKZ_SPLAT64(MKZ_GL_E));
}
#endif

MKZ_FN mkz_gl mkz_gl_mul(mkz_gl a, mkz_gl b) {
    mkz_wide w = mkz_mul_wide(a, b);
    return mkz_gl_reduce(w.lo, w.hi);
}

#ifdef MKZ_GL_SQUARE
#define mkz_gl_square MKZ_GL_SQUARE
#else
MKZ_FN mkz_gl mkz_gl_square(mkz_gl a) {
    mkz_wide w = mkz_square_wide(a);
    return mkz_gl_reduce(w.lo, w.hi);
}
#endif
#endif /* MKZ_GL */

/* Three products in a row and one beside them. */
MKZ_FN mkz_gl mkz_gl_pow7(mkz_gl a) {
    mkz_gl a2 = mkz_gl_square(a);
    return mkz_gl_mul(mkz_gl_square(a2), mkz_gl_mul(a2, a));
}

/* x^7 of n elements, in step if MKZ_STATES is 2. */
MKZ_FN void mkz_gl_pow7_each(mkz_gl *x, int n) {
#if MKZ_STATES == 2
    mkz_gl x3[16], x4[16]; /* x4 is x^2 at first */
    MKZ_UNROLL for (int k = 0; k < n; k++) x4[k] = mkz_gl_square(x[k]);
    MKZ_UNROLL for (int k = 0; k < n; k++) {
        x3[k] = mkz_gl_mul(x4[k], x[k]);
        x4[k] = mkz_gl_square(x4[k]);
    }
    MKZ_UNROLL for (int k = 0; k < n; k++) x[k] = mkz_gl_mul(x3[k], x4[k]);
#else
    MKZ_UNROLL for (int k = 0; k < n; k++) x[k] = mkz_gl_pow7(x[k]);
#endif
}

/* Linear layers compute on halves: sums of the low and of the high 32 bits of elements, in 64-bit lanes, without
 * carries. */

/* l + 2^32 h as an element, where l, h < 2^62. */
MKZ_FN mkz_gl mkz_gl_join(mkz_lane64 l, mkz_lane64 h) {
    mkz_lane64 top = h >> 32, low = h << 32;
    mkz_lane64 r = l + (top << 32) - top + low;
    return r + (MKZ_LT_MASK(r, low) & MKZ_SPLAT64(MKZ_GL_E));
}

/* lo + 2^32 hi + c, c canonical, for signed lo and hi between -2^61 and 2^61. The offsets, 2^61 + 2^29 and 2^61 - 2^30,
 * make them positive and are a multiple of p. */
MKZ_FN mkz_gl mkz_gl_join_signed(mkz_lane64 lo, mkz_lane64 hi, mkz_u64 c) {
    return mkz_gl_join(lo + MKZ_SPLAT64((c & MKZ_GL_E) + MKZ_U64(0x2000000020000000)),
                       hi + MKZ_SPLAT64((c >> 32) + MKZ_U64(0x1fffffffc0000000)));
}

#endif
