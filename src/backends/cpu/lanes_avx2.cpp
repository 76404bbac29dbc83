// AVX2: 8 lanes of 32 bits, 4 of 64. Its 16 registers just hold BLAKE3's state, so the order of steps in
// core/hashes/blake3.h matters most here.
#include <immintrin.h>

#include <cstring>

#include "backends/cpu/lanes.hpp"

namespace {

typedef std::uint32_t Lane32 __attribute__((vector_size(32)));
typedef unsigned long long Lane64 __attribute__((vector_size(32)));

#define LANES_INLINE static inline __attribute__((always_inline))

// Rotations by whole bytes are one shuffle.
LANES_INLINE Lane32 rotate_16(Lane32 x) {
    const __m256i order = _mm256_set_epi8(13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2,  //
                                          13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2);
    return (Lane32)_mm256_shuffle_epi8((__m256i)x, order);
}
LANES_INLINE Lane32 rotate_8(Lane32 x) {
    const __m256i order = _mm256_set_epi8(12, 15, 14, 13, 8, 11, 10, 9, 4, 7, 6, 5, 0, 3, 2, 1,  //
                                          12, 15, 14, 13, 8, 11, 10, 9, 4, 7, 6, 5, 0, 3, 2, 1);
    return (Lane32)_mm256_shuffle_epi8((__m256i)x, order);
}
LANES_INLINE Lane32 reverse_bytes(Lane32 x) {
    const __m256i order = _mm256_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3,  //
                                          12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    return (Lane32)_mm256_shuffle_epi8((__m256i)x, order);
}
LANES_INLINE Lane64 rotate_left_8(Lane64 x) {
    const __m256i order = _mm256_set_epi8(14, 13, 12, 11, 10, 9, 8, 15, 6, 5, 4, 3, 2, 1, 0, 7,  //
                                          14, 13, 12, 11, 10, 9, 8, 15, 6, 5, 4, 3, 2, 1, 0, 7);
    return (Lane64)_mm256_shuffle_epi8((__m256i)x, order);
}
LANES_INLINE Lane64 rotate_left_56(Lane64 x) {
    const __m256i order = _mm256_set_epi8(8, 15, 14, 13, 12, 11, 10, 9, 0, 7, 6, 5, 4, 3, 2, 1,  //
                                          8, 15, 14, 13, 12, 11, 10, 9, 0, 7, 6, 5, 4, 3, 2, 1);
    return (Lane64)_mm256_shuffle_epi8((__m256i)x, order);
}
LANES_INLINE Lane64 less_mask(Lane64 a, Lane64 b) {
    const Lane64 top = Lane64{} + (1ULL << 63);  // AVX2 compares signed words only
    return (Lane64)_mm256_cmpgt_epi64((__m256i)(b ^ top), (__m256i)(a ^ top));
}
LANES_INLINE Lane64 multiply_32(Lane64 a, Lane64 b) { return (Lane64)_mm256_mul_epu32((__m256i)a, (__m256i)b); }

// The core's reduction with its words moved by 2^63, so that both comparisons are signed: 12 instructions instead of
// 16.
LANES_INLINE Lane64 reduce(Lane64 lo, Lane64 hi) {
    const Lane64 top = Lane64{} + (1ULL << 63), e = Lane64{} + 0xffffffffULL;
    const Lane64 moved = lo ^ top;
    Lane64 t = moved - (hi >> 32);
    t -= (Lane64)_mm256_cmpgt_epi64((__m256i)t, (__m256i)moved) & e;
    Lane64 r = t + multiply_32(hi, e);
    r += (Lane64)_mm256_cmpgt_epi64((__m256i)t, (__m256i)r) & e;
    return r ^ top;
}

// High words of products: even lanes and odd lanes apart.
LANES_INLINE Lane32 high_words(__m256i even, __m256i odd) {
    return (Lane32)_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
}
LANES_INLINE Lane32 multiply_high_32(Lane32 a, Lane32 b) {
    return high_words(_mm256_mul_epu32((__m256i)a, (__m256i)b),
                      _mm256_mul_epu32(_mm256_srli_epi64((__m256i)a, 32), _mm256_srli_epi64((__m256i)b, 32)));
}
LANES_INLINE Lane32 min_32(Lane32 a, Lane32 b) { return (Lane32)_mm256_min_epu32((__m256i)a, (__m256i)b); }
// Sums of products of 31-bit fields (core/words/monty31.h), even lanes and odd lanes apart.
struct Products {
    __m256i even, odd;
};
LANES_INLINE Products monty31_product(Lane32 a, std::uint32_t c) {
    const __m256i x = (__m256i)a, factor = _mm256_set1_epi32(static_cast<int>(c));
    return {_mm256_mul_epu32(x, factor), _mm256_mul_epu32(_mm256_srli_epi64(x, 32), factor)};
}
LANES_INLINE Products monty31_add_product(Products sum, Lane32 a, std::uint32_t c) {
    const Products more = monty31_product(a, c);
    return {_mm256_add_epi64(sum.even, more.even), _mm256_add_epi64(sum.odd, more.odd)};
}
LANES_INLINE Products monty31_lower(Products sum, std::uint32_t p) {
    const __m256i limit = _mm256_set1_epi64x(static_cast<long long>(p) << 32);
    return {_mm256_min_epu32(sum.even, _mm256_sub_epi32(sum.even, limit)),
            _mm256_min_epu32(sum.odd, _mm256_sub_epi32(sum.odd, limit))};
}
LANES_INLINE Lane32 monty31_reduce(Products sum, std::uint32_t p) {
    const __m256i modulus = _mm256_set1_epi32(static_cast<int>(p)),
                  inverse = _mm256_set1_epi32(static_cast<int>(2 - p));
    const __m256i q_even = _mm256_mul_epu32(_mm256_mul_epu32(sum.even, inverse), modulus);
    const __m256i q_odd = _mm256_mul_epu32(_mm256_mul_epu32(sum.odd, inverse), modulus);
    const Lane32 t = high_words(sum.even, sum.odd) - high_words(q_even, q_odd);
    return min_32(t, t + (Lane32)modulus);
}
LANES_INLINE Lane32 monty31_mul(Lane32 a, Lane32 b, std::uint32_t p) {
    const __m256i x = (__m256i)a, y = (__m256i)b;
    return monty31_reduce(
        {_mm256_mul_epu32(x, y), _mm256_mul_epu32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(y, 32))}, p);
}
// x^3 or x^7 of signed words. In the products the odd halves of 64-bit lanes do not matter; the result is in those
// halves.
LANES_INLINE __m256i monty31_mul_signed(__m256i a, __m256i b, __m256i inverse, __m256i modulus) {
    const __m256i product = _mm256_mul_epi32(a, b);
    return _mm256_sub_epi64(product, _mm256_mul_epi32(_mm256_mul_epi32(product, inverse), modulus));
}
LANES_INLINE __m256i monty31_power(int power, __m256i x, __m256i inverse, __m256i modulus) {
    const __m256i x2 = _mm256_srli_epi64(monty31_mul_signed(x, x, inverse, modulus), 32);
    const __m256i x3 = monty31_mul_signed(x2, x, inverse, modulus);
    if (power == 3) return x3;
    const __m256i x4 = _mm256_srli_epi64(monty31_mul_signed(x2, x2, inverse, modulus), 32);
    return monty31_mul_signed(x4, _mm256_srli_epi64(x3, 32), inverse, modulus);
}
LANES_INLINE Lane32 monty31_power(int power, Lane32 x, std::uint32_t p) {
    const __m256i modulus = _mm256_set1_epi32(static_cast<int>(p)),
                  inverse = _mm256_set1_epi32(static_cast<int>(2 - p));
    const Lane32 t = high_words(monty31_power(power, (__m256i)x, inverse, modulus),
                                monty31_power(power, _mm256_srli_epi64((__m256i)x, 32), inverse, modulus));
    return min_32(t, t + (Lane32)modulus);
}

}  // namespace

#define MKZ_LANE32 Lane32
#define MKZ_SPLAT32(x) (Lane32{} + static_cast<std::uint32_t>(x))
#define MKZ_LANE64 Lane64
#define MKZ_SPLAT64(x) (Lane64{} + static_cast<unsigned long long>(x))
#define MKZ_ROTR32(x, n) ((n) == 16 ? rotate_16(x) : (n) == 8 ? rotate_8(x) : (((x) >> (n)) | ((x) << (32 - (n)))))
#define MKZ_ROTL64(x, n) \
    ((n) == 8 ? rotate_left_8(x) : (n) == 56 ? rotate_left_56(x) : (((x) << (n)) | ((x) >> (64 - (n)))))
#define MKZ_LT_MASK(a, b) less_mask(a, b)
#define MKZ_BSWAP32(x) reverse_bytes(x)
#define MKZ_MUL32(a, b) multiply_32(a, b)
#define MKZ_GL_REDUCE(lo, hi) reduce(lo, hi)
#define MKZ_MIN32(a, b) min_32(a, b)
#define MKZ_MUL_HI32(a, b) multiply_high_32(a, b)
#define MKZ_M31_MUL(a, b, p) monty31_mul(a, b, p)
#define MKZ_M31_PRODUCTS Products
#define MKZ_M31_PRODUCT(a, c) monty31_product(a, c)
#define MKZ_M31_ADD_PRODUCT(sum, a, c) monty31_add_product(sum, a, c)
#define MKZ_M31_LOWER_PRODUCTS(sum, p) monty31_lower(sum, p)
#define MKZ_M31_REDUCE(sum, p) monty31_reduce(sum, p)
#define MKZ_M31_POW3(x, p) monty31_power(3, x, p)
#define MKZ_M31_POW7(x, p) monty31_power(7, x, p)
#define MKZ_STATES 2
#define MKZ_RP_CELLS 6
#include "merklize/core/names.h"

namespace {

constexpr std::size_t W32 = 8, W64 = 4;

#include "backends/cpu/lanes_256.inc"

}  // namespace

#define LANES_STREAM(to, lane) _mm256_stream_si256(reinterpret_cast<__m256i*>(to), (__m256i)(lane))
#define LANES_ISA "avx2"
#define LANES_TABLE LANES_OF_FAMILY(lanes_avx2_)
#include "backends/cpu/lanes.inc"
