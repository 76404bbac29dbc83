#pragma once

#include <cstddef>
#include <cstdint>

#include "merklize/hashes.hpp"

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

/// Whether a hash stands on SHA-256's compression. The functions below take only such hashes. They need
/// sha256_instructions(), and hash two messages side by side.
bool is_on_sha256(Hash hash) noexcept;
/// n merges. `in` has 64 bytes for each, `out` gets 32 bytes for each and may be `in`.
void sha256_merges(Hash hash, const std::uint8_t* in, std::size_t n, std::uint8_t* out) noexcept;
/// n digests of rows of `length` bytes.
/// ask      asked from time to time in long rows, with `of`, whether to go on
/// returns  false if `ask` did
bool sha256_rows(Hash hash, const std::uint8_t* rows, std::size_t n, std::size_t length, std::uint8_t* out,
                 bool (*ask)(const void* of), const void* of);

}  // namespace merklize::runtime
