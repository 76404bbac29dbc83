#pragma once

// Rows of one and two states of BLAKE3 (rows.inc), by instructions that AVX2 has. Always inlined, so that the linker
// never uses code of one instruction set for another. Rotations are the including file's.
#include <immintrin.h>

#include <cstdint>

#define ROWS_INLINE [[gnu::always_inline]] static inline

namespace merklize::runtime {
namespace {

// All shuffles stay inside a state's 16 bytes, because those take one cycle.
typedef std::uint32_t Row1 __attribute__((vector_size(16)));
typedef std::uint32_t Row2 __attribute__((vector_size(32)));

// Words w0, w1 of a and w2, w3 of b.
template <int w0, int w1, int w2, int w3>
ROWS_INLINE Row1 words(Row1 a, Row1 b) {
    return (Row1)_mm_shuffle_ps((__m128)a, (__m128)b, w0 | w1 << 2 | w2 << 4 | w3 << 6);
}
template <int w0, int w1, int w2, int w3>
ROWS_INLINE Row2 words(Row2 a, Row2 b) {
    return (Row2)_mm256_shuffle_ps((__m256)a, (__m256)b, w0 | w1 << 2 | w2 << 4 | w3 << 6);
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

// a with word 3 of b.
ROWS_INLINE Row1 with_last(Row1 a, Row1 b) { return (Row1)_mm_blend_epi32((__m128i)a, (__m128i)b, 0x8); }
ROWS_INLINE Row2 with_last(Row2 a, Row2 b) { return (Row2)_mm256_blend_epi32((__m256i)a, (__m256i)b, 0x88); }

// a2 b2 a3 b3
ROWS_INLINE Row1 upper(Row1 a, Row1 b) { return (Row1)_mm_unpackhi_epi32((__m128i)a, (__m128i)b); }
ROWS_INLINE Row2 upper(Row2 a, Row2 b) { return (Row2)_mm256_unpackhi_epi32((__m256i)a, (__m256i)b); }

// Makes the compiler compute a value as it is written. Otherwise it would add a late word before an early one, and join
// two shuffles of one cycle into one of three.
template <class Row>
ROWS_INLINE Row kept(Row value) {
    asm("" : "+v"(value));
    return value;
}

// Two states' rows of 16 bytes as one row, and back.
ROWS_INLINE Row2 join2(const __m128i of[2]) {
    return (Row2)_mm256_inserti128_si256(_mm256_castsi128_si256(of[0]), of[1], 1);
}
ROWS_INLINE void split2(Row2 row, __m128i of[2]) {
    of[0] = _mm256_castsi256_si128((__m256i)row);
    of[1] = _mm256_extracti128_si256((__m256i)row, 1);
}

}  // namespace
}  // namespace merklize::runtime
