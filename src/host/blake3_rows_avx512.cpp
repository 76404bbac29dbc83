// BLAKE3 of one, two or four states by AVX-512 (F, VL, BW, DQ): four rows of 4 words a state, one vector a row, the states side by side.
#include <immintrin.h>

#include <cstring>

#include "host/blake3_rows.hpp"
#include "merklize/core/hashes/blake3.h"

namespace merklize::runtime {
namespace {

using Bytes = const std::uint8_t*;

#define ROWS_INLINE [[gnu::always_inline]] static inline

// A row of 1, 2 or 4 states. All shuffles stay inside a state's 16 bytes, because those take one cycle.
typedef std::uint32_t Row1 __attribute__((vector_size(16)));
typedef std::uint32_t Row2 __attribute__((vector_size(32)));
typedef std::uint32_t Row4 __attribute__((vector_size(64)));
template <class Row>
constexpr std::size_t states = sizeof(Row) / 16;

template <int n>
ROWS_INLINE Row1 rotate(Row1 x) {
    return (Row1)_mm_ror_epi32((__m128i)x, n);
}
template <int n>
ROWS_INLINE Row2 rotate(Row2 x) {
    return (Row2)_mm256_ror_epi32((__m256i)x, n);
}
template <int n>
ROWS_INLINE Row4 rotate(Row4 x) {
    return (Row4)_mm512_ror_epi32((__m512i)x, n);
}

// Words w0, w1 of a and w2, w3 of b.
template <int w0, int w1, int w2, int w3>
ROWS_INLINE Row1 words(Row1 a, Row1 b) {
    return (Row1)_mm_shuffle_ps((__m128)a, (__m128)b, w0 | w1 << 2 | w2 << 4 | w3 << 6);
}
template <int w0, int w1, int w2, int w3>
ROWS_INLINE Row2 words(Row2 a, Row2 b) {
    return (Row2)_mm256_shuffle_ps((__m256)a, (__m256)b, w0 | w1 << 2 | w2 << 4 | w3 << 6);
}
template <int w0, int w1, int w2, int w3>
ROWS_INLINE Row4 words(Row4 a, Row4 b) {
    return (Row4)_mm512_shuffle_ps((__m512)a, (__m512)b, w0 | w1 << 2 | w2 << 4 | w3 << 6);
}
// Words w0 to w3 of a.
template <int w0, int w1, int w2, int w3>
ROWS_INLINE Row1 words(Row1 a) {
    return (Row1)_mm_shuffle_epi32((__m128i)a, w0 | w1 << 2 | w2 << 4 | w3 << 6);
}
template <int w0, int w1, int w2, int w3>
ROWS_INLINE Row2 words(Row2 a) {
    return (Row2)_mm256_shuffle_epi32((__m256i)a, w0 | w1 << 2 | w2 << 4 | w3 << 6);
}
template <int w0, int w1, int w2, int w3>
ROWS_INLINE Row4 words(Row4 a) {
    return (Row4)_mm512_shuffle_epi32((__m512i)a, static_cast<_MM_PERM_ENUM>(w0 | w1 << 2 | w2 << 4 | w3 << 6));
}

// a with word 3 of b.
ROWS_INLINE Row1 with_last(Row1 a, Row1 b) { return (Row1)_mm_blend_epi32((__m128i)a, (__m128i)b, 0x8); }
ROWS_INLINE Row2 with_last(Row2 a, Row2 b) { return (Row2)_mm256_blend_epi32((__m256i)a, (__m256i)b, 0x88); }
ROWS_INLINE Row4 with_last(Row4 a, Row4 b) { return (Row4)_mm512_mask_mov_epi32((__m512i)a, 0x8888, (__m512i)b); }

// a2 b2 a3 b3
ROWS_INLINE Row1 upper(Row1 a, Row1 b) { return (Row1)_mm_unpackhi_epi32((__m128i)a, (__m128i)b); }
ROWS_INLINE Row2 upper(Row2 a, Row2 b) { return (Row2)_mm256_unpackhi_epi32((__m256i)a, (__m256i)b); }
ROWS_INLINE Row4 upper(Row4 a, Row4 b) { return (Row4)_mm512_unpackhi_epi32((__m512i)a, (__m512i)b); }

ROWS_INLINE __m128i load(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }

ROWS_INLINE void store(void* p, __m128i x) { _mm_storeu_si128(static_cast<__m128i*>(p), x); }

// The same four words for each state.
template <class Row>
ROWS_INLINE Row splat(__m128i x) {
    if constexpr (states<Row> == 1) return (Row)x;
    if constexpr (states<Row> == 2) return (Row)_mm256_broadcastsi128_si256(x);
    if constexpr (states<Row> == 4) return (Row)_mm512_broadcast_i32x4(x);
}

// Four words of each state, and back.
template <class Row>
ROWS_INLINE Row join(const __m128i of[states<Row>]) {
    if constexpr (states<Row> == 1) return (Row)of[0];
    if constexpr (states<Row> == 2) return (Row)_mm256_inserti128_si256(_mm256_castsi128_si256(of[0]), of[1], 1);
    if constexpr (states<Row> == 4) {
        __m512i row = _mm512_inserti32x4(_mm512_castsi128_si512(of[0]), of[1], 1);
        row = _mm512_inserti32x4(row, of[2], 2);
        return (Row)_mm512_inserti32x4(row, of[3], 3);
    }
}
template <class Row>
ROWS_INLINE void split(Row row, __m128i of[states<Row>]) {
    if constexpr (states<Row> == 1) of[0] = (__m128i)row;
    if constexpr (states<Row> == 2) {
        of[0] = _mm256_castsi256_si128((__m256i)row);
        of[1] = _mm256_extracti128_si256((__m256i)row, 1);
    }
    if constexpr (states<Row> == 4) {
        of[0] = _mm512_castsi512_si128((__m512i)row);
        of[1] = _mm512_extracti32x4_epi32((__m512i)row, 1);
        of[2] = _mm512_extracti32x4_epi32((__m512i)row, 2);
        of[3] = _mm512_extracti32x4_epi32((__m512i)row, 3);
    }
}

// 16 bytes of each state's block.
template <class Row>
ROWS_INLINE Row gather(const Bytes p[states<Row>], std::size_t offset) {
    __m128i of[states<Row>];
    for (std::size_t i = 0; i < states<Row>; i++) of[i] = load(p[i] + offset);
    return join<Row>(of);
}

// Makes the compiler compute a value as it is written. Otherwise it would add a late word before an early one, and join two shuffles of
// one cycle into one of three.
template <class Row>
ROWS_INLINE Row kept(Row value) {
    asm("" : "+v"(value));
    return value;
}

// Four quarter-rounds of each state, in its four columns.
template <class Row>
ROWS_INLINE void half_round(Row& a, Row& b, Row& c, Row& d, Row x, Row y) {
    a = kept(a + x) + b;
    d = rotate<16>(d ^ a);
    c += d;
    b = rotate<12>(b ^ c);
    a = kept(a + y) + b;
    d = rotate<8>(d ^ a);
    c += d;
    b = rotate<7>(b ^ c);
}

// The chaining values are the rows `low` and `high`. d: counter, length and flags.
template <class Row>
ROWS_INLINE void compress_rows(Row& low, Row& high, Row d, const Bytes p[states<Row>]) {
    Row a = low, b = high;
    Row c = splat<Row>((__m128i)Row1{MKZ_BLAKE3_IV0, MKZ_BLAKE3_IV1, MKZ_BLAKE3_IV2, MKZ_BLAKE3_IV3});
    const Row m0 = gather<Row>(p, 0), m1 = gather<Row>(p, 16), m2 = gather<Row>(p, 32), m3 = gather<Row>(p, 48);
    // The message words of a round: x and y for the columns, z and w for the diagonals. For the diagonals all rows but b rotate, because b
    // is ready last: the diagonal that begins at a[i] is in column i + 1.
    Row x = words<0, 2, 0, 2>(m0, m1), y = words<1, 3, 1, 3>(m0, m1);
    Row z = words<3, 0, 1, 2>(words<0, 2, 0, 2>(m2, m3)), w = words<3, 0, 1, 2>(words<1, 3, 1, 3>(m2, m3));
#pragma GCC unroll 7
    for (int round = 0; round < 7; round++) {
        half_round(a, b, c, d, x, y);
        a = words<3, 0, 1, 2>(a);
        c = words<1, 2, 3, 0>(c);
        d = words<2, 3, 0, 1>(d);
        half_round(a, b, c, d, z, w);
        a = words<1, 2, 3, 0>(a);
        c = words<3, 0, 1, 2>(c);
        d = words<2, 3, 0, 1>(d);
        // The schedule's permutation, of words in these places.
        const Row next_x = words<0, 2, 3, 1>(kept(words<1, 2, 1, 3>(x, y)));                      // x1 y1 y3 x2
        const Row next_y = words<0, 2, 1, 3>(kept(words<3, 0, 2, 3>(x, kept(with_last(z, w)))));  // x3 z2 x0 w3
        const Row next_z = words<0, 2, 3, 1>(kept(words<0, 1, 0, 3>(w, kept(with_last(y, z)))));  // w0 y0 z3 w1
        const Row next_w = words<0, 2, 3, 1>(kept(words<1, 0, 0, 1>(z, kept(upper(w, y)))));      // z1 w2 y2 z0
        x = next_x;
        y = next_y;
        z = next_z;
        w = next_w;
    }
    low = a ^ c;
    high = b ^ d;
}

ROWS_INLINE __m128i last_row(std::uint64_t counter, std::uint32_t block_len, std::uint32_t flags) {
    return (__m128i)Row1{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), block_len,
                         flags};
}

// A chain for each state, from the blocks at p on. d: the last row, with no flags.
template <class Row>
ROWS_INLINE void compress_chains(Row& low, Row& high, Row d, Bytes p[states<Row>], const Blake3Chain& each) {
    for (std::size_t b = 0; b < each.n; b++) {
        compress_rows<Row>(low, high, d | splat<Row>(last_row(0, 0, each.flags_of(b))), p);
        for (std::size_t i = 0; i < states<Row>; i++) p[i] += MKZ_BLAKE3_BLOCK_LEN;
    }
}

void chain(std::uint32_t cv[8], const Blake3Chain& chain) noexcept {
    Row1 low = (Row1)load(cv), high = (Row1)load(cv + 4);
    Bytes p[1] = {static_cast<Bytes>(chain.blocks)};
    compress_chains<Row1>(low, high, (Row1)last_row(chain.counter, chain.bytes, 0), p, chain);
    store(cv, (__m128i)low);
    store(cv + 4, (__m128i)high);
}

// n chains like the first one, whose blocks lie one chain after another.
template <class Row>
void hash_chains(const Blake3Chain& first, std::size_t n, ChunkCounter counter, const std::uint32_t key[8],
                 std::uint8_t* out) {
    Bytes p[states<Row>];
    __m128i last_rows[states<Row>], first_half[states<Row>], second_half[states<Row>];
    for (std::size_t i = 0; i < states<Row>; i++) {
        const std::size_t item = i < n ? i : 0;  // states past n repeat the first
        p[i] = static_cast<Bytes>(first.blocks) + MKZ_BLAKE3_BLOCK_LEN * first.n * item;
        last_rows[i] = last_row(counter.at(item), first.bytes, 0);
    }
    Row low = splat<Row>(load(key)), high = splat<Row>(load(key + 4));
    compress_chains<Row>(low, high, join<Row>(last_rows), p, first);
    split(low, first_half);
    split(high, second_half);
    for (std::size_t i = 0; i < states<Row> && i < n; i++) {
        store(out + 32 * i, first_half[i]);
        store(out + 32 * i + 16, second_half[i]);
    }
}

void hash_by_count(const Blake3Chain& first, std::size_t n, ChunkCounter counter, const std::uint32_t key[8],
                   std::uint8_t* out) {
    if (n == 1) return hash_chains<Row1>(first, n, counter, key, out);
    if (n == 2) return hash_chains<Row2>(first, n, counter, key, out);
    hash_chains<Row4>(first, n, counter, key, out);
}

void hash_chunks(Bytes data, std::size_t n, ChunkCounter counter, const std::uint32_t key[8], std::uint32_t flags,
                 std::uint8_t* out) noexcept {
    constexpr std::size_t blocks = MKZ_BLAKE3_CHUNK_LEN / MKZ_BLAKE3_BLOCK_LEN;
    hash_by_count({.blocks = data,
                   .n = blocks,
                   .counter = counter.first,
                   .flags = flags,
                   .start = MKZ_BLAKE3_CHUNK_START,
                   .end = MKZ_BLAKE3_CHUNK_END},
                  n, counter, key, out);
}

void compress_pairs(Bytes in, std::size_t n, const std::uint32_t key[8], std::uint32_t flags,
                    std::uint8_t* out) noexcept {
    hash_by_count({.blocks = in, .n = 1, .counter = 0, .flags = flags}, n, {0, 0}, key, out);
}

}  // namespace

const Blake3Rows blake3_rows_avx512 = {chain, hash_chunks, compress_pairs};

}  // namespace merklize::runtime
