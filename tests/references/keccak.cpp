// Plain reference of keccak256, keccak256_sorted, sha3_256 and keccakf64: Keccak by its definition, with round
// constants from the shift register.
#include <algorithm>

#include "reference.hpp"

namespace reference {
namespace {

std::uint64_t rotate_left(std::uint64_t x, unsigned n) { return n == 0 ? x : x << n | x >> (64 - n); }

// Lane (x, y) is lanes[x][y].
using Lanes = std::array<std::array<std::uint64_t, 5>, 5>;

void permute(Lanes& lanes) {
    unsigned shift_register = 1;
    for (int round = 0; round < 24; ++round) {
        std::array<std::uint64_t, 5> parity{};
        for (unsigned x = 0; x < 5; ++x) {
            for (const std::uint64_t lane : lanes[x]) parity[x] ^= lane;
        }
        for (unsigned x = 0; x < 5; ++x) {
            for (std::uint64_t& lane : lanes[x]) lane ^= parity[(x + 4) % 5] ^ rotate_left(parity[(x + 1) % 5], 1);
        }
        Lanes moved = lanes;
        unsigned x = 1, y = 0;
        for (unsigned t = 0; t < 24; ++t) {
            const std::uint64_t turned = rotate_left(lanes[x][y], (t + 1) * (t + 2) / 2 % 64);
            const unsigned to = (2 * x + 3 * y) % 5;
            x = y;
            y = to;
            moved[x][y] = turned;
        }
        for (x = 0; x < 5; ++x) {
            for (y = 0; y < 5; ++y) lanes[x][y] = moved[x][y] ^ (~moved[(x + 1) % 5][y] & moved[(x + 2) % 5][y]);
        }
        for (unsigned j = 0; j < 7; ++j) {
            if ((shift_register & 1) != 0) lanes[0][0] ^= std::uint64_t{1} << ((1u << j) - 1);
            shift_register <<= 1;
            if ((shift_register & 0x100) != 0) shift_register ^= 0x171;
        }
    }
}

Bytes first_words(const Lanes& lanes) {
    Bytes out;
    for (std::size_t i = 0; i < 32; ++i) out.push_back(static_cast<std::uint8_t>(lanes[i / 8][0] >> (8 * (i % 8))));
    return out;
}

Bytes keccak256(const Bytes& message, std::uint8_t padding = 1) {
    Bytes padded = message;
    padded.push_back(padding);
    while (padded.size() % 136 != 0) padded.push_back(0);
    padded.back() |= 0x80;
    Lanes lanes{};
    for (std::size_t at = 0; at < padded.size(); at += 136) {
        for (std::size_t i = 0; i < 136; ++i)
            lanes[i / 8 % 5][i / 40] ^= std::uint64_t{padded[at + i]} << (8 * (i % 8));
        permute(lanes);
    }
    return first_words(lanes);
}

}  // namespace

Bytes keccak256_merge(const Bytes& left, const Bytes& right, const Mode&) {
    Bytes both = left;
    both.insert(both.end(), right.begin(), right.end());
    return keccak256(both);
}

Bytes keccak256_leaf(const Bytes& record, const Mode&) { return keccak256(record); }

Bytes keccak256_sorted_merge(const Bytes& left, const Bytes& right, const Mode& mode) {
    return keccak256_merge(std::min(left, right), std::max(left, right), mode);
}

Bytes keccak256_sorted_leaf(const Bytes& record, const Mode&) { return keccak256(record); }

Bytes sha3_256_merge(const Bytes& left, const Bytes& right, const Mode&) {
    Bytes both = left;
    both.insert(both.end(), right.begin(), right.end());
    return keccak256(both, 6);
}

Bytes sha3_256_leaf(const Bytes& record, const Mode&) { return keccak256(record, 6); }

// Words of a block replace lanes. The other lanes keep their values from the last permutation.
Bytes keccakf64_leaf(const Bytes& record, const Mode&) {
    Lanes lanes{};
    const std::size_t words = (record.size() + 7) / 8;
    for (std::size_t w = 0; w < words; ++w) {
        std::uint64_t& lane = lanes[w % 17 % 5][w % 17 / 5];
        lane = 0;
        for (std::size_t i = 0; i < 8 && 8 * w + i < record.size(); ++i)
            lane |= std::uint64_t{record[8 * w + i]} << (8 * i);
        if (w % 17 == 16 || w + 1 == words) permute(lanes);
    }
    return first_words(lanes);
}

Bytes keccakf64_merge(const Bytes& left, const Bytes& right, const Mode& mode) {
    Bytes both = left;
    both.insert(both.end(), right.begin(), right.end());
    return keccakf64_leaf(both, mode);
}

}  // namespace reference
