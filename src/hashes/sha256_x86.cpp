// SHA-256 by x86's SHA extensions. sha256rnds2 does two rounds on the state as the vectors ABEF and CDGH, words from
// high to low.
#include <immintrin.h>

#include "hashes/sha256_instructions.hpp"
#include "merklize/core/hashes/sha256_compression.h"

namespace merklize::runtime {
namespace {

inline __m128i load(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
inline void store(void* p, __m128i v) { _mm_storeu_si128(static_cast<__m128i*>(p), v); }

struct State {
    __m128i abef, cdgh;
};

inline State load_state(const std::uint32_t h[8]) {
    const __m128i cdab = _mm_shuffle_epi32(load(h), 0xb1), efgh = _mm_shuffle_epi32(load(h + 4), 0x1b);
    return {_mm_alignr_epi8(cdab, efgh, 8), _mm_blend_epi16(efgh, cdab, 0xf0)};
}

inline void store_state(std::uint32_t h[8], State s) {
    const __m128i feba = _mm_shuffle_epi32(s.abef, 0x1b), dchg = _mm_shuffle_epi32(s.cdgh, 0xb1);
    store(h, _mm_blend_epi16(feba, dchg, 0xf0));
    store(h + 4, _mm_alignr_epi8(dchg, feba, 8));
}

// Takes one block into each of `n` states. Their instructions alternate, because each waits for the previous one of its
// own state.
template <int n>
inline void compress(State (&states)[n], const std::uint8_t* const (&blocks)[n]) {
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    State s[n];
    __m128i w[n][4];
    for (int j = 0; j < n; j++) {
        s[j] = states[j];
        for (int k = 0; k < 4; k++) w[j][k] = _mm_shuffle_epi8(load(blocks[j] + 16 * k), big_endian);
    }
    // Four rounds with words 4i to 4i + 3 of the schedule, then words 4i + 16 to 4i + 19 in their place.
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
        const __m128i k = load(mkz_sha256_k + 4 * i);
#pragma GCC unroll 4
        for (int j = 0; j < n; j++) {
            __m128i wk = _mm_add_epi32(w[j][i % 4], k);
            s[j].cdgh = _mm_sha256rnds2_epu32(s[j].cdgh, s[j].abef, wk);
            wk = _mm_shuffle_epi32(wk, 0x0e);
            s[j].abef = _mm_sha256rnds2_epu32(s[j].abef, s[j].cdgh, wk);
            if (i < 12) {
                const __m128i w0 = w[j][i % 4], w1 = w[j][(i + 1) % 4], w2 = w[j][(i + 2) % 4], w3 = w[j][(i + 3) % 4];
                const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));
                w[j][i % 4] = _mm_sha256msg2_epu32(sum, w3);
            }
        }
    }
    for (int j = 0; j < n; j++) {
        states[j].abef = _mm_add_epi32(states[j].abef, s[j].abef);
        states[j].cdgh = _mm_add_epi32(states[j].cdgh, s[j].cdgh);
    }
}

#include "hashes/sha256_states.inc"

}  // namespace

extern const Sha256Instructions sha256_x86;
const Sha256Instructions sha256_x86 = {blocks, two};

}  // namespace merklize::runtime
