// Plain reference of RpJive64_256: the rounds by matrices and `%`. The constants are those of
// tests/vectors/rpjive64_256_constants.json.
#include "reference.hpp"

#include "json.hpp"
#include "references/goldilocks.hpp"

namespace reference {
namespace {

using goldilocks::Matrix, goldilocks::add, goldilocks::multiply, goldilocks::power;
using Jive = std::array<std::uint64_t, 8>;

Matrix published(const char* name) {
    static const json::Value file = json::read(MERKLIZE_VECTORS "/rpjive64_256_constants.json");
    Matrix out;
    for (const json::Value& row : file[name].items) out.push_back(row.numbers());
    return out;
}

void permute(Jive& state) {
    static const Matrix mds = published("MDS"), ark[] = {published("ARK1"), published("ARK2")};
    constexpr std::uint64_t exponents[] = {7, 10540996611094048183u};
    for (std::size_t half = 0; half < 14; ++half) {
        Jive out{};
        for (std::uint64_t& cell : state) cell = power(cell, exponents[half % 2]);
        for (std::size_t i = 0; i < 8; ++i) {
            for (std::size_t k = 0; k < 8; ++k) out[i] = add(out[i], multiply(mds[i][k], state[k]));
            out[i] = add(out[i], ark[half % 2][half / 2][i]);
        }
        state = out;
    }
}

std::vector<std::uint64_t> words_of(const Bytes& bytes) {
    std::vector<std::uint64_t> words(bytes.size() / 8);
    for (std::size_t i = 0; i < bytes.size(); ++i) words[i / 8] |= std::uint64_t{bytes[i]} << (8 * (i % 8));
    return words;
}

Bytes bytes_of(const std::uint64_t* digest) {
    Bytes out;
    for (std::size_t i = 0; i < 32; ++i) out.push_back(static_cast<std::uint8_t>(digest[i / 8] >> (8 * (i % 8))));
    return out;
}

}  // namespace

Bytes rpjive64_256_merge(const Bytes& left, const Bytes& right, const Mode&) {
    const std::vector<std::uint64_t> l = words_of(left), r = words_of(right);
    Jive state{l[0], l[1], l[2], l[3], r[0], r[1], r[2], r[3]};
    permute(state);
    Element4 out{};
    for (std::size_t i = 0; i < 4; ++i) out[i] = add(add(l[i], r[i]), add(state[i], state[4 + i]));
    return bytes_of(out.data());
}

/// Rate in cells 4 to 7. The padding, a one and zeros, replaces what the blocks before left in its cells.
Bytes rpjive64_256_leaf(const Bytes& record, const Mode&) {
    const std::vector<std::uint64_t> words = words_of(record);
    const std::size_t whole = words.size() / 4 * 4, rest = words.size() - whole;
    Jive state{};
    state[0] = rest != 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        state[4 + i % 4] = add(state[4 + i % 4], words[i]);
        if (i % 4 == 3) permute(state);
    }
    for (std::size_t k = rest; rest != 0 && k < 4; ++k) state[4 + k] = k == rest;
    if (rest != 0) permute(state);
    return bytes_of(state.data() + 4);
}

}  // namespace reference
