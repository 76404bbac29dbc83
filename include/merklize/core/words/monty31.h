/* monty31.h: prime fields of p = 2^31 - 2^j + 1, in Montgomery form: the word of an element x is 2^32 x mod p, below p.
 * BabyBear has j = 27, KoalaBear j = 24. Every function takes p, a constant.
 *
 * p = 1 mod 2^16, so 1 / p = 2 - p mod 2^32. */
#ifndef MKZ_MONTY31_H
#define MKZ_MONTY31_H

#include "../port.h"

/* t or t + p, whichever is below p, for t in (-p, p) mod 2^32; t or t - p for t in [0, 2p). */
MKZ_FN mkz_lane32 mkz_m31_raise(mkz_lane32 t, mkz_u32 p) { return MKZ_MIN32(t, t + MKZ_SPLAT32(p)); }
MKZ_FN mkz_lane32 mkz_m31_lower(mkz_lane32 t, mkz_u32 p) { return MKZ_MIN32(t, t - MKZ_SPLAT32(p)); }

MKZ_FN mkz_lane32 mkz_m31_add(mkz_lane32 a, mkz_lane32 b, mkz_u32 p) { return mkz_m31_lower(a + b, p); }
MKZ_FN mkz_lane32 mkz_m31_sub(mkz_lane32 a, mkz_lane32 b, mkz_u32 p) { return mkz_m31_raise(a - b, p); }

/* a b / 2^32 mod p, below p, for a < 2^32 and b < p. With q = a b / p mod 2^32 the low words of a b and q p are equal,
 * so only the high words are subtracted. */
#ifdef MKZ_M31_MUL
#define mkz_m31_mul MKZ_M31_MUL
#else
MKZ_FN mkz_lane32 mkz_m31_mul(mkz_lane32 a, mkz_lane32 b, mkz_u32 p) {
    mkz_wide32 w = mkz_mul_wide32(a, b);
    return mkz_m31_raise(w.hi - mkz_mul_wide32(w.lo * MKZ_SPLAT32(2 - p), MKZ_SPLAT32(p)).hi, p);
}
#endif

/* The same for signed words: a b / 2^32 mod p in (-p, p), for |a b| < 2^31 p. */
MKZ_FN mkz_lane32 mkz_m31_mul_signed(mkz_lane32 a, mkz_lane32 b, mkz_u32 p) {
    mkz_lane32 q = a * b * MKZ_SPLAT32(2 - p);
    return MKZ_MUL_HI32_SIGNED(a, b) - MKZ_MUL_HI32_SIGNED(q, MKZ_SPLAT32(p));
}

/* x^3 and x^7, below p, for signed x between -p and p. Only the last product is made positive. */
#ifdef MKZ_M31_POW3
#define mkz_m31_pow3 MKZ_M31_POW3
#define mkz_m31_pow7 MKZ_M31_POW7
#else
MKZ_FN mkz_lane32 mkz_m31_pow3(mkz_lane32 x, mkz_u32 p) {
    return mkz_m31_raise(mkz_m31_mul_signed(mkz_m31_mul_signed(x, x, p), x, p), p);
}
MKZ_FN mkz_lane32 mkz_m31_pow7(mkz_lane32 x, mkz_u32 p) {
    mkz_lane32 x2 = mkz_m31_mul_signed(x, x, p);
    return mkz_m31_raise(mkz_m31_mul_signed(mkz_m31_mul_signed(x2, x2, p), mkz_m31_mul_signed(x2, x, p), p), p);
}
#endif

/* The S-box of Poseidon and Poseidon2: (x + c)^alpha, for c less p, so x + c is between -p and p. alpha is 7 if 3
 * divides p - 1, else 3. */
MKZ_FN mkz_lane32 mkz_m31_sbox(mkz_lane32 x, mkz_u32 c, mkz_u32 p) {
    x = x + MKZ_SPLAT32(c);
    return p % 3 == 1 ? mkz_m31_pow7(x, p) : mkz_m31_pow3(x, p);
}

/* How many S-boxes of a layer of `cells` are done in step, and so many, of cells s and constants c. One is a chain of
 * products, so a build with vectors may do several. */
#ifndef MKZ_M31_STEP
#define MKZ_M31_STEP(cells, p) 1
#define MKZ_M31_SBOXES(n, s, c, p) *(s) = mkz_m31_sbox(*(s), *(c), p)
#endif

/* The words 2^32 mod p and 2^64 mod p. */
MKZ_FN mkz_u32 mkz_m31_one(mkz_u32 p) { return (mkz_u32)(((mkz_u64)1 << 32) % p); }
MKZ_FN mkz_u32 mkz_m31_square_of_one(mkz_u32 p) { return (mkz_u32)((mkz_u64)mkz_m31_one(p) * mkz_m31_one(p) % p); }

/* Any word as an element, and the canonical word of an element. */
MKZ_FN mkz_lane32 mkz_m31_from_word(mkz_lane32 x, mkz_u32 p) {
    return mkz_m31_mul(x, MKZ_SPLAT32(mkz_m31_square_of_one(p)), p);
}
MKZ_FN mkz_lane32 mkz_m31_to_word(mkz_lane32 a, mkz_u32 p) {
    mkz_lane32 q = a * MKZ_SPLAT32(2 - p);
    return mkz_m31_raise(MKZ_SPLAT32(0) - mkz_mul_wide32(q, MKZ_SPLAT32(p)).hi, p);
}

/* a / 2^k, for 0 < k <= j. Let a = low + 2^k high. Because p = 1 mod 2^k, a - low p is a multiple of 2^k, and the
 * quotient is high - low (p - 1) / 2^k. */
MKZ_FN mkz_lane32 mkz_m31_halve(mkz_lane32 a, int k, mkz_u32 p) {
    mkz_lane32 low = a & MKZ_SPLAT32(((mkz_u32)1 << k) - 1);
    return mkz_m31_raise((a >> k) - low * MKZ_SPLAT32((p - 1) >> k), p);
}

/* b + a / 2^k and b - a / 2^k. */
#ifdef MKZ_M31_ADD_HALF
#define mkz_m31_add_half MKZ_M31_ADD_HALF
#define mkz_m31_sub_half MKZ_M31_SUB_HALF
#else
MKZ_FN mkz_lane32 mkz_m31_add_half(mkz_lane32 b, mkz_lane32 a, int k, mkz_u32 p) {
    return mkz_m31_add(b, mkz_m31_halve(a, k, p), p);
}
MKZ_FN mkz_lane32 mkz_m31_sub_half(mkz_lane32 b, mkz_lane32 a, int k, mkz_u32 p) {
    return mkz_m31_sub(b, mkz_m31_halve(a, k, p), p);
}
#endif

/* a d for a small number d. */
MKZ_FN mkz_lane32 mkz_m31_times(mkz_lane32 a, int d, mkz_u32 p) {
    mkz_lane32 twice = mkz_m31_lower(a + a, p);
    if (d == 1) return a;
    if (d == 2) return twice;
    if (d == 3) return mkz_m31_add(twice, a, p);
    return mkz_m31_lower(twice + twice, p); /* 4 */
}

/* The sum of n elements, 4 <= n <= 32 a constant. A build with vectors may have its own, from a least n on. */
MKZ_FN mkz_lane32 mkz_m31_sum(const mkz_lane32 *a, int n, mkz_u32 p) {
#ifdef MKZ_M31_SUM
    if (n >= MKZ_M31_SUM_LEAST) return MKZ_M31_SUM(a, n, p);
#endif
#ifdef MKZ_LANE64_IS_WORD /* words: one reduction for all */
    mkz_u64 sum = 0;
    MKZ_UNROLL for (int k = 0; k < n; k++) sum += a[k];
    /* 2^31 = 2^j - 1 mod p. The sum is at most 32 (p - 1) = 30 2^31 of BabyBear, and 30 (2^27 - 1) < 2 p; of KoalaBear
     * 31 (2^24 - 1). */
    return mkz_m31_add(mkz_m31_lower((mkz_u32)sum & 0x7fffffffu, p),
                       mkz_m31_lower((mkz_u32)(sum >> 31) * (0x80000000u - p), p), p);
#else
    mkz_lane32 sums[4] = {a[0], a[1], a[2], a[3]};
    MKZ_UNROLL_WHOLE for (int k = 4; k < n; k++) sums[k % 4] = mkz_m31_add(sums[k % 4], a[k], p);
    return mkz_m31_add(mkz_m31_add(sums[0], sums[1], p), mkz_m31_add(sums[2], sums[3], p), p);
#endif
}

/* Sums of products of lanes by words, which have one reduction: for each lane a sum of 64 bits, of factors below p. A
 * build with vectors may have a type of its own for them. */
#ifdef MKZ_M31_PRODUCTS
typedef MKZ_M31_PRODUCTS mkz_m31_products;
#define mkz_m31_product MKZ_M31_PRODUCT
#define mkz_m31_add_product MKZ_M31_ADD_PRODUCT
#define mkz_m31_lower_products MKZ_M31_LOWER_PRODUCTS
#define mkz_m31_reduce MKZ_M31_REDUCE
#else
typedef struct {
    mkz_u64 w[MKZ_LANES];
} mkz_m31_products;

MKZ_FN mkz_m31_products mkz_m31_product(mkz_lane32 a, mkz_u32 c) {
    mkz_m31_products sum = {{0}};
    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) sum.w[j] = (mkz_u64)MKZ_LANE(mkz_u32, a, j) * c;
    return sum;
}
MKZ_FN mkz_m31_products mkz_m31_add_product(mkz_m31_products sum, mkz_lane32 a, mkz_u32 c) {
    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) sum.w[j] += (mkz_u64)MKZ_LANE(mkz_u32, a, j) * c;
    return sum;
}

/* Sums below 2^33 p, made less than 2^32 p. */
MKZ_FN mkz_m31_products mkz_m31_lower_products(mkz_m31_products sum, mkz_u32 p) {
    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) {
#if MKZ_CPU
        mkz_u64 less = sum.w[j] - ((mkz_u64)p << 32);
        sum.w[j] = sum.w[j] < less ? sum.w[j] : less;
#else /* the high words alone, because a GPU has no words of 64 bits */
        mkz_u32 high = (mkz_u32)(sum.w[j] >> 32), less = high - p;
        sum.w[j] = (mkz_u64)(high < less ? high : less) << 32 | (mkz_u32)sum.w[j];
#endif
    }
    return sum;
}

/* Sums below 2^32 p, divided by 2^32 as mkz_m31_mul does. */
MKZ_FN mkz_lane32 mkz_m31_reduce(mkz_m31_products sum, mkz_u32 p) {
    mkz_wide32 w = {MKZ_SPLAT32(0), MKZ_SPLAT32(0)};
    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) {
        MKZ_LANE(mkz_u32, w.lo, j) = (mkz_u32)sum.w[j];
        MKZ_LANE(mkz_u32, w.hi, j) = (mkz_u32)(sum.w[j] >> 32);
    }
    return mkz_m31_raise(w.hi - mkz_mul_wide32(w.lo * MKZ_SPLAT32(2 - p), MKZ_SPLAT32(p)).hi, p);
}
#endif

/* A sum of n products takes one more, of a word c below p, and has `taken` of them then. Four products are below 2^64
 * and 2^33 p, and so are 2^32 p and two more; two are below 2^32 p. */
MKZ_FN mkz_m31_products mkz_m31_take(mkz_m31_products sum, mkz_lane32 a, mkz_u32 c, int taken, int n, mkz_u32 p) {
    sum = mkz_m31_add_product(sum, a, c);
    return taken > 2 && (taken == n || taken % 2 == 0) ? mkz_m31_lower_products(sum, p) : sum;
}

/* The sum of a[k] c[k] / 2^32 mod p, below p, for n elements a and n words c below p. a[0] comes last, because it may
 * be known last. */
MKZ_FN mkz_lane32 mkz_m31_dot(const mkz_lane32 *a, MKZ_CONSTANT const mkz_u32 *c, int n, mkz_u32 p) {
    mkz_m31_products sum = mkz_m31_product(a[n - 1], c[n - 1]);
    MKZ_UNROLL for (int taken = 2; taken <= n; taken++) sum =
        mkz_m31_take(sum, a[n - taken], c[n - taken], taken, n, p);
    return mkz_m31_reduce(sum, p);
}

#endif /* MKZ_MONTY31_H */
