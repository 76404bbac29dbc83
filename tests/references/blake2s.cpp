// Plain reference of blake2s by RFC 7693: its mixing function, its message schedule and its compression, word by word.
#include "reference.hpp"

namespace reference {
namespace {

constexpr std::array<std::uint32_t, 8> first = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

// Section 2.7; a digit is an index.
constexpr const char* schedule[10] = {"0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8",
                                      "905724afe1bc683d", "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a",
                                      "6fe9b308c2d714a5", "a2847615fb9e3cd0"};

std::uint32_t right(std::uint32_t x, unsigned n) { return x >> n | x << (32 - n); }

unsigned index_at(unsigned round, unsigned place) {
    const char digit = schedule[round][place];
    return static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

struct Chain {
    std::array<std::uint32_t, 8> h = first;

    void compress(const Bytes& block, std::uint64_t counter, bool is_last) {
        std::array<std::uint32_t, 16> m{}, v{};
        for (std::size_t i = 0; i < 64; ++i) m[i / 4] |= std::uint32_t{block[i]} << (8 * (i % 4));
        for (std::size_t i = 0; i < 8; ++i) {
            v[i] = h[i];
            v[i + 8] = first[i];
        }
        v[12] ^= static_cast<std::uint32_t>(counter);
        v[13] ^= static_cast<std::uint32_t>(counter >> 32);
        if (is_last) v[14] = ~v[14];
        for (unsigned round = 0; round < 10; ++round) {
            for (unsigned g = 0; g < 8; ++g) {
                // Four columns, then four diagonals.
                const unsigned turn = g / 4, a = g % 4, b = 4 + (a + turn) % 4, c = 8 + (a + 2 * turn) % 4,
                               d = 12 + (a + 3 * turn) % 4;
                for (unsigned half = 0; half < 2; ++half) {
                    v[a] += v[b] + m[index_at(round, 2 * g + half)];
                    v[d] = right(v[d] ^ v[a], half == 0 ? 16 : 8);
                    v[c] += v[d];
                    v[b] = right(v[b] ^ v[c], half == 0 ? 12 : 7);
                }
            }
        }
        for (std::size_t i = 0; i < 8; ++i) h[i] ^= v[i] ^ v[i + 8];
    }
};

}  // namespace

Bytes blake2s(const Bytes& message, std::size_t length, const Bytes& key) {
    Chain state;
    state.h[0] ^= 0x01010000u ^ static_cast<std::uint32_t>(key.size()) << 8 ^ static_cast<std::uint32_t>(length);
    Bytes all = key;
    if (!key.empty()) all.resize(64);
    all.insert(all.end(), message.begin(), message.end());
    const std::size_t size = all.size();
    all.resize(size == 0 ? 64 : (size + 63) / 64 * 64);
    for (std::size_t at = 0; at < all.size(); at += 64) {
        const bool is_last = at + 64 == all.size();
        state.compress(
            Bytes(all.begin() + static_cast<std::ptrdiff_t>(at), all.begin() + static_cast<std::ptrdiff_t>(at) + 64),
            is_last ? size : at + 64, is_last);
    }
    Bytes out;
    for (std::size_t i = 0; i < length; ++i) out.push_back(static_cast<std::uint8_t>(state.h[i / 4] >> (8 * (i % 4))));
    return out;
}

Bytes blake2s_merge(const Bytes& left, const Bytes& right, const Mode& mode) {
    Bytes both = left;
    both.insert(both.end(), right.begin(), right.end());
    return blake2s(both, 32, mode.key);
}

Bytes blake2s_leaf(const Bytes& record, const Mode& mode) { return blake2s(record, 32, mode.key); }

}  // namespace reference
