#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "json.hpp"
#include "reference.hpp"

// The field of Rescue Prime, RPO and RPX by textbook formulas, for their references.
namespace reference::goldilocks {

__extension__ using Wide = unsigned __int128;
inline constexpr std::uint64_t p = 0xffffffff00000001;

inline std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    Wide sum = Wide{a} + b;
    while (sum >= p) sum -= p;  // at most two subtractions; `%` would call a function that divides
    return static_cast<std::uint64_t>(sum);
}
inline std::uint64_t multiply(std::uint64_t a, std::uint64_t b) { return static_cast<std::uint64_t>(Wide{a} * b % p); }
inline std::uint64_t power(std::uint64_t x, std::uint64_t e) {
    std::uint64_t out = 1;
    for (; e != 0; e >>= 1, x = multiply(x, x)) {
        if (e & 1) out = multiply(out, x);
    }
    return out;
}

using Matrix = std::vector<std::vector<std::uint64_t>>;

inline Matrix matrix_of(const json::Value& rows) {
    Matrix out;
    for (const json::Value& row : rows.items) out.push_back(row.numbers());
    return out;
}

/// state = mds * state + ark
template <std::size_t width>
void linear(std::array<std::uint64_t, width>& state, const Matrix& mds, const std::vector<std::uint64_t>& ark) {
    std::array<std::uint64_t, width> out{};
    for (std::size_t i = 0; i < width; ++i) {
        for (std::size_t k = 0; k < width; ++k) out[i] = add(out[i], multiply(mds[i][k], state[k]));
        out[i] = add(out[i], ark[i]);
    }
    state = out;
}

/// Eight bytes a word, least first.
inline std::vector<std::uint64_t> words_of(const Bytes& bytes) {
    std::vector<std::uint64_t> words(bytes.size() / 8);
    for (std::size_t i = 0; i < bytes.size(); ++i) words[i / 8] |= std::uint64_t{bytes[i]} << (8 * (i % 8));
    return words;
}

/// A digest of four words.
inline Bytes bytes_of(const std::uint64_t* digest) {
    Bytes out;
    for (std::size_t i = 0; i < 32; ++i) out.push_back(static_cast<std::uint8_t>(digest[i / 8] >> (8 * (i % 8))));
    return out;
}

}  // namespace reference::goldilocks
