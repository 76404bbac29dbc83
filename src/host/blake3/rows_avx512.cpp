// BLAKE3 of few states by AVX-512 (F, VL, BW, DQ), whose rotations are one instruction: one vector holds four states'
// rows.
#include "host/blake3/rows_x86.hpp"

namespace merklize::runtime {
namespace {

typedef std::uint32_t Row4 __attribute__((vector_size(64)));

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

template <int w0, int w1, int w2, int w3>
ROWS_INLINE Row4 words(Row4 a, Row4 b) {
    return (Row4)_mm512_shuffle_ps((__m512)a, (__m512)b, w0 | w1 << 2 | w2 << 4 | w3 << 6);
}
template <int w0, int w1, int w2, int w3>
ROWS_INLINE Row4 words(Row4 a) {
    return (Row4)_mm512_shuffle_epi32((__m512i)a, static_cast<_MM_PERM_ENUM>(w0 | w1 << 2 | w2 << 4 | w3 << 6));
}
ROWS_INLINE Row4 with_last(Row4 a, Row4 b) { return (Row4)_mm512_mask_mov_epi32((__m512i)a, 0x8888, (__m512i)b); }
ROWS_INLINE Row4 upper(Row4 a, Row4 b) { return (Row4)_mm512_unpackhi_epi32((__m512i)a, (__m512i)b); }

ROWS_INLINE Row4 splat4(__m128i x) { return (Row4)_mm512_broadcast_i32x4(x); }
ROWS_INLINE Row4 join4(const __m128i of[4]) {
    __m512i row = _mm512_inserti32x4(_mm512_castsi128_si512(of[0]), of[1], 1);
    row = _mm512_inserti32x4(row, of[2], 2);
    return (Row4)_mm512_inserti32x4(row, of[3], 3);
}
ROWS_INLINE void split4(Row4 row, __m128i of[4]) {
    of[0] = _mm512_castsi512_si128((__m512i)row);
    of[1] = _mm512_extracti32x4_epi32((__m512i)row, 1);
    of[2] = _mm512_extracti32x4_epi32((__m512i)row, 2);
    of[3] = _mm512_extracti32x4_epi32((__m512i)row, 3);
}

}  // namespace
}  // namespace merklize::runtime

#define ROWS_TABLE blake3_rows_avx512
#include "host/blake3/rows.inc"
