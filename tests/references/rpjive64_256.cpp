// Plain reference of RpJive64_256: the rounds by matrices and `%`. The constants are those of
// tests/vectors/rpjive64_256_constants.json.
#include "reference.hpp"

#include "references/goldilocks.hpp"

namespace reference {
namespace {

using goldilocks::Matrix, goldilocks::add, goldilocks::power, goldilocks::words_of, goldilocks::bytes_of;
using Jive = std::array<std::uint64_t, 8>;

Matrix published(const char* name) {
    static const json::Value file = json::read(MERKLIZE_VECTORS "/rpjive64_256_constants.json");
    return goldilocks::matrix_of(file[name]);
}

void permute(Jive& state) {
    static const Matrix mds = published("MDS"), ark[] = {published("ARK1"), published("ARK2")};
    constexpr std::uint64_t exponents[] = {7, 10540996611094048183u};
    for (std::size_t half = 0; half < 14; ++half) {
        for (std::uint64_t& cell : state) cell = power(cell, exponents[half % 2]);
        goldilocks::linear(state, mds, ark[half % 2][half / 2]);
    }
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
