// AVX-512 (F, VL, BW, DQ): 16 lanes of 32 bits, 8 of 64. Rotations are one instruction, comparisons give masks.
#include <immintrin.h>

#include <cstring>

#include "backends/cpu/lanes.hpp"

namespace {

typedef std::uint32_t Lane32 __attribute__((vector_size(64)));
typedef unsigned long long Lane64 __attribute__((vector_size(64)));

#define LANES_INLINE static inline __attribute__((always_inline))

LANES_INLINE Lane32 reverse_bytes(Lane32 x) {
    const __m512i order = _mm512_broadcast_i32x4(_mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3));
    return (Lane32)_mm512_shuffle_epi8((__m512i)x, order);
}
LANES_INLINE Lane64 reverse_bytes(Lane64 x) {
    const __m512i order = _mm512_broadcast_i32x4(_mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    return (Lane64)_mm512_shuffle_epi8((__m512i)x, order);
}
// Any function of three bits, given as its table of values.
template <int table, class Lane>
LANES_INLINE Lane of_three(Lane a, Lane b, Lane c) {
    return (Lane)_mm512_ternarylogic_epi32((__m512i)a, (__m512i)b, (__m512i)c, table);
}
LANES_INLINE Lane64 less_mask(Lane64 a, Lane64 b) {
    return (Lane64)_mm512_movm_epi64(_mm512_cmplt_epu64_mask((__m512i)a, (__m512i)b));
}
LANES_INLINE Lane64 multiply_32(Lane64 a, Lane64 b) { return (Lane64)_mm512_mul_epu32((__m512i)a, (__m512i)b); }

// The core's reduction. The corrections are masked operations.
LANES_INLINE Lane64 reduce(Lane64 lo, Lane64 hi) {
    const __m512i e = _mm512_set1_epi64(0xffffffff);
    const __m512i h1 = _mm512_srli_epi64((__m512i)hi, 32);
    __m512i t = _mm512_sub_epi64((__m512i)lo, h1);
    t = _mm512_mask_sub_epi64(t, _mm512_cmplt_epu64_mask((__m512i)lo, h1), t, e);
    const __m512i u = _mm512_mul_epu32((__m512i)hi, e);
    const __m512i r = _mm512_add_epi64(t, u);
    return (Lane64)_mm512_mask_add_epi64(r, _mm512_cmplt_epu64_mask(r, u), r, e);
}

// Low words of products by a constant, where only the low half of each 64-bit lane matters. Clang would choose vpmullq
// for them, which takes three times as long, so it must not see where the words go.
LANES_INLINE __m512i multiply_low(__m512i a, __m512i b) {
    __m512i product = _mm512_mul_epu32(a, b);
#ifdef __clang__
    asm("" : "+v"(product));
#endif
    return product;
}

LANES_INLINE Lane32 min_32(Lane32 a, Lane32 b) { return (Lane32)_mm512_min_epu32((__m512i)a, (__m512i)b); }
LANES_INLINE Lane32 monty31_raise(Lane32 t, std::uint32_t p) { return min_32(t, t + p); }
LANES_INLINE Lane32 monty31_lower(Lane32 t, std::uint32_t p) { return min_32(t, t - p); }

// Sums of products of 31-bit fields (core/words/monty31.h), even lanes and odd lanes apart.
struct Products {
    __m512i even, odd;
};
LANES_INLINE Products monty31_product(Lane32 a, std::uint32_t c) {
    const __m512i x = (__m512i)a, factor = _mm512_set1_epi32(static_cast<int>(c));
    return {_mm512_mul_epu32(x, factor), _mm512_mul_epu32(_mm512_srli_epi64(x, 32), factor)};
}
LANES_INLINE Products monty31_add_product(Products sum, Lane32 a, std::uint32_t c) {
    const Products more = monty31_product(a, c);
    return {_mm512_add_epi64(sum.even, more.even), _mm512_add_epi64(sum.odd, more.odd)};
}
LANES_INLINE Products monty31_lower(Products sum, std::uint32_t p) {
    const __m512i limit = _mm512_set1_epi64(static_cast<long long>(p) << 32);
    return {_mm512_min_epu32(sum.even, _mm512_sub_epi32(sum.even, limit)),
            _mm512_min_epu32(sum.odd, _mm512_sub_epi32(sum.odd, limit))};
}
LANES_INLINE Lane32 monty31_reduce(Products sum, std::uint32_t p) {
    const __m512i modulus = _mm512_set1_epi32(static_cast<int>(p)),
                  inverse = _mm512_set1_epi32(static_cast<int>(2 - p));
    const __m512i q_even = _mm512_mul_epu32(multiply_low(sum.even, inverse), modulus);
    const __m512i q_odd = _mm512_mul_epu32(multiply_low(sum.odd, inverse), modulus);
    const __m512i high = _mm512_mask_shuffle_epi32(sum.odd, 0x5555, sum.even, _MM_PERM_DDBB);
    const __m512i q_high = _mm512_mask_shuffle_epi32(q_odd, 0x5555, q_even, _MM_PERM_DDBB);
    const __m512i t = _mm512_sub_epi32(high, q_high);
    return (Lane32)_mm512_min_epu32(t, _mm512_add_epi32(t, modulus));
}
LANES_INLINE Lane32 monty31_mul(Lane32 a, Lane32 b, std::uint32_t p) {
    const __m512i x = (__m512i)a, y = (__m512i)b;
    return monty31_reduce(
        {_mm512_mul_epu32(x, y), _mm512_mul_epu32(_mm512_srli_epi64(x, 32), _mm512_srli_epi64(y, 32))}, p);
}
// The same for signed words, where the odd halves of 64-bit lanes do not matter; the result is in those halves.
LANES_INLINE __m512i monty31_mul_signed(__m512i a, __m512i b, __m512i inverse, __m512i modulus) {
    const __m512i product = _mm512_mul_epi32(a, b);
    return _mm512_sub_epi64(product, _mm512_mul_epi32(multiply_low(product, inverse), modulus));
}
LANES_INLINE __m512i monty31_power(int power, __m512i x, __m512i inverse, __m512i modulus) {
    const __m512i x2 = _mm512_srli_epi64(monty31_mul_signed(x, x, inverse, modulus), 32);
    const __m512i x3 = monty31_mul_signed(x2, x, inverse, modulus);
    if (power == 3) return x3;
    const __m512i x4 = _mm512_srli_epi64(monty31_mul_signed(x2, x2, inverse, modulus), 32);
    return monty31_mul_signed(x4, _mm512_srli_epi64(x3, 32), inverse, modulus);
}
LANES_INLINE Lane32 monty31_power(int power, Lane32 x, std::uint32_t p) {
    const __m512i modulus = _mm512_set1_epi32(static_cast<int>(p)),
                  inverse = _mm512_set1_epi32(static_cast<int>(2 - p));
    const __m512i even = monty31_power(power, (__m512i)x, inverse, modulus);
    const __m512i odd = monty31_power(power, _mm512_srli_epi64((__m512i)x, 32), inverse, modulus);
    const __m512i t = _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
    return (Lane32)_mm512_min_epu32(t, _mm512_add_epi32(t, modulus));
}
// Seventh powers of four cells in step, because one is a long chain that leaves the multipliers idle.
LANES_INLINE void monty31_mul_signed(__m512i out[8], const __m512i a[8], const __m512i b[8], __m512i inverse,
                                     __m512i modulus) {
    __m512i product[8], q[8];
    for (int i = 0; i < 8; i++) product[i] = _mm512_mul_epi32(a[i], b[i]);
    for (int i = 0; i < 8; i++) q[i] = multiply_low(product[i], inverse);
    for (__m512i& each : q) each = _mm512_mul_epi32(each, modulus);
    for (int i = 0; i < 8; i++) out[i] = _mm512_sub_epi64(product[i], q[i]);
}
LANES_INLINE void monty31_pow7_of_four(Lane32 s[4], const std::uint32_t c[4], std::uint32_t p) {
    const __m512i modulus = _mm512_set1_epi32(static_cast<int>(p)),
                  inverse = _mm512_set1_epi32(static_cast<int>(2 - p));
    __m512i x[8], x2[8], x3[8];
    for (int k = 0; k < 4; k++) {
        x[2 * k] = (__m512i)(s[k] + c[k]);
        x[2 * k + 1] = _mm512_srli_epi64(x[2 * k], 32);
    }
    monty31_mul_signed(x2, x, x, inverse, modulus);
    for (__m512i& each : x2) each = _mm512_srli_epi64(each, 32);
    monty31_mul_signed(x3, x2, x, inverse, modulus);
    monty31_mul_signed(x2, x2, x2, inverse, modulus);
    for (__m512i& each : x2) each = _mm512_srli_epi64(each, 32);
    for (__m512i& each : x3) each = _mm512_srli_epi64(each, 32);
    monty31_mul_signed(x3, x2, x3, inverse, modulus);
    for (int k = 0; k < 4; k++)
        s[k] = monty31_raise((Lane32)_mm512_mask_shuffle_epi32(x3[2 * k + 1], 0x5555, x3[2 * k], _MM_PERM_DDBB), p);
}
// Adds a message word from memory, because two states take all registers. Compilers would load the word before, and
// spill.
LANES_INLINE Lane32 add_from_memory(Lane32 a, const Lane32& b) {
    asm("vpaddd %1, %0, %0" : "+v"(a) : "m"(b));
    return a;
}
// The sum of n elements, n at most 32: their sum S mod 2^32 less q p, which is S - q p if that is in [0, 2^32). The
// multiple q comes from means of halves of 16 bits, one instruction a sum, where a reduction would be two. Two elements
// are below 2^32 together, so the first numbers are sums of pairs. In the high half, the mean of 8 numbers is at most
// 3/2 above S / 2^19 (16 numbers: 2 above S / 2^20), because each mean is rounded up, and less than 1 below it, because
// the low halves are not seen. Less 2, it is never above and less than 3 below. n <= 16: q is S / 2^31, rounded down,
// or one less, which is so only where S is less than 3 2^19 above a multiple of 2^31. So
//          S - q p < 2^31 + q (2^31 - p) + 3 2^19, below 2 p for q < 14; for q >= 14 it is at most 16 (p - 1) - 14 p.
// n > 16:  times 2^46 / p / 2^16 it is S / p in parts of 2^-10, less than 6 below. So S - q p < p + 6 p / 2^10.
LANES_INLINE Lane32 monty31_sum(const Lane32* a, int n, std::uint32_t p) {
    Lane32 sum{}, means[16] = {};
    for (int k = 0; k < n / 2; k++) {
        means[k] = a[2 * k] + a[2 * k + 1];
        sum += means[k];
    }
    if (n % 2 == 1) {
        means[n / 2] = a[n - 1];
        sum += a[n - 1];
    }
    for (int left = (n + 1) / 2, from = n > 16 ? 16 : 8; from > 1; left = (left + 1) / 2, from /= 2) {
        for (int k = 0; k < (left + 1) / 2; k++) {
            const Lane32 other = 2 * k + 1 < left ? means[2 * k + 1] : Lane32{};
            means[k] = (Lane32)_mm512_avg_epu16((__m512i)means[2 * k], (__m512i)other);
        }
    }
    const __m512i mean = _mm512_subs_epu16((__m512i)means[0], _mm512_set1_epi32(2 << 16));
    if (n <= 16) {
        Lane32 multiples;
        for (unsigned q = 0; q < 16; q++) multiples[q] = q * p;
        sum -= (Lane32)_mm512_permutexvar_epi32((__m512i)((Lane32)mean >> 28), (__m512i)multiples);
    } else {
        const auto parts = static_cast<short>((std::uint64_t{1} << 46) / p);
        const Lane32 q = (Lane32)_mm512_mulhi_epu16(mean, _mm512_set1_epi16(parts)) >> 26;
        sum -= (Lane32)_mm512_mullo_epi32((__m512i)q, _mm512_set1_epi32(static_cast<int>(p)));
    }
    return monty31_lower(sum, p);
}

// a / 2^k = high - low (p - 1) / 2^k for a = low + 2^k high, as the core has it. Where low is 0, this is not negative,
// else it is not positive. With p for the product where low is 0, the product less high is p - a / 2^k in [0, p], which
// one minimum more makes a sum.
LANES_INLINE Lane32 monty31_add_half(Lane32 b, Lane32 a, int k, bool negative, std::uint32_t p) {
    if (k == 1) {
        const __mmask16 odd = _mm512_test_epi32_mask((__m512i)a, _mm512_set1_epi32(1));
        const __m512i floor = (__m512i)(a >> 1);
        const Lane32 half =
            (Lane32)_mm512_mask_add_epi32(floor, odd, floor, _mm512_set1_epi32(static_cast<int>((p + 1) / 2)));
        return negative ? monty31_raise(b - half, p) : monty31_lower(b + half, p);
    }
    const __m512i ones = _mm512_set1_epi32((1 << k) - 1);
    const __mmask16 any = _mm512_test_epi32_mask((__m512i)a, ones);
    const __m512i product =
        _mm512_mask_mullo_epi32(_mm512_set1_epi32(static_cast<int>(p)), any, _mm512_and_si512((__m512i)a, ones),
                                _mm512_set1_epi32(static_cast<int>((p - 1) >> k)));
    const Lane32 less = (Lane32)product - (a >> k);
    return negative ? monty31_lower(b + less, p) : monty31_raise(b - less, p);
}
LANES_INLINE Lane32 multiply_high_32(Lane32 a, Lane32 b) {
    const __m512i even = _mm512_mul_epu32((__m512i)a, (__m512i)b);
    const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64((__m512i)a, 32), _mm512_srli_epi64((__m512i)b, 32));
    return (Lane32)_mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
}

}  // namespace

#define MKZ_LANE32 Lane32
#define MKZ_SPLAT32(x) (Lane32{} + static_cast<std::uint32_t>(x))
#define MKZ_LANE64 Lane64
#define MKZ_SPLAT64(x) (Lane64{} + static_cast<unsigned long long>(x))
#define MKZ_ROTR32(x, n) ((Lane32)_mm512_ror_epi32((__m512i)(x), (n)))
#define MKZ_LT_MASK(a, b) less_mask(a, b)
#define MKZ_BSWAP32(x) reverse_bytes(x)
#define MKZ_BSWAP64(x) reverse_bytes(x)
#define MKZ_ROTL64(x, n) ((Lane64)_mm512_rol_epi64((__m512i)(x), (n)))
#define MKZ_XOR3(a, b, c) of_three<0x96>(a, b, c)
#define MKZ_CHOOSE(a, b, c) of_three<0xca>(a, b, c)
#define MKZ_MAJORITY(a, b, c) of_three<0xe8>(a, b, c)
#define MKZ_XOR_ANDNOT(a, b, c) of_three<0xd2>(a, b, c)
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
#define MKZ_M31_POW7_OF_FOUR(s, c, p) monty31_pow7_of_four(s, c, p)
#ifdef __clang__
#define MKZ_M31_POW7_OF_FOUR_MOST 32
#else
#define MKZ_M31_POW7_OF_FOUR_MOST 16  // GCC puts more of a wider state into memory then
#endif
#define MKZ_M31_SUM(a, n, p) monty31_sum(a, n, p)
#define MKZ_M31_ADD_HALF(b, a, k, p) monty31_add_half(b, a, k, false, p)
#define MKZ_M31_SUB_HALF(b, a, k, p) monty31_add_half(b, a, k, true, p)
#define MKZ_ADD32_3(a, b, c) (add_from_memory(a, b) + (c))
#define MKZ_BLAKE3_TOGETHER 1
#define MKZ_BLAKE3_STATES 2
#define MKZ_SHA256_STATES 2
#define MKZ_STATES 2
#define MKZ_RP_CELLS 6
#include "merklize/core/names.h"

namespace {

constexpr std::size_t W32 = 16, W64 = 8;

// Transposes the words of four vectors in each quarter: word i of quarter k of r[j] goes to word j of quarter k of
// r[i].
LANES_INLINE void transpose_quarters(__m512i r[4]) {
    const __m512i a = _mm512_unpacklo_epi32(r[0], r[1]), b = _mm512_unpackhi_epi32(r[0], r[1]);
    const __m512i c = _mm512_unpacklo_epi32(r[2], r[3]), d = _mm512_unpackhi_epi32(r[2], r[3]);
    r[0] = _mm512_unpacklo_epi64(a, c);
    r[1] = _mm512_unpackhi_epi64(a, c);
    r[2] = _mm512_unpacklo_epi64(b, d);
    r[3] = _mm512_unpackhi_epi64(b, d);
}

// Loads by halves of 32 bytes: each load joins the halves of two lanes, which saves a fourth of the shuffles. Intel's
// processors start shuffles on one port only.
LANES_INLINE void load_block(mkz_lane32 m[16], const std::uint8_t* const p[W32]) {
    for (std::size_t h = 0; h < 2; h++) {
        const auto half = [&](std::size_t lane) {
            return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p[lane] + 32 * h));
        };
        __m512i r[8];  // lanes 0 to 3 with 4 to 7, then 8 to 11 with 12 to 15
        for (std::size_t i = 0; i < 8; i++) r[i] = _mm512_castsi256_si512(half(i < 4 ? i : i + 4));
        for (std::size_t i = 0; i < 8; i++) r[i] = _mm512_inserti64x4(r[i], half(i < 4 ? i + 4 : i + 8), 1);
        transpose_quarters(r);
        transpose_quarters(r + 4);
        for (std::size_t j = 0; j < 4; j++) {
            m[8 * h + j] = (Lane32)_mm512_shuffle_i32x4(r[j], r[4 + j], 0x88);
            m[8 * h + 4 + j] = (Lane32)_mm512_shuffle_i32x4(r[j], r[4 + j], 0xdd);
        }
    }
}

LANES_INLINE void store_digests(std::uint8_t* out, const mkz_lane32 cv[8]) {
    __m512i r[8];
    for (int i = 0; i < 8; i++) r[i] = (__m512i)cv[i];
    transpose_quarters(r);
    transpose_quarters(r + 4);
    // Quarter k of r[j] and of r[4 + j] are the halves of digest 4 k + j.
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i last = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    const auto store = [&](int item, __m256i digest) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 32 * item), digest);
    };
    __m512i low[4], high[4];
    for (int j = 0; j < 4; j++) {
        low[j] = _mm512_permutex2var_epi64(r[j], first, r[4 + j]);
        high[j] = _mm512_permutex2var_epi64(r[j], last, r[4 + j]);
    }
    for (int j = 0; j < 4; j++) store(j, _mm512_castsi512_si256(low[j]));
    for (int j = 0; j < 4; j++) store(4 + j, _mm512_extracti64x4_epi64(low[j], 1));
    for (int j = 0; j < 4; j++) store(8 + j, _mm512_castsi512_si256(high[j]));
    for (int j = 0; j < 4; j++) store(12 + j, _mm512_extracti64x4_epi64(high[j], 1));
}

#define LANES_BLOCKS_64

// Loads by halves of 32 bytes, as above: lanes 0, 1, 4, 5 with 2, 3, 6, 7, so that words of neighbours join in order.
LANES_INLINE void load_block(mkz_lane64 m[8], const std::uint8_t* const p[W64]) {
    for (std::size_t h = 0; h < 2; h++) {
        const auto half = [&](std::size_t lane) {
            return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p[lane] + 32 * h));
        };
        __m512i r[4];
        for (std::size_t i = 0; i < 4; i++) {
            const std::size_t lane = i < 2 ? i : i + 2;
            r[i] = _mm512_inserti64x4(_mm512_castsi256_si512(half(lane)), half(lane + 2), 1);
        }
        for (std::size_t j = 0; j < 2; j++) {
            const __m512i low = j == 0 ? _mm512_unpacklo_epi64(r[0], r[1]) : _mm512_unpackhi_epi64(r[0], r[1]);
            const __m512i high = j == 0 ? _mm512_unpacklo_epi64(r[2], r[3]) : _mm512_unpackhi_epi64(r[2], r[3]);
            m[4 * h + j] = (Lane64)_mm512_shuffle_i64x2(low, high, 0x88);
            m[4 * h + 2 + j] = (Lane64)_mm512_shuffle_i64x2(low, high, 0xdd);
        }
    }
}

LANES_INLINE void store_digests(std::uint8_t* out, const mkz_lane64 digest[4]) {
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i last = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    const auto store = [&](int item, __m512i digests) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 32 * item), _mm512_castsi512_si256(digests));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 32 * (item + 2)), _mm512_extracti64x4_epi64(digests, 1));
    };
    const __m512i d[4] = {(__m512i)digest[0], (__m512i)digest[1], (__m512i)digest[2], (__m512i)digest[3]};
    const __m512i even[2] = {_mm512_unpacklo_epi64(d[0], d[1]), _mm512_unpacklo_epi64(d[2], d[3])};
    const __m512i odd[2] = {_mm512_unpackhi_epi64(d[0], d[1]), _mm512_unpackhi_epi64(d[2], d[3])};
    store(0, _mm512_permutex2var_epi64(even[0], first, even[1]));
    store(1, _mm512_permutex2var_epi64(odd[0], first, odd[1]));
    store(4, _mm512_permutex2var_epi64(even[0], last, even[1]));
    store(5, _mm512_permutex2var_epi64(odd[0], last, odd[1]));
}

}  // namespace

#define LANES_STREAM(to, lane) _mm512_stream_si512(reinterpret_cast<__m512i*>(to), (__m512i)(lane))
#define LANES_ISA "avx512"
#define LANES_TABLE LANES_OF_FAMILY(lanes_avx512_)
#include "backends/cpu/lanes.inc"
