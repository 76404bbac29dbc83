// Small jobs of BLAKE3 by narrower vectors: a job of few items takes as long as a whole batch of lanes.
#include "backends/cpu/lanes.hpp"

namespace merklize::cpu {
namespace {

constexpr std::size_t most = 8;

const Lanes& lanes_for(std::size_t n) { return n <= most ? lanes_avx512_narrow : lanes_avx512; }

}  // namespace

Lanes with_narrow_batches(Lanes lanes) {
    lanes.hash_chunks = [](const std::uint8_t* data, std::size_t n, std::uint64_t counter, const std::uint32_t* key,
                           std::uint32_t flags,
                           std::uint8_t* out) { lanes_for(n).hash_chunks(data, n, counter, key, flags, out); };
    lanes.compress_pairs = [](const std::uint8_t* in, std::size_t n, const std::uint32_t* key, std::uint32_t flags,
                              std::uint8_t* out) { lanes_for(n).compress_pairs(in, n, key, flags, out); };
    lanes.hash_short_rows = [](const std::uint8_t* rows, std::size_t n, std::size_t bytes, const std::uint32_t* key,
                               std::uint32_t flags,
                               std::uint8_t* out) { lanes_for(n).hash_short_rows(rows, n, bytes, key, flags, out); };
    lanes.hash_chains = [](const Chain* chains, std::size_t n, const std::uint32_t* key, std::uint32_t flags) {
        lanes_for(n).hash_chains(chains, n, key, flags);
    };
    lanes.compress = lanes_avx512_narrow.compress;
    return lanes;
}

}  // namespace merklize::cpu
