#include "digests/partial_rounds.hpp"

#include <algorithm>

#include "host/invalid.hpp"

namespace merklize::runtime {
namespace {

__extension__ using TwoWords = unsigned __int128;
using Words = std::vector<std::uint64_t>;

// Row after row; empty if the matrix has no inverse.
Words inverse_of(Words rows, std::size_t n, const PrimeField& field) {
    Words out(n * n);
    for (std::size_t i = 0; i < n; i++) out[n * i + i] = 1;
    for (std::size_t i = 0; i < n; i++) {
        std::size_t pivot = i;
        while (pivot < n && rows[n * pivot + i] == 0) pivot++;
        if (pivot == n) return {};
        const std::uint64_t scale = field.inverse(rows[n * pivot + i]);
        for (Words* of : {&rows, &out}) {
            std::uint64_t* const row = of->data() + n * i;
            if (pivot != i) std::swap_ranges(row, row + n, of->data() + n * pivot);
            for (std::size_t j = 0; j < n; j++) row[j] = field.multiply(row[j], scale);
        }
        for (std::size_t k = 0; k < n; k++) {
            const std::uint64_t factor = rows[n * k + i];
            if (k == i || factor == 0) continue;
            for (Words* of : {&rows, &out}) {
                for (std::size_t j = 0; j < n; j++) {
                    std::uint64_t& word = (*of)[n * k + j];
                    word = field.add(word, field.multiply(field.p - factor, (*of)[n * i + j]));
                }
            }
        }
    }
    return out;
}

std::size_t side_of(std::span<const std::uint64_t> matrix) {
    std::size_t n = 1;
    while (n * n < matrix.size()) n++;
    return n;
}

// A product of a matrix and a column; of a row and a matrix.
Words times(const Words& rows, const Words& column, const PrimeField& field) {
    const std::size_t n = column.size();
    Words out(n);
    for (std::size_t i = 0; i < n * n; i++) out[i / n] = field.add(out[i / n], field.multiply(rows[i], column[i % n]));
    return out;
}
Words row_times(const Words& row, const Words& rows, const PrimeField& field) {
    const std::size_t n = row.size();
    Words out(n);
    for (std::size_t i = 0; i < n * n; i++) out[i % n] = field.add(out[i % n], field.multiply(row[i / n], rows[i]));
    return out;
}

}  // namespace

std::uint64_t PrimeField::add(std::uint64_t a, std::uint64_t b) const noexcept {
    return static_cast<std::uint64_t>((TwoWords{a} + b) % p);
}
std::uint64_t PrimeField::multiply(std::uint64_t a, std::uint64_t b) const noexcept {
    return static_cast<std::uint64_t>(TwoWords{a} * b % p);
}
std::uint64_t PrimeField::inverse(std::uint64_t a) const noexcept {  // a^(p - 2)
    std::uint64_t out = 1;
    for (std::uint64_t exponent = p - 2; exponent != 0; exponent >>= 1) {
        if (exponent % 2 != 0) out = multiply(out, a);
        a = multiply(a, a);
    }
    return out;
}

bool has_inverse(std::span<const std::uint64_t> matrix, std::uint64_t p) {
    return !inverse_of({matrix.begin(), matrix.end()}, side_of(matrix), {p}).empty();
}

PartialRounds::PartialRounds(std::span<const std::uint64_t> matrix, std::span<const std::uint64_t> given,
                             std::uint64_t p)
    : field{p} {
    const std::size_t n = side_of(matrix), rounds = given.size() / n, m = n - 1;
    const Words whole(matrix.begin(), matrix.end());
    Words inner(m * m), row(whole.begin() + 1, whole.begin() + static_cast<std::ptrdiff_t>(n)), column(m);
    for (std::size_t i = 0; i < m * m; i++) inner[i] = whole[n * (i / m + 1) + i % m + 1];
    for (std::size_t i = 0; i < m; i++) column[i] = whole[n * (i + 1)];
    if (!has_inverse(matrix, p)) invalid_call("matrix", "must have an inverse; this one is singular");
    const Words inverse = inverse_of(inner, m, field);
    if (inverse.empty()) {
        invalid_call(
            "matrix without its first row and its first column must have an inverse, as that of an MDS matrix "
            "has; this one is singular");
    }

    rest.resize(n);
    for (std::size_t r = 0; r < rounds; r++) {
        for (std::size_t k = 0; k < n; k++) rest[k] = field.add(rest[k], given[n * r + k]);
        constants.push_back(rest[0]);
        rest[0] = 0;
        rest = times(whole, rest, field);
    }

    // From the last round to the first. What has passed them all is D to their number: it is applied to the columns of
    // M.
    sparse.resize(2 * n * rounds);
    before = whole;
    for (std::size_t r = rounds; r-- > 0;) {
        const auto at = sparse.begin() + static_cast<std::ptrdiff_t>(2 * n * r);
        row = row_times(row, inverse, field);
        at[0] = whole[0];
        std::ranges::copy(row, at + 1);
        std::ranges::copy(column, at + static_cast<std::ptrdiff_t>(n) + 1);
        column = times(inner, column, field);
        for (std::size_t j = 0; j < n; j++) {
            Words below(m);
            for (std::size_t i = 0; i < m; i++) below[i] = before[n * (i + 1) + j];
            below = times(inner, below, field);
            for (std::size_t i = 0; i < m; i++) before[n * (i + 1) + j] = below[i];
        }
    }
}

}  // namespace merklize::runtime
