// NEON (AArch64): 4 lanes of 32 bits, 2 of 64.
#include <arm_neon.h>

#include <cstring>

#include "backends/cpu/lanes.hpp"

namespace {

typedef std::uint32_t Lane32 __attribute__((vector_size(16)));
typedef unsigned long long Lane64 __attribute__((vector_size(16)));

#define LANES_INLINE static inline __attribute__((always_inline))

LANES_INLINE Lane64 multiply_32(Lane64 a, Lane64 b) {
    return (Lane64)vmull_u32(vmovn_u64((uint64x2_t)a), vmovn_u64((uint64x2_t)b));
}
LANES_INLINE Lane32 multiply_high_32(Lane32 a, Lane32 b) {
    const uint64x2_t low = vmull_u32(vget_low_u32((uint32x4_t)a), vget_low_u32((uint32x4_t)b));
    const uint64x2_t high = vmull_u32(vget_high_u32((uint32x4_t)a), vget_high_u32((uint32x4_t)b));
    return (Lane32)vuzp2q_u32(vreinterpretq_u32_u64(low), vreinterpretq_u32_u64(high));
}
LANES_INLINE Lane32 min_32(Lane32 a, Lane32 b) { return (Lane32)vminq_u32((uint32x4_t)a, (uint32x4_t)b); }

// A rotation to the right: one instruction by 16 and by 8, else a shift and a shift that inserts. The compiler makes
// three.
template <int n>
LANES_INLINE Lane32 rotate(Lane32 x) {
    const auto v = (uint32x4_t)x;
    if constexpr (n == 16) return (Lane32)vrev32q_u16(vreinterpretq_u16_u32(v));
    if constexpr (n == 8) {
        const uint8x16_t order = {1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12};
        return (Lane32)vqtbl1q_u8(vreinterpretq_u8_u32(v), order);
    }
    return (Lane32)vsriq_n_u32(vshlq_n_u32(v, 32 - n), v, n);
}
template <int n>
LANES_INLINE Lane64 rotate_left(Lane64 x) {
    const auto v = (uint64x2_t)x;
    return (Lane64)vsliq_n_u64(vshrq_n_u64(v, 64 - n), v, n);
}

// Sums of products of 31-bit fields (core/words/monty31.h), of the lower and of the upper lanes.
struct Products {
    uint64x2_t lower, upper;
};
LANES_INLINE Products monty31_product(Lane32 a, std::uint32_t c) {
    return {vmull_n_u32(vget_low_u32((uint32x4_t)a), c), vmull_n_u32(vget_high_u32((uint32x4_t)a), c)};
}
LANES_INLINE Products monty31_add_product(Products sum, Lane32 a, std::uint32_t c) {
    return {vmlal_n_u32(sum.lower, vget_low_u32((uint32x4_t)a), c),
            vmlal_n_u32(sum.upper, vget_high_u32((uint32x4_t)a), c)};
}
LANES_INLINE uint64x2_t monty31_lower(uint64x2_t sum, std::uint32_t p) {
    const uint32x4_t words = vreinterpretq_u32_u64(sum),
                     limit = vreinterpretq_u32_u64(vdupq_n_u64(std::uint64_t{p} << 32));
    return vreinterpretq_u64_u32(vminq_u32(words, vsubq_u32(words, limit)));
}
LANES_INLINE Lane32 monty31_reduce(Products sum, std::uint32_t p) {
    const uint32x4_t lower = vreinterpretq_u32_u64(sum.lower), upper = vreinterpretq_u32_u64(sum.upper);
    const Lane32 modulus = Lane32{} + p, q = (Lane32)vuzp1q_u32(lower, upper) * (2 - p);
    const Lane32 t = (Lane32)vuzp2q_u32(lower, upper) - multiply_high_32(q, modulus);
    return min_32(t, t + modulus);
}

}  // namespace

#define MKZ_LANE32 Lane32
#define MKZ_SPLAT32(x) (Lane32{} + static_cast<std::uint32_t>(x))
#define MKZ_LANE64 Lane64
#define MKZ_SPLAT64(x) (Lane64{} + static_cast<unsigned long long>(x))
#define MKZ_ROTR32(x, n) rotate<n>(x)
#define MKZ_ROTL64(x, n) rotate_left<n>(x)
#define MKZ_BSWAP32(x) ((Lane32)vrev32q_u8((uint8x16_t)(x)))
#define MKZ_MUL32(a, b) multiply_32(a, b)
#define MKZ_MIN32(a, b) min_32(a, b)
#define MKZ_MUL_HI32(a, b) multiply_high_32(a, b)
#define MKZ_M31_PRODUCTS Products
#define MKZ_M31_PRODUCT(a, c) monty31_product(a, c)
#define MKZ_M31_ADD_PRODUCT(sum, a, c) monty31_add_product(sum, a, c)
#define MKZ_M31_LOWER_PRODUCTS(sum, p) (Products{monty31_lower((sum).lower, p), monty31_lower((sum).upper, p)})
#define MKZ_M31_REDUCE(sum, p) monty31_reduce(sum, p)
#define MKZ_RP_CELLS 6
#include "merklize/core/names.h"

namespace {

constexpr std::size_t W32 = 4, W64 = 2;

LANES_INLINE void transpose(Lane32 rows[4]) {
    const uint32x4x2_t a = vtrnq_u32((uint32x4_t)rows[0], (uint32x4_t)rows[1]);
    const uint32x4x2_t b = vtrnq_u32((uint32x4_t)rows[2], (uint32x4_t)rows[3]);
    rows[0] = (Lane32)vcombine_u32(vget_low_u32(a.val[0]), vget_low_u32(b.val[0]));
    rows[1] = (Lane32)vcombine_u32(vget_low_u32(a.val[1]), vget_low_u32(b.val[1]));
    rows[2] = (Lane32)vcombine_u32(vget_high_u32(a.val[0]), vget_high_u32(b.val[0]));
    rows[3] = (Lane32)vcombine_u32(vget_high_u32(a.val[1]), vget_high_u32(b.val[1]));
}

LANES_INLINE void load_block(mkz_lane32 m[16], const std::uint8_t* const p[W32]) {
    for (std::size_t q = 0; q < 4; q++) {
        for (std::size_t i = 0; i < W32; i++) m[4 * q + i] = (Lane32)vreinterpretq_u32_u8(vld1q_u8(p[i] + 16 * q));
        transpose(m + 4 * q);
    }
}

LANES_INLINE void store_digests(std::uint8_t* out, const mkz_lane32 cv[8]) {
    for (std::size_t q = 0; q < 2; q++) {
        Lane32 rows[4] = {cv[4 * q], cv[4 * q + 1], cv[4 * q + 2], cv[4 * q + 3]};
        transpose(rows);
        for (std::size_t i = 0; i < W32; i++) {
            vst1q_u8(out + 32 * i + 16 * q, vreinterpretq_u8_u32((uint32x4_t)rows[i]));
        }
    }
}

}  // namespace

#define LANES_ISA "neon"
#define LANES_TABLE LANES_OF_FAMILY(lanes_neon_)
#include "backends/cpu/lanes.inc"
