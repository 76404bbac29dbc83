#pragma once

#include <cstdint>
#include <vector>

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

}  // namespace reference::goldilocks
