// Plain reference of the toy hash: its definition, byte by byte.
#include "reference.hpp"

namespace reference {
namespace {

Bytes sponge(const Bytes& message, std::uint64_t last_word) {
    Bytes padded = message;
    padded.push_back(1);
    while (padded.size() % 24 != 0) padded.push_back(0);
    padded.back() ^= 0x80;
    std::uint64_t s[5] = {0, 0, 0, 0, last_word};
    for (std::size_t at = 0; at < padded.size(); at += 24) {
        for (std::size_t i = 0; i < 24; ++i) s[i / 8] ^= std::uint64_t{padded[at + i]} << (8 * (i % 8));
        for (std::uint64_t step = 0; step < 40; ++step) {
            const std::uint64_t x = s[(step + 1) % 5];
            s[step % 5] += ((x << 17 | x >> 47) ^ s[(step + 2) % 5]) + 0x9e3779b97f4a7c15 * (step + 1);
        }
    }
    Bytes out;
    for (std::size_t i = 0; i < 32; ++i) out.push_back(static_cast<std::uint8_t>(s[i / 8] >> (8 * (i % 8))));
    return out;
}

}  // namespace

Bytes toy_merge(const Bytes& left, const Bytes& right, const Mode&) {
    Bytes both = left;
    both.insert(both.end(), right.begin(), right.end());
    return sponge(both, 1);
}

Bytes toy_leaf(const Bytes& record, const Mode&) { return sponge(record, 0); }

}  // namespace reference
