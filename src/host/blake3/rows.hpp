#pragma once

#include <cstddef>
#include <cstdint>

namespace merklize::runtime {

/// Compresses blocks of one chunk, or one block of another kind, into a chaining value, in place, on the calling
/// thread: by scalar instructions, or by vectors if their chain takes less time.
struct Blake3Chain {
    const void* blocks;        ///< n x 64 bytes of any alignment, one block after another
    std::size_t n;             ///< may be 0
    std::uint64_t counter;     ///< of the chunk
    std::uint32_t flags;       ///< of all blocks
    std::uint32_t start = 0;   ///< more flags of the first block
    std::uint32_t end = 0;     ///< more flags of the last block
    std::uint32_t bytes = 64;  ///< of each block that count; the others are zeros

    // Always inlined, so that the linker never uses code of one instruction set for another.
    [[gnu::always_inline]] std::uint32_t flags_of(std::size_t b) const noexcept {
        return flags | (b == 0 ? start : 0) | (b + 1 == n ? end : 0);
    }
};
void blake3_chain(std::uint32_t cv[8], const Blake3Chain& chain) noexcept;

/// The last block of a chunk, filled with zeros. It may be the root, so the caller compresses it.
struct Blake3LastBlock {
    std::uint32_t words[16];
    std::uint32_t bytes;
    std::uint32_t flags;
};
/// Compresses a chunk of 0 to 1024 bytes into a chaining value, in place. The last block is left to the caller.
Blake3LastBlock blake3_chunk(std::uint32_t cv[8], const void* data, std::size_t bytes, std::uint64_t counter,
                             std::uint32_t flags) noexcept;

/// The indices of successive chunks.
struct ChunkCounter {
    std::uint64_t first;
    std::uint64_t mask =
        UINT64_MAX;  ///< messages of mask + 1 chunks, a power of two, each of which begins with index 0 again

    [[gnu::always_inline]] std::uint64_t at(std::uint64_t chunk) const noexcept { return (first + chunk) & mask; }
};

/// BLAKE3 of few states by vectors that hold a row of each state, whose words are a 4x4 matrix. One to four states take
/// as long as one. The lanes of backends/cpu take as long for one state as for 16.
struct Blake3Rows {
    static constexpr std::size_t most = 4;

    /// As blake3_chain().
    void (*chain)(std::uint32_t cv[8], const Blake3Chain& chain) noexcept;
    /// n full chunks of 1024 bytes to n chaining values of 32 bytes; 1 <= n <= most.
    void (*hash_chunks)(const std::uint8_t* data, std::size_t n, ChunkCounter counter, const std::uint32_t key[8],
                        std::uint32_t flags, std::uint8_t* out) noexcept;
    /// n pairs of 32 bytes to n chaining values, each pair one whole block with these flags; 1 <= n <= most. out may be
    /// in.
    void (*compress_pairs)(const std::uint8_t* in, std::size_t n, const std::uint32_t key[8], std::uint32_t flags,
                           std::uint8_t* out) noexcept;
};

/// Only for a processor with the instruction set (host/features.hpp). Not in builds for other processors.
extern const Blake3Rows blake3_rows_avx2, blake3_rows_avx512;

}  // namespace merklize::runtime
