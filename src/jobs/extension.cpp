#include "jobs/extension.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

namespace merklize::runtime {
namespace {

// Plonky3's: p3-goldilocks, p3-baby-bear and p3-koala-bear 0.8, GENERATOR and the last of TWO_ADIC_GENERATORS.
constexpr FieldFacts extension_fields[] = {
    {"goldilocks", 0xffffffff00000001, 7, 0x185629dcda58878c, 32, 8},
    {"babybear", 0x78000001, 31, 0x1a427a41, 27, 4},
    {"koalabear", 0x7f000001, 3, 0x6ac49f88, 24, 4},
};

// Products of factors, and the factor of an element.
std::uint64_t factor_product(std::uint64_t a, std::uint64_t b, std::uint64_t) {
    return mkz_extend_canonical64(mkz_extend_mul64(a, b, MKZ_GL_P), MKZ_GL_P);
}
std::uint32_t factor_product(std::uint32_t a, std::uint32_t b, std::uint64_t p) {
    return mkz_extend_mul32(a, b, static_cast<std::uint32_t>(p));
}
template <class Word>
Word factor_of(std::uint64_t x, std::uint64_t p) {
    return sizeof(Word) == 8 ? static_cast<Word>(x) : static_cast<Word>((x << 32) % p);
}
template <class Word>
Word factor_power(Word base, std::uint64_t exponent, std::uint64_t p) {
    Word product = factor_of<Word>(1, p);
    for (; exponent != 0; exponent >>= 1) {
        if (exponent % 2 == 1) product = factor_product(product, base, p);
        base = factor_product(base, base, p);
    }
    return product;
}

}  // namespace

const FieldFacts* find_field(std::uint32_t number) noexcept {
    return number < std::size(extension_fields) ? &extension_fields[number] : nullptr;
}

ExtensionPlan::ExtensionPlan(const Extend& job)
    : job_(job), field_(*find_field(job.field)), log_rows_(static_cast<std::uint32_t>(std::countr_zero(job.rows))) {
    const std::uint32_t n = std::max(1u, (log_rows_ + MKZ_EXTEND_LEVELS - 1) / MKZ_EXTEND_LEVELS);
    for (std::uint32_t k = 0; k < n; k++) parts_.push_back(log_rows_ * (k + 1) / n - log_rows_ * k / n);
}

template <class Word>
ExtensionPlan::Tables ExtensionPlan::make_tables() const {
    const std::uint64_t p = field_.modulus, n = job_.rows;
    const auto root_of = [&](std::uint32_t log_order) {
        return factor_power(factor_of<Word>(field_.root, p), std::uint64_t{1} << (field_.two_adicity - log_order), p);
    };
    std::vector<Word> roots(n, factor_of<Word>(1, p));
    for (std::uint32_t level = 1; level < log_rows_; level++) {
        const std::uint64_t m = std::uint64_t{1} << level;
        const Word g = root_of(level + 1);
        for (std::uint64_t j = 0; j < m / 2; j++) {
            roots[m + 2 * j] = roots[m / 2 + j];
            roots[m + 2 * j + 1] = factor_product(roots[m / 2 + j], g, p);
        }
    }
    std::vector<Word> scales;
    // The powers base s^i, i < 2^bits, in the bit-reversed order of i.
    const auto add_powers = [&](Word base, Word s, std::uint32_t bits) {
        const std::size_t first = scales.size();
        scales.push_back(base);
        for (std::uint32_t k = 0; k < bits; k++) {
            const Word factor = factor_power(s, std::uint64_t{1} << (bits - 1 - k), p);
            for (std::size_t i = 0; i < std::size_t{1} << k; i++)
                scales.push_back(factor_product(scales[first + i], factor, p));
        }
    };
    const Word g = root_of(log_rows_ + job_.added_bits), one = factor_of<Word>(1, p);
    const Word share = factor_power(factor_of<Word>(n % p, p), p - 2, p);
    Word shift = factor_of<Word>(job_.shift, p);
    for (std::uint64_t coset = 0; coset < std::uint64_t{1} << job_.added_bits; coset++) {
        const std::uint32_t above = log_rows_ - parts_[0];
        add_powers(one, factor_power(shift, std::uint64_t{1} << above, p), parts_[0]);
        add_powers(share, shift, above);
        shift = factor_product(shift, g, p);
    }
    const auto bytes_of = [](const std::vector<Word>& words) {
        std::vector<std::byte> bytes(words.size() * sizeof(Word));
        std::memcpy(bytes.data(), words.data(), bytes.size());
        return bytes;
    };
    return {bytes_of(roots), bytes_of(scales)};
}

ExtensionPlan::Tables ExtensionPlan::tables() const {
    return field_.word_bytes == 8 ? make_tables<std::uint64_t>() : make_tables<std::uint32_t>();
}

std::vector<ExtensionPlan::Pass> ExtensionPlan::passes(std::uint64_t columns, std::uint32_t log_tile_columns,
                                                       const Strides& strides) const {
    const std::uint64_t cosets = std::uint64_t{1} << job_.added_bits;
    const auto words = [&](std::int64_t bytes) { return static_cast<std::uint64_t>(bytes / field_.word_bytes); };
    std::vector<Pass> passes;
    std::vector<std::uint32_t> low(1, 0);
    for (const std::uint32_t levels : parts_) low.push_back(low.back() + levels);
    const auto add = [&](std::uint32_t kinds, std::size_t part, At from, At to, std::uint64_t coset) {
        Pass made;
        made.from = from;
        made.to = to;
        mkz_extend_pass& pass = made.pass;
        pass.in_row_stride = pass.out_row_stride = pass.columns = columns;
        pass.in_column_stride = 1;
        pass.modulus = field_.modulus;
        pass.log_rows = log_rows_;
        pass.low = low[part];
        pass.levels = parts_[part];
        pass.kinds = kinds;
        pass.log_tile_columns = log_tile_columns;
        pass.scales = coset * scales_of_coset();
        if (from == At::in) {
            pass.in_row_stride = words(strides.in.row_stride);
            pass.in_column_stride = words(strides.in.column_stride);
            pass.is_checked = job_.is_checked ? 1 : 0;
        }
        if (to == At::out) {
            const std::uint64_t stride = words(strides.out.row_stride);
            pass.is_reversed = job_.is_reversed ? 1 : 0;
            pass.out_row_stride = job_.is_reversed ? stride : cosets * stride;
            pass.out_offset =
                job_.is_reversed
                    ? mkz_extend_reversed(static_cast<std::uint32_t>(coset), job_.added_bits) * job_.rows * stride
                    : coset * stride;
        }
        passes.push_back(made);
    };
    const std::size_t last = parts_.size() - 1;
    for (std::size_t part = last; part > 0; part--)
        add(MKZ_EXTEND_INVERSE, part, part == last ? At::in : At::coefficients, At::coefficients, 0);
    for (std::uint64_t coset = 0; coset < cosets; coset++) {
        for (std::size_t part = 0; part <= last; part++) {
            const At from = part > 0 ? At::values : last == 0 ? At::in : At::coefficients;
            add(part == 0 ? MKZ_EXTEND_INVERSE | MKZ_EXTEND_FORWARD : MKZ_EXTEND_FORWARD, part, from,
                part == last ? At::out : At::values, coset);
        }
    }
    return passes;
}

}  // namespace merklize::runtime
