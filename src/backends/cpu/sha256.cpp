// Merges and rows of the hashes on SHA-256's compression, by the processor's SHA instructions, and by full batches of
// AVX-512.
#include <string_view>

#include "backends/cpu/lanes.hpp"
#include "hashes/sha256_instructions.hpp"
#include "merklize/hashes.hpp"

namespace merklize::cpu {
namespace {

using Bytes = const std::uint8_t*;

template <Hash hash>
void merge(Bytes in, std::size_t n, std::uint8_t* out, const std::uint64_t*) {
    runtime::sha256_merges(hash, in, n, out);
}

template <Hash hash>
void hash_rows(Bytes rows, std::size_t n, std::size_t length, std::uint8_t* out, GoOn go_on, const std::uint64_t*) {
    runtime::sha256_rows(hash, rows, n, length, out, go_on.ask, go_on.of);
}

// 16 lanes of AVX-512 are as fast as the instructions or faster, but only if all have work. So the instructions get the
// rest.
constexpr std::size_t full = 16;

#ifdef LANES_HAVE_AVX512
template <Hash hash>
void merge_rest(Bytes in, std::size_t n, std::uint8_t* out, const std::uint64_t* table) {
    const std::size_t in_lanes = n / full * full;
    if (in_lanes != 0) lanes_avx512_sha256.merge[static_cast<std::size_t>(hash)](in, in_lanes, out, table);
    merge<hash>(in + 64 * in_lanes, n - in_lanes, out + 32 * in_lanes, table);
}

template <Hash hash>
void hash_rows_rest(Bytes rows, std::size_t n, std::size_t length, std::uint8_t* out, GoOn go_on,
                    const std::uint64_t* table) {
    const std::size_t in_lanes = n / full * full;
    bool goes_on = true;
    const auto ask = [&] { return goes_on = go_on.ask(go_on.of); };
    if (in_lanes != 0)
        lanes_avx512_sha256.hash_rows[static_cast<std::size_t>(hash)](rows, in_lanes, length, out, asking(ask), table);
    if (goes_on) hash_rows<hash>(rows + in_lanes * length, n - in_lanes, length, out + 32 * in_lanes, go_on, table);
}

#endif

template <Hash hash>
void use(Lanes& lanes) {
    constexpr auto id = static_cast<std::size_t>(hash);
    lanes.merge[id] = merge<hash>;
    lanes.hash_rows[id] = hash_rows<hash>;
#ifdef LANES_HAVE_AVX512
    if (lanes.isa == std::string_view(lanes_avx512_sha256.isa)) {
        lanes.merge[id] = merge_rest<hash>;
        lanes.hash_rows[id] = hash_rows_rest<hash>;
    }
#endif
}

}  // namespace

Lanes with_sha256_instructions(Lanes lanes) {
    use<Hash::sha256_rfc6962>(lanes);
    use<Hash::sha256>(lanes);
    use<Hash::sha256d>(lanes);
    use<Hash::sha256_compress>(lanes);
    use<Hash::sha256_trunc254>(lanes);
    return lanes;
}

}  // namespace merklize::cpu
