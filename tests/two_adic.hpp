#pragma once

#include <cstdint>
#include <vector>

#include "merklize/extend.hpp"

/// The fields that extend() takes, by 128-bit division, and polynomials over them.
namespace support {

__extension__ using Wide = unsigned __int128;

struct TwoAdicField {
    merklize::Field field;
    std::uint64_t p, generator, odd;  // p - 1 = odd 2^two_adicity
    unsigned two_adicity;
};
/// The root of Goldilocks is 7^odd, those of the others 31^odd and 3^odd.
inline constexpr TwoAdicField two_adic_fields[] = {{merklize::Field::goldilocks, 0xffffffff00000001, 7, 0xffffffff, 32},
                                                   {merklize::Field::babybear, 0x78000001, 31, 15, 27},
                                                   {merklize::Field::koalabear, 0x7f000001, 3, 127, 24}};

inline std::uint64_t product(std::uint64_t a, std::uint64_t b, std::uint64_t p) {
    return static_cast<std::uint64_t>(Wide{a} * b % p);
}
inline std::uint64_t power(std::uint64_t base, std::uint64_t exponent, std::uint64_t p) {
    std::uint64_t result = 1;
    for (; exponent != 0; exponent /= 2, base = product(base, base, p)) {
        if (exponent % 2 == 1) result = product(result, base, p);
    }
    return result;
}
inline std::uint64_t root_of(const TwoAdicField& of, unsigned log_order) {
    return power(power(of.generator, of.odd, of.p), std::uint64_t{1} << (of.two_adicity - log_order), of.p);
}

struct Term {
    std::uint64_t exponent, factor;
};
/// The value of a polynomial that has few terms.
inline std::uint64_t value_at(const std::vector<Term>& terms, std::uint64_t x, std::uint64_t p) {
    Wide sum = 0;
    for (const Term& term : terms) sum += product(term.factor, power(x, term.exponent, p), p);
    return static_cast<std::uint64_t>(sum % p);
}

inline std::uint64_t reversed(std::uint64_t i, unsigned bits) {
    std::uint64_t r = 0;
    for (unsigned k = 0; k < bits; k++) r |= (i >> k & 1) << (bits - 1 - k);
    return r;
}

}  // namespace support
