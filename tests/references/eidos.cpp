// Plain reference of eidos and eidos_v0, by the definition (docs/hashes.md), with BLAKE3's compression word by word.
#include <algorithm>

#include "reference.hpp"

namespace reference {
namespace {

using Words8 = std::array<std::uint32_t, 8>;

constexpr Words8 start = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
constexpr std::uint32_t low_31_bits = 0x7fffffff;

std::uint32_t rotate_right(std::uint32_t x, unsigned n) { return x >> n | x << (32 - n); }

Words8 compress(const Words8& cv, const std::array<std::uint32_t, 16>& block) {
    std::array<std::uint32_t, 16> v{}, m = block;
    for (std::size_t i = 0; i < 8; ++i) {
        v[i] = cv[i];
        v[i + 8] = start[i];
    }
    for (int round = 0; round < 7; ++round) {
        for (std::size_t g = 0; g < 8; ++g) {
            const std::size_t turn = g / 4, a = g % 4;  // columns, then diagonals
            const std::size_t b = 4 + (a + turn) % 4, c = 8 + (a + 2 * turn) % 4, d = 12 + (a + 3 * turn) % 4;
            for (const std::size_t half : {0u, 1u}) {
                v[a] += v[b] + m[2 * g + half];
                v[d] = rotate_right(v[d] ^ v[a], half == 0 ? 16 : 8);
                v[c] += v[d];
                v[b] = rotate_right(v[b] ^ v[c], half == 0 ? 12 : 7);
            }
        }
        constexpr std::size_t order[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
        const auto before = m;
        for (std::size_t i = 0; i < 16; ++i) m[i] = before[order[i]];
    }
    Words8 out{};
    for (std::size_t i = 0; i < 8; ++i) out[i] = (v[i] ^ v[i + 8]) & (i % 2 == 0 ? ~0u : low_31_bits);
    return out;
}

// Blocks of 64 bytes, the last one filled with zeros; at least one.
Bytes chain(std::uint32_t tag, std::uint32_t length, Bytes message, bool is_v0) {
    Words8 cv{};
    for (std::size_t i = 1; i < 8; i += 2) cv[i] = start[i] & (is_v0 ? low_31_bits : ~0u);
    cv[0] = tag;
    cv[2] = length;
    message.resize(std::max<std::size_t>(1, (message.size() + 63) / 64) * 64);
    for (std::size_t at = 0; at < message.size(); at += 64) {
        std::array<std::uint32_t, 16> block{};
        for (std::size_t i = 0; i < 64; ++i) block[i / 4] |= std::uint32_t{message[at + i]} << (8 * (i % 4));
        cv = compress(cv, block);
    }
    Bytes out;
    for (std::size_t i = 0; i < 32; ++i) out.push_back(static_cast<std::uint8_t>(cv[i / 4] >> (8 * (i % 4))));
    return out;
}

Bytes merged(const Bytes& left, const Bytes& right, bool is_v0) {
    Bytes both = left;
    both.insert(both.end(), right.begin(), right.end());
    return chain(0, 0, both, is_v0);
}

Bytes elements(const Bytes& record, bool is_v0) {
    return chain(0x0a01, static_cast<std::uint32_t>(record.size() / 8), record, is_v0);
}

}  // namespace

Bytes eidos_merge(const Bytes& left, const Bytes& right, const Mode&) { return merged(left, right, false); }
Bytes eidos_leaf(const Bytes& record, const Mode&) { return elements(record, false); }
Bytes eidos_v0_merge(const Bytes& left, const Bytes& right, const Mode&) { return merged(left, right, true); }
Bytes eidos_v0_leaf(const Bytes& record, const Mode&) { return elements(record, true); }

}  // namespace reference
