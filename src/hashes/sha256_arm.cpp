// SHA-256 by ARMv8's cryptographic instructions: four rounds each, on the state as the vectors ABCD and EFGH.
#include <arm_neon.h>

#include "hashes/sha256_instructions.hpp"
#include "merklize/core/hashes/sha256_compression.h"

namespace merklize::runtime {
namespace {

struct State {
    uint32x4_t abcd, efgh;
};

// Takes one block into each of `n` states. Their instructions alternate, because each waits for the previous one of its
// own state.
template <int n>
inline void compress(State (&states)[n], const std::uint8_t* const (&blocks)[n]) {
    State s[n];
    uint32x4_t w[n][4];
    for (int j = 0; j < n; j++) {
        s[j] = states[j];
        for (int k = 0; k < 4; k++) w[j][k] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(blocks[j] + 16 * k)));
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
        const uint32x4_t k = vld1q_u32(mkz_sha256_k + 4 * i);
#pragma GCC unroll 4
        for (int j = 0; j < n; j++) {
            const uint32x4_t wk = vaddq_u32(w[j][i % 4], k), abcd = s[j].abcd;
            s[j].abcd = vsha256hq_u32(abcd, s[j].efgh, wk);
            s[j].efgh = vsha256h2q_u32(s[j].efgh, abcd, wk);
            if (i < 12) {
                w[j][i % 4] = vsha256su1q_u32(vsha256su0q_u32(w[j][i % 4], w[j][(i + 1) % 4]), w[j][(i + 2) % 4],
                                              w[j][(i + 3) % 4]);
            }
        }
    }
    for (int j = 0; j < n; j++) {
        states[j].abcd = vaddq_u32(states[j].abcd, s[j].abcd);
        states[j].efgh = vaddq_u32(states[j].efgh, s[j].efgh);
    }
}

State load_state(const std::uint32_t h[8]) { return {vld1q_u32(h), vld1q_u32(h + 4)}; }

void store_state(std::uint32_t h[8], State s) {
    vst1q_u32(h, s.abcd);
    vst1q_u32(h + 4, s.efgh);
}

#include "hashes/sha256_states.inc"

}  // namespace

extern const Sha256Instructions sha256_arm;
const Sha256Instructions sha256_arm = {blocks, two};

}  // namespace merklize::runtime
