// BLAKE3 of few states by AVX2: a vector holds two states' rows. Four states are two vectors in step, because the
// instructions of one do not fill the time of its chain.
#include "host/blake3/rows_x86.hpp"

namespace merklize::runtime {
namespace {

// Rotations by whole bytes are one shuffle.
template <int n>
ROWS_INLINE __m128i byte_order() {
    static_assert(n == 8 || n == 16);
    return n == 16 ? _mm_set_epi8(13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2)
                   : _mm_set_epi8(12, 15, 14, 13, 8, 11, 10, 9, 4, 7, 6, 5, 0, 3, 2, 1);
}
template <int n>
ROWS_INLINE Row1 rotate(Row1 x) {
    if constexpr (n % 8 == 0) return (Row1)_mm_shuffle_epi8((__m128i)x, byte_order<n>());
    return x >> n | x << (32 - n);
}
template <int n>
ROWS_INLINE Row2 rotate(Row2 x) {
    if constexpr (n % 8 == 0)
        return (Row2)_mm256_shuffle_epi8((__m256i)x, _mm256_broadcastsi128_si256(byte_order<n>()));
    return x >> n | x << (32 - n);
}

struct Row4 {
    Row2 front, back;
};

ROWS_INLINE Row4 operator+(Row4 a, Row4 b) { return {a.front + b.front, a.back + b.back}; }
ROWS_INLINE Row4 operator^(Row4 a, Row4 b) { return {a.front ^ b.front, a.back ^ b.back}; }
ROWS_INLINE Row4 operator|(Row4 a, Row4 b) { return {a.front | b.front, a.back | b.back}; }
ROWS_INLINE Row4& operator+=(Row4& a, Row4 b) { return a = a + b; }

template <int n>
ROWS_INLINE Row4 rotate(Row4 x) {
    return {rotate<n>(x.front), rotate<n>(x.back)};
}
template <int w0, int w1, int w2, int w3>
ROWS_INLINE Row4 words(Row4 a, Row4 b) {
    return {words<w0, w1, w2, w3>(a.front, b.front), words<w0, w1, w2, w3>(a.back, b.back)};
}
template <int w0, int w1, int w2, int w3>
ROWS_INLINE Row4 words(Row4 a) {
    return {words<w0, w1, w2, w3>(a.front), words<w0, w1, w2, w3>(a.back)};
}
ROWS_INLINE Row4 with_last(Row4 a, Row4 b) { return {with_last(a.front, b.front), with_last(a.back, b.back)}; }
ROWS_INLINE Row4 upper(Row4 a, Row4 b) { return {upper(a.front, b.front), upper(a.back, b.back)}; }
ROWS_INLINE Row4 kept(Row4 x) { return {kept(x.front), kept(x.back)}; }

ROWS_INLINE Row4 splat4(__m128i x) {
    const Row2 both = (Row2)_mm256_broadcastsi128_si256(x);
    return {both, both};
}
ROWS_INLINE Row4 join4(const __m128i of[4]) { return {join2(of), join2(of + 2)}; }
ROWS_INLINE void split4(Row4 row, __m128i of[4]) {
    split2(row.front, of);
    split2(row.back, of + 2);
}

}  // namespace
}  // namespace merklize::runtime

#define ROWS_TABLE blake3_rows_avx2
#include "host/blake3/rows.inc"
