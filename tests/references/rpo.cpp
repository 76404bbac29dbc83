// Plain reference of RPO256 and RPX256: the rounds by matrices, `%` and polynomials. The constants are those of
// tests/vectors/rpo_constants.json.
#include "reference.hpp"

#include "references/goldilocks.hpp"

namespace reference {
namespace {

using goldilocks::Matrix, goldilocks::add, goldilocks::multiply, goldilocks::power;
constexpr std::uint64_t root7 = 10540996611094048183u;

const Matrix& constants(const char* name) {
    static const json::Value file = json::read(MERKLIZE_VECTORS "/rpo_constants.json");
    static thread_local std::map<std::string, Matrix> all;
    if (!all.contains(name)) all[name] = goldilocks::matrix_of(file[name]);
    return all[name];
}

void linear(State& state, const std::vector<std::uint64_t>& ark) { goldilocks::linear(state, constants("MDS"), ark); }

void full_round(State& state, std::size_t r) {
    linear(state, constants("ARK1")[r]);
    for (std::uint64_t& cell : state) cell = power(cell, 7);
    linear(state, constants("ARK2")[r]);
    for (std::uint64_t& cell : state) cell = power(cell, root7);
}

using Cubic = std::array<std::uint64_t, 3>;

/// The product mod x^3 - x - 1, by long division.
Cubic multiply(const Cubic& a, const Cubic& b) {
    std::array<std::uint64_t, 5> c{};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t k = 0; k < 3; ++k) c[i + k] = add(c[i + k], multiply(a[i], b[k]));
    }
    for (std::size_t i = 4; i >= 3; --i) {  // x^i = x^(i-2) + x^(i-3)
        c[i - 2] = add(c[i - 2], c[i]);
        c[i - 3] = add(c[i - 3], c[i]);
    }
    return {c[0], c[1], c[2]};
}

void extension_round(State& state, std::size_t r) {
    for (std::size_t i = 0; i < 12; ++i) state[i] = add(state[i], constants("ARK1")[r][i]);
    for (std::size_t i = 0; i < 12; i += 3) {
        const Cubic a = {state[i], state[i + 1], state[i + 2]};
        Cubic out = a;
        for (int n = 1; n < 7; ++n) out = multiply(out, a);
        for (std::size_t k = 0; k < 3; ++k) state[i + k] = out[k];
    }
}

void rpo(State& state) {
    for (std::size_t r = 0; r < 7; ++r) full_round(state, r);
}

void rpx(State& state) {
    for (std::size_t r = 0; r < 6; ++r) r % 2 == 0 ? full_round(state, r) : extension_round(state, r);
    linear(state, constants("ARK1")[6]);
}

/// revision  4: rate in cells 0-7, capacity in 8-11. 1 and 2: rate in 4-11, capacity in 0-3. Revision 1 pads with a one
///           and zeros, and
/// its capacity says only whether there is padding.
Bytes sponge(void (*permute)(State&), const Bytes& record, int revision = 4) {
    std::vector<std::uint64_t> words = goldilocks::words_of(record);
    State state{};
    const std::size_t rate = revision == 4 ? 0 : 4, capacity = revision == 4 ? 8 : 0;
    const bool is_whole = words.size() % 8 == 0;
    state[capacity] = revision == 1 ? !is_whole : words.size() % 8;
    if (!is_whole) words.push_back(revision == 1);
    while (words.size() % 8 != 0) words.push_back(0);
    for (std::size_t i = 0; i < words.size(); ++i) {
        state[rate + i % 8] = words[i];
        if (i % 8 == 7) permute(state);
    }
    return goldilocks::bytes_of(state.data() + rate);
}

Bytes merged(void (*permute)(State&), const Bytes& left, const Bytes& right, int revision = 4) {
    Bytes both = left;
    both.insert(both.end(), right.begin(), right.end());
    return sponge(permute, both, revision);
}

}  // namespace

Bytes rpo256_merge(const Bytes& left, const Bytes& right, const Mode&) { return merged(rpo, left, right); }
Bytes rpo256_leaf(const Bytes& record, const Mode&) { return sponge(rpo, record); }
#define REVISION(name, permute, revision)                                    \
    Bytes name##_merge(const Bytes& left, const Bytes& right, const Mode&) { \
        return merged(permute, left, right, revision);                       \
    }                                                                        \
    Bytes name##_leaf(const Bytes& record, const Mode&) { return sponge(permute, record, revision); }
REVISION(rpo256_r1, rpo, 1)
REVISION(rpo256_r2, rpo, 2)
REVISION(rpx256_r2, rpx, 2)
Bytes rpx256_merge(const Bytes& left, const Bytes& right, const Mode&) { return merged(rpx, left, right); }
Bytes rpx256_leaf(const Bytes& record, const Mode&) { return sponge(rpx, record); }

}  // namespace reference
