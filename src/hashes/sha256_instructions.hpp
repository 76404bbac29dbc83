#pragma once

#include <cstddef>
#include <cstdint>

namespace merklize::runtime {

/// SHA-256's compression by the processor's own instructions. A state is 8 words, a block is 64 bytes of any alignment.
struct Sha256Instructions {
    /// Takes n blocks, one after another, into one state.
    void (*blocks)(std::uint32_t state[8], const std::uint8_t* data, std::size_t n);
    /// Takes one block into each of two states. The processor computes both at once.
    void (*two)(std::uint32_t first[8], std::uint32_t second[8], const std::uint8_t* block_of_first,
                const std::uint8_t* block_of_second);
};

/// Null if this build or this processor has none, or if MERKLIZE_CPU_SHA is 0. Chosen once.
const Sha256Instructions* sha256_instructions() noexcept;

}  // namespace merklize::runtime
