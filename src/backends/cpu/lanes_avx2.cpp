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

// What lanes_monty31.inc wants.
LANES_INLINE Lane64 multiply_low(Lane64 a, Lane64 b) { return multiply_32(a, b); }
LANES_INLINE Lane64 multiply_signed(Lane64 a, Lane64 b) { return (Lane64)_mm256_mul_epi32((__m256i)a, (__m256i)b); }
LANES_INLINE Lane32 high_words(Lane64 even, Lane64 odd) {
    return (Lane32)_mm256_blend_epi32((__m256i)(even >> 32), (__m256i)odd, 0xaa);
}
LANES_INLINE Lane32 min_32(Lane32 a, Lane32 b) { return (Lane32)_mm256_min_epu32((__m256i)a, (__m256i)b); }
LANES_INLINE Lane32 multiply_16(Lane32 a, Lane32 b) { return (Lane32)_mm256_mullo_epi16((__m256i)a, (__m256i)b); }
LANES_INLINE Lane32 multiply_high_16(Lane32 a, Lane32 b) { return (Lane32)_mm256_mulhi_epu16((__m256i)a, (__m256i)b); }
LANES_INLINE Lane32 mean_16(Lane32 a, Lane32 b) { return (Lane32)_mm256_avg_epu16((__m256i)a, (__m256i)b); }
LANES_INLINE Lane32 less_16(Lane32 a, Lane32 b) { return (Lane32)_mm256_subs_epu16((__m256i)a, (__m256i)b); }
LANES_INLINE Lane32 top_bytes(Lane32 x) {
    const __m256i order = _mm256_set_epi8(-1, 15, -1, 15, -1, 11, -1, 11, -1, 7, -1, 7, -1, 3, -1, 3,  //
                                          -1, 15, -1, 15, -1, 11, -1, 11, -1, 7, -1, 7, -1, 3, -1, 3);
    return (Lane32)_mm256_shuffle_epi8((__m256i)x, order);
}
#include "backends/cpu/lanes_monty31.inc"

// a / 2^k = high - low (p - 1) / 2^k for a = low + 2^k high, as the core has it. It is between -p and p, and its sign
// says whether the sum with b is too large or too small. If (p - 1) / 2^k has no low half, the product is low / 2^k
// times the high half of p - 1: a product of halves, one step on Intel's processors, where one of words is two.
LANES_INLINE Lane32 monty31_add_half(Lane32 b, Lane32 a, int k, bool negative, std::uint32_t p) {
    const auto with_sign = [](std::uint32_t x, Lane32 of) {  // x, 0 or -x
        return (Lane32)_mm256_sign_epi32((__m256i)(Lane32{} + x), (__m256i)of);
    };
    if (k == 1) {
        const Lane32 half = (a >> 1) + with_sign((p + 1) / 2, a & (Lane32{} + 1));
        return negative ? monty31_raise(b - half, p) : monty31_lower(b + half, p);
    }
    const std::uint32_t factor = (p - 1) >> k, ones = (1U << k) - 1;
    const Lane32 product =
        factor % 65536 == 0 ? multiply_high_16(a << (32 - k), Lane32{} + (p - 1)) : (a & ones) * factor;
    const Lane32 half = negative ? product - (a >> k) : (a >> k) - product;
    return min_32(b + half, b + half - with_sign(p, half));
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
#define MKZ_M31_STEP(cells, p) 2
#define MKZ_M31_SBOXES(n, s, c, p) monty31_sboxes<n>(s, c, p)
#define MKZ_M31_SUM(a, n, p) monty31_sum(a, n, p)
#define MKZ_M31_SUM_LEAST 17  // for 15 elements the chain of means is longer than that of the core's sums
#define MKZ_M31_ADD_HALF(b, a, k, p) monty31_add_half(b, a, k, false, p)
#define MKZ_M31_SUB_HALF(b, a, k, p) monty31_add_half(b, a, k, true, p)
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
