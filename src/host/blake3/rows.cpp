// Chooses the way in which this process compresses a chain of blocks.
#include "host/blake3/rows.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "host/features.hpp"
#include "merklize/core/hashes/blake3.h"

namespace merklize::runtime {
namespace {

void by_words(std::uint32_t cv[8], const Blake3Chain& chain) noexcept {
    for (std::size_t b = 0; b < chain.n; b++) {
        std::uint32_t m[16];
        std::memcpy(m, static_cast<const std::uint8_t*>(chain.blocks) + MKZ_BLAKE3_BLOCK_LEN * b, sizeof m);
        mkz_blake3_compress(cv, m, static_cast<std::uint32_t>(chain.counter),
                            static_cast<std::uint32_t>(chain.counter >> 32), chain.bytes, chain.flags_of(b));
    }
}

// One state is one chain of instructions. Vector instructions take one cycle each, as scalar ones do, and the chain has
// fewer of them. But on Zen 5 they take two cycles (docs/notes/blake3-cpu.md).
auto choose_blake3_rows() noexcept {
#if defined(__x86_64__)
    const char* wanted = std::getenv("MERKLIZE_CPU_ISA");
    const std::string_view wish = wanted == nullptr ? "" : wanted;
    const Features features = cpu_features();
    if (!features.is_zen5) {
        if (features.avx512 && (wish.empty() || wish == "avx512")) return blake3_rows_avx512.chain;
        if (features.avx2 && (wish.empty() || wish == "avx2")) return blake3_rows_avx2.chain;
    }
#endif
    return by_words;
}

}  // namespace

void blake3_chain(std::uint32_t cv[8], const Blake3Chain& chain) noexcept {
    static const auto chosen = choose_blake3_rows();
    chosen(cv, chain);
}

Blake3LastBlock blake3_chunk(std::uint32_t cv[8], const void* data, std::size_t bytes, std::uint64_t counter,
                             std::uint32_t flags) noexcept {
    const std::size_t whole = bytes == 0 ? 0 : (bytes - 1) / MKZ_BLAKE3_BLOCK_LEN;  // blocks before the last one
    const std::size_t rest = bytes - MKZ_BLAKE3_BLOCK_LEN * whole;
    blake3_chain(cv, {data, whole, counter, flags, MKZ_BLAKE3_CHUNK_START});
    Blake3LastBlock last{.words = {},
                         .bytes = static_cast<std::uint32_t>(rest),
                         .flags = flags | MKZ_BLAKE3_CHUNK_END | (whole == 0 ? MKZ_BLAKE3_CHUNK_START : 0)};
    if (rest != 0) std::memcpy(last.words, static_cast<const std::byte*>(data) + MKZ_BLAKE3_BLOCK_LEN * whole, rest);
    return last;
}

}  // namespace merklize::runtime
