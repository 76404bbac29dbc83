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

// What lanes_monty31.inc wants. Clang would choose vpmullq for low words, which takes three times as long, so it must
// not see where the words go.
LANES_INLINE Lane64 multiply_low(Lane64 a, Lane64 b) {
    Lane64 product = multiply_32(a, b);
#ifdef __clang__
    asm("" : "+v"(product));
#endif
    return product;
}

LANES_INLINE Lane32 min_32(Lane32 a, Lane32 b) { return (Lane32)_mm512_min_epu32((__m512i)a, (__m512i)b); }
LANES_INLINE Lane64 multiply_signed(Lane64 a, Lane64 b) { return (Lane64)_mm512_mul_epi32((__m512i)a, (__m512i)b); }
LANES_INLINE Lane32 high_words(Lane64 even, Lane64 odd) {
    return (Lane32)_mm512_mask_shuffle_epi32((__m512i)odd, 0x5555, (__m512i)even, _MM_PERM_DDBB);
}
LANES_INLINE Lane32 multiply_16(Lane32 a, Lane32 b) { return (Lane32)_mm512_mullo_epi16((__m512i)a, (__m512i)b); }
LANES_INLINE Lane32 multiply_high_16(Lane32 a, Lane32 b) { return (Lane32)_mm512_mulhi_epu16((__m512i)a, (__m512i)b); }
LANES_INLINE Lane32 mean_16(Lane32 a, Lane32 b) { return (Lane32)_mm512_avg_epu16((__m512i)a, (__m512i)b); }
LANES_INLINE Lane32 less_16(Lane32 a, Lane32 b) { return (Lane32)_mm512_subs_epu16((__m512i)a, (__m512i)b); }
LANES_INLINE Lane32 top_bytes(Lane32 x) {
    const __m512i order =
        _mm512_broadcast_i32x4(_mm_set_epi8(-1, 15, -1, 15, -1, 11, -1, 11, -1, 7, -1, 7, -1, 3, -1, 3));
    return (Lane32)_mm512_shuffle_epi8((__m512i)x, order);
}
#include "backends/cpu/lanes_monty31.inc"

// Adds a message word from memory, because two states take all registers. Compilers would load the word before, and
// spill.
LANES_INLINE Lane32 add_from_memory(Lane32 a, const Lane32& b) {
    asm("vpaddd %1, %0, %0" : "+v"(a) : "m"(b));
    return a;
}
// A sum that is made in the order of the source. Compilers choose one in which the chain of a round of SHA-256 is
// longer. Given the instruction, Clang would take b from memory always.
LANES_INLINE Lane32 add_in_order(Lane32 a, Lane32 b) {
#ifdef __clang__
    Lane32 sum = a + b;
    asm("" : "+v"(sum));
#else
    Lane32 sum;
    asm("vpaddd %2, %1, %0" : "=v"(sum) : "v"(a), "vm"(b));
#endif
    return sum;
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
#define MKZ_M31_STEP(cells, p) ((p) % 3 == 1 && (cells) <= 16 ? 4 : 2)
#define MKZ_M31_SBOXES(n, s, c, p) monty31_sboxes<n>(s, c, p)
#define MKZ_M31_SUM(a, n, p) monty31_sum(a, n, p)
#define MKZ_M31_SUM_LEAST 4
#define MKZ_M31_ADD_HALF(b, a, k, p) monty31_add_half(b, a, k, false, p)
#define MKZ_M31_SUB_HALF(b, a, k, p) monty31_add_half(b, a, k, true, p)
#define MKZ_ADD32(a, b) add_in_order(a, b)
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
