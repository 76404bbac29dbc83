// Chunks of one message, and the tree above them.
#include "backends/cpu/hash_chunks.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "backends/cpu/lanes.hpp"
#include "host/blake3/rows.hpp"
#include "merklize/core/hashes/blake3.h"

namespace merklize::cpu {
namespace {

using runtime::HashChunks;
using runtime::host_place;

void hash_last_chunk(const std::uint8_t* data, std::uint64_t bytes, std::uint64_t counter, const std::uint32_t key[8],
                     std::uint32_t flags, std::uint8_t* out) {
    std::uint32_t cv[8];
    std::copy_n(key, 8, cv);
    const runtime::Blake3LastBlock last = runtime::blake3_chunk(cv, data, bytes, counter, flags);
    runtime::blake3_chain(cv,
                          {.blocks = last.words, .n = 1, .counter = counter, .flags = last.flags, .bytes = last.bytes});
    std::memcpy(out, cv, 32);
}

// 16 KiB fill the lanes once. At 128 KiB the chaining values stay in the first-level cache. The first chunks of a piece
// are not prefetched; a thread alone takes longer pieces.
constexpr std::uint64_t least_chunks_per_piece = 16, chunks_per_piece = 128, most_chunks_per_piece = 256;

runtime::Pace pace;  // of chunks

}  // namespace

std::uint64_t one_level_up(std::uint8_t* values, std::uint64_t n, const Mode& mode) {
    lanes().compress_pairs(values, n / 2, mode.key_words(), mode.flags() | MKZ_BLAKE3_PARENT, values);
    if (n % 2 != 0) std::memmove(values + 32 * (n / 2), values + 32 * (n - 1), 32);
    return (n + 1) / 2;
}

bool hash_chunks(const HashChunks& a, const Workers& workers) {
    const std::uint64_t chunks = (a.bytes + MKZ_BLAKE3_CHUNK_LEN - 1) / MKZ_BLAKE3_CHUNK_LEN;
    const std::uint64_t per_subtree = std::uint64_t{1} << a.levels;
    const bool alone = chunks > least_chunks_per_piece && workers.threads.count() == 1;
    const std::uint64_t piece =
        alone ? most_chunks_per_piece : piece_of(workers, chunks, least_chunks_per_piece, chunks_per_piece);
    const std::uint64_t per_piece = std::max<std::uint64_t>(1, piece / per_subtree) * per_subtree;
    const auto body = [&](std::uint64_t first, std::uint64_t count) {
        const std::uint8_t* data = at(a.data) + first * MKZ_BLAKE3_CHUNK_LEN;
        const std::uint64_t bytes = std::min(count * MKZ_BLAKE3_CHUNK_LEN, a.bytes - first * MKZ_BLAKE3_CHUNK_LEN);
        const std::uint64_t full = bytes / MKZ_BLAKE3_CHUNK_LEN;
        std::uint8_t* out = at(a.out) + 32 * (first >> a.levels);
        std::uint8_t small[32 * most_chunks_per_piece];
        std::vector<std::uint8_t> large(count > most_chunks_per_piece ? 32 * count : 0);
        std::uint8_t* values = large.empty() ? small : large.data();
        lanes().hash_chunks(data, full, {a.first_chunk + first}, a.mode.key_words(), a.mode.flags(), values);
        if (full != count) {
            hash_last_chunk(data + full * MKZ_BLAKE3_CHUNK_LEN, bytes - full * MKZ_BLAKE3_CHUNK_LEN,
                            a.first_chunk + first + full, a.mode.key_words(), a.mode.flags(), values + 32 * full);
        }
        for (std::uint32_t level = 0; level < a.levels; level++) count = one_level_up(values, count, a.mode);
        std::memcpy(out, values, 32 * count);
    };
    return in_pieces(workers, chunks, per_piece, body, {&pace});
}

bool below_root(const std::uint8_t* message, std::uint64_t bytes, const Mode& mode, const Workers& workers,
                std::vector<std::uint8_t>& values) {
    const std::uint64_t chunks = (bytes + MKZ_BLAKE3_CHUNK_LEN - 1) / MKZ_BLAKE3_CHUNK_LEN;
    const std::uint64_t piece = piece_of(workers, chunks, least_chunks_per_piece, chunks_per_piece);
    const std::uint32_t levels = std::min<std::uint32_t>(std::bit_width(piece), std::bit_width(chunks - 1)) - 1;
    std::uint64_t n = (chunks + (std::uint64_t{1} << levels) - 1) >> levels;
    values.resize(32 * n);
    const HashChunks job{
        .data = host_place(message), .bytes = bytes, .levels = levels, .mode = mode, .out = host_place(values.data())};
    if (!hash_chunks(job, workers)) return false;
    while (n > 2) n = one_level_up(values.data(), n, mode);
    return true;
}

void hash_root(const std::uint8_t* values, const Mode& mode, std::uint8_t* out) {
    lanes().compress_pairs(values, 1, mode.key_words(), mode.flags() | MKZ_BLAKE3_PARENT | MKZ_BLAKE3_ROOT, out);
}

}  // namespace merklize::cpu
