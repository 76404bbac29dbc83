// Merges and rows of the hashes on SHA-256's compression, by the processor's SHA instructions, two messages side by
// side.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "backends/cpu/lanes.hpp"
#include "hashes/sha256_instructions.hpp"
#include "merklize/core/hashes/sha256_compression.h"
#include "merklize/hashes.hpp"

namespace merklize::cpu {
namespace {

using Bytes = const std::uint8_t*;
constexpr std::size_t block_bytes = 64, blocks_between_checks = 65536;

// What differs between these hashes: the prefix of a message, and what becomes of its digest.
struct Form {
    int leaf_prefix, node_prefix;  // a byte, or -1
    bool is_padded_node = true;    // else a node is one compression
    bool is_twice = false;         // a digest is hashed again
    bool is_cut = false;           // a digest loses its two highest bits
};
constexpr Form form_of(Hash hash) {
    switch (hash) {
        case Hash::sha256_rfc6962: return {0, 1};
        case Hash::sha256d: return {-1, -1, true, true};
        case Hash::sha256_compress: return {-1, -1, false, false};
        case Hash::sha256_trunc254: return {-1, -1, true, false, true};
        default: return {-1, -1};
    }
}

// A message: a prefix, if any, and `length` bytes. Its blocks are read in place, or made in `made`.
class Message {
public:
    Message(int prefix, Bytes data, std::size_t length) : prefix_(prefix >= 0), data_(data), length_(length) {
        made_[0] = static_cast<std::uint8_t>(prefix);
    }
    std::size_t blocks() const { return (length_ + prefix_ + 8) / block_bytes + 1; }

    Bytes block(std::size_t b) {
        const std::size_t skip = b == 0 ? prefix_ : 0, from = block_bytes * b - (b == 0 ? 0 : prefix_);
        const std::size_t count = from < length_ ? std::min(length_ - from, block_bytes - skip) : 0;
        if (count == block_bytes) return data_ + from;
        if (count != 0) std::memcpy(made_ + skip, data_ + from, count);
        if (skip + count == block_bytes) return made_;
        std::memset(made_ + skip + count, 0, block_bytes - skip - count);
        if (from <= length_) made_[skip + count] = 0x80;
        if (b + 1 == blocks()) {
            const std::uint64_t bits = 8 * static_cast<std::uint64_t>(length_ + prefix_);
            for (int i = 0; i < 8; i++) made_[56 + i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
        }
        return made_;
    }

private:
    std::size_t prefix_;
    Bytes data_;
    std::size_t length_;
    std::uint8_t made_[block_bytes];
};

void store(std::uint8_t out[32], const std::uint32_t h[8]) {
    for (int k = 0; k < 8; k++) {
        const std::uint32_t word = __builtin_bswap32(h[k]);
        std::memcpy(out + 4 * k, &word, 4);
    }
}

// Hashes two messages of one length to two digests; false if go_on did.
bool digest_two(Message& a, Message& b, std::size_t blocks, std::uint8_t* out_a, std::uint8_t* out_b, GoOn go_on) {
    const runtime::Sha256Instructions& sha = *runtime::sha256_instructions();
    std::uint32_t h[2][8];
    mkz_sha256_iv(h[0]);
    mkz_sha256_iv(h[1]);
    for (std::size_t i = 0; i < blocks; i++) {
        sha.two(h[0], h[1], a.block(i), b.block(i));
        if (i % blocks_between_checks == blocks_between_checks - 1 && !go_on.ask(go_on.of)) return false;
    }
    store(out_a, h[0]);
    store(out_b, h[1]);
    return true;
}

bool digest_one(Message& a, std::size_t blocks, std::uint8_t* out, GoOn go_on) {
    const runtime::Sha256Instructions& sha = *runtime::sha256_instructions();
    std::uint32_t h[8];
    mkz_sha256_iv(h);
    for (std::size_t i = 0; i < blocks; i++) {
        sha.blocks(h, a.block(i), 1);
        if (i % blocks_between_checks == blocks_between_checks - 1 && !go_on.ask(go_on.of)) return false;
    }
    store(out, h);
    return true;
}

constexpr GoOn always{[](const void*) { return true; }, nullptr};

bool digest_rows(const Form& form, int prefix, bool is_padded, Bytes rows, std::size_t n, std::size_t length,
                 std::uint8_t* out, GoOn go_on) {
    for (std::size_t i = 0; i < n; i += 2) {
        Message a(prefix, rows + i * length, length);
        const std::size_t blocks = is_padded ? a.blocks() : length / block_bytes;
        if (i + 1 == n) {
            if (!digest_one(a, blocks, out + 32 * i, go_on)) return false;
        } else {
            Message b(prefix, rows + (i + 1) * length, length);
            if (!digest_two(a, b, blocks, out + 32 * i, out + 32 * (i + 1), go_on)) return false;
        }
    }
    for (std::size_t i = 0; form.is_cut && i < n; i++) out[32 * i + 31] &= 0x3f;
    return !form.is_twice || digest_rows(Form{-1, -1}, -1, true, out, n, 32, out, always);
}

template <Hash hash>
void merge(Bytes in, std::size_t n, std::uint8_t* out, const std::uint64_t*) {
    constexpr Form form = form_of(hash);
    digest_rows(form, form.node_prefix, form.is_padded_node, in, n, 64, out, always);
}

template <Hash hash>
void hash_rows(Bytes rows, std::size_t n, std::size_t length, std::uint8_t* out, GoOn go_on, const std::uint64_t*) {
    constexpr Form form = form_of(hash);
    digest_rows(form, form.leaf_prefix, true, rows, n, length, out, go_on);
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
