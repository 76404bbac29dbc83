// weighted_sums(): sums of the rows or of the columns of a matrix, with weights.
#include <cstring>
#include <string>
#include <vector>

#include "calls/run.hpp"
#include "hashes/field.hpp"
#include "host/invalid.hpp"
#include "lde/input.hpp"
#include "merklize/core/kernels/weighted_sums.h"

namespace merklize::inline v0 {
namespace {

void require_sums_bytes(std::size_t found, std::uint64_t n, const SumForm& form, unsigned word, const char* argument,
                        const char* of) {
    if (found / word / form.degree == n && found % (std::uint64_t{word} * form.degree) == 0) return;
    invalid_call(argument, "must have " + std::to_string(form.degree) + " words of " + std::to_string(word) +
                               " bytes for each of " + std::to_string(n) + " " + of + ", got " + std::to_string(found) +
                               " bytes");
}

// 1 / 2^64 mod Goldilocks' p: 2^96 = -1, so it is -2^32.
constexpr std::uint64_t gl_montgomery_inverse = MKZ_GL_P - (std::uint64_t{1} << 32);

// The factor whose product with a word of the matrix has the word's form.
std::uint64_t factor_of(std::uint64_t weight, Elements elements, std::uint64_t) {
    if (elements == Elements::montgomery) weight = mkz_gl_mul(weight, gl_montgomery_inverse);
    return mkz_gl_canonical(weight);
}
std::uint32_t factor_of(std::uint32_t weight, Elements elements, std::uint64_t p) {
    return static_cast<std::uint32_t>(elements == Elements::montgomery ? weight % p
                                                                       : (std::uint64_t{weight} << 32) % p);
}

template <class Word>
std::vector<std::byte> factors_of(std::span<const std::byte> weights, Elements elements, std::uint64_t p) {
    std::vector<std::byte> factors(weights.size());
    for (std::size_t at = 0; at < weights.size(); at += sizeof(Word)) {
        Word word;
        std::memcpy(&word, &weights[at], sizeof word);
        word = factor_of(word, elements, p);
        std::memcpy(&factors[at], &word, sizeof word);
    }
    return factors;
}

}  // namespace

void weighted_sums(const Matrix& matrix, std::span<const std::byte> weights, std::span<std::byte> out,
                   const SumForm& form, const RunOptions& options) {
    const PublicCall entry("weighted_sums");
    runtime::require_no_policy(options);
    const runtime::FieldMatrices given = runtime::read_field_matrix(matrix, form.field);
    const unsigned word = given.field.word_bytes;
    const std::uint64_t p = given.field.modulus;
    if (form.over > SumOver::columns) {
        invalid_call("over",
                     "must be rows (0) or columns (1), got " + std::to_string(static_cast<std::uint32_t>(form.over)));
    }
    if (form.degree < 1 || form.degree > MKZ_SUMS_DEGREE) {
        invalid_call("degree",
                     "must be 1 to " + std::to_string(MKZ_SUMS_DEGREE) + ", got " + std::to_string(form.degree));
    }
    const bool over_rows = form.over == SumOver::rows;
    const char *const terms = over_rows ? "rows" : "columns", *const sums = over_rows ? "columns" : "rows";
    runtime::WeightedSums job{.field = static_cast<std::uint32_t>(form.field),
                              .in = given.input.at[0],
                              .rows = matrix.rows,
                              .over_rows = over_rows,
                              .degree = form.degree,
                              .is_checked = matrix.elements == Elements::canonical,
                              .out = out.data()};
    require_sums_bytes(weights.size(), job.terms(), form, word, "weights", terms);
    require_sums_bytes(out.size(), job.sums(), form, word, "out", sums);
    using enum runtime::Operand::Use;
    std::vector<runtime::Operand> operands = {{reads, "weights", weights}, {writes, "out", std::as_bytes(out)}};
    runtime::add_reads(operands, {&matrix, 1}, given.input);
    runtime::require_apart(operands);
    const std::size_t n = weights.size() / word;
    const std::size_t wrong = runtime::first_not_below(p, word, weights.data(), n);
    if (matrix.elements != Elements::any && wrong != n) {
        invalid_call("word " + std::to_string(wrong % form.degree) + " of weight " +
                     std::to_string(wrong / form.degree) +
                     " is not a field element: it must be below p = " + std::to_string(p));
    }
    const std::vector<std::byte> factors = word == 8 ? factors_of<std::uint64_t>(weights, matrix.elements, p)
                                                     : factors_of<std::uint32_t>(weights, matrix.elements, p);
    job.weights = factors.data();
    const RunOptions here = given.input.on == nullptr ? options : runtime::on_device_of(*given.input.on, options);
    runtime::Run run(here);
    if (job.in.columns == 0) {
        if (!out.empty()) std::memset(out.data(), 0, out.size());
        return;
    }
    run.launch(job, 1);
    run.finish();
}

}  // namespace merklize::inline v0
