// Small jobs of BLAKE3. A partly filled vector costs as much as a full one, so they use narrower vectors, or one state
// a vector.
#include <cstring>

#include "backends/cpu/lanes.hpp"
#include "host/blake3/rows.hpp"
#include "merklize/core/hashes/blake3.h"
#include "merklize/hashes.hpp"

#if defined(LANES_HAVE_AVX2) || defined(LANES_HAVE_AVX512)
namespace merklize::cpu {
namespace {

constexpr auto blake3 = static_cast<std::size_t>(Hash::blake3);

// A single item is one chain, for which blake3_chain() is fastest.
void hash_one(const std::uint8_t* blocks, std::size_t n, std::uint64_t counter, const std::uint32_t* key,
              std::uint32_t flags, std::uint32_t start, std::uint32_t end, std::uint8_t* out) {
    std::uint32_t cv[8];
    std::memcpy(cv, key, sizeof cv);
    runtime::blake3_chain(cv, {blocks, n, counter, flags, start, end});
    std::memcpy(out, cv, sizeof cv);
}

// Rows for at most four chunks, pairs or merges, and one chain for one short row; lanes_for(n) for more.
template <const runtime::Blake3Rows& rows, const Lanes& (*lanes_for)(std::size_t n)>
void use_rows(Lanes& lanes) {
    lanes.hash_chunks = [](const std::uint8_t* data, std::size_t n, ChunkCounter counter, const std::uint32_t* key,
                           std::uint32_t flags, std::uint8_t* out) {
        if (n == 0) return;
        if (n == 1) {
            constexpr std::size_t blocks = MKZ_BLAKE3_CHUNK_LEN / MKZ_BLAKE3_BLOCK_LEN;
            return hash_one(data, blocks, counter.at(0), key, flags, MKZ_BLAKE3_CHUNK_START, MKZ_BLAKE3_CHUNK_END, out);
        }
        if (n <= rows.most) return rows.hash_chunks(data, n, counter, key, flags, out);
        lanes_for(n).hash_chunks(data, n, counter, key, flags, out);
    };
    lanes.compress_pairs = [](const std::uint8_t* in, std::size_t n, const std::uint32_t* key, std::uint32_t flags,
                              std::uint8_t* out) {
        if (n == 0) return;
        if (n == 1) return hash_one(in, 1, 0, key, flags, 0, 0, out);
        if (n <= rows.most) return rows.compress_pairs(in, n, key, flags, out);
        lanes_for(n).compress_pairs(in, n, key, flags, out);
    };
    lanes.merge[blake3] = [](const std::uint8_t* in, std::size_t n, std::uint8_t* out, const std::uint64_t* table) {
        if (n == 0) return;
        if (n > rows.most) return lanes_for(n).merge[blake3](in, n, out, table);
        std::uint32_t key[8];
        mkz_blake3_iv(key);
        if (n == 1) return hash_one(in, 1, 0, key, MKZ_BLAKE3_MERGE, 0, 0, out);
        rows.compress_pairs(in, n, key, MKZ_BLAKE3_MERGE, out);
    };
    lanes.hash_short_rows = [](const std::uint8_t* in, std::size_t n, std::size_t bytes, const std::uint32_t* key,
                               std::uint32_t flags, std::uint8_t* out) {
        if (n == 0) return;
        if (n > 1) return lanes_for(n).hash_short_rows(in, n, bytes, key, flags, out);
        std::uint32_t cv[8];
        std::memcpy(cv, key, sizeof cv);
        const runtime::Blake3LastBlock last = runtime::blake3_chunk(cv, in, bytes, 0, flags);
        runtime::blake3_chain(cv, {last.words, 1, 0, last.flags | MKZ_BLAKE3_ROOT, 0, 0, last.bytes});
        std::memcpy(out, cv, sizeof cv);
    };
}

}  // namespace

#ifdef LANES_HAVE_AVX2
namespace {

const Lanes& avx2(std::size_t) { return lanes_avx2_blake3; }

}  // namespace

Lanes with_few_items_avx2(Lanes lanes) {
    use_rows<runtime::blake3_rows_avx2, avx2>(lanes);
    return lanes;
}
#endif

#ifdef LANES_HAVE_AVX512
namespace {

constexpr std::size_t most_narrow = 8;
const Lanes& avx512(std::size_t n) { return n <= most_narrow ? lanes_avx512_narrow : lanes_avx512_blake3; }

}  // namespace

Lanes with_few_items_avx512(Lanes lanes) {
    use_rows<runtime::blake3_rows_avx512, avx512>(lanes);
    lanes.hash_chains = [](const Chain* chains, std::size_t n, const std::uint32_t* key, std::uint32_t flags) {
        avx512(n).hash_chains(chains, n, key, flags);
    };
    return lanes;
}
#endif

}  // namespace merklize::cpu
#endif
