#include "lde/input.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "host/invalid.hpp"

namespace merklize::runtime {
FieldMatrices read_field_matrices(std::span<const Matrix> matrices, Field field) {
    const FieldFacts* facts = find_field(static_cast<std::uint32_t>(field));
    if (facts == nullptr) {
        invalid_call("field", "must be goldilocks (0), babybear (1) or koalabear (2), got " +
                                  std::to_string(static_cast<std::uint32_t>(field)));
    }
    for (const Matrix& matrix : matrices) {
        if (matrix.word_bytes == facts->word_bytes) continue;
        invalid_call(std::string("words of ") + facts->name + " have " + std::to_string(facts->word_bytes) +
                     " bytes, got " + std::to_string(matrix.word_bytes));
    }
    // The field's hash takes the same words.
    const Hash hash = field == Field::goldilocks ? Hash::poseidon2_goldilocks_8
                      : field == Field::babybear ? Hash::poseidon2_babybear_16
                                                 : Hash::poseidon2_koalabear_16;
    return {*facts, read_matrices(matrices, hash)};
}

Extension read_extension(const Matrix& matrix, const ExtendForm& form) {
    FieldMatrices given = read_field_matrix(matrix, form.field);
    const FieldFacts* const field = &given.field;
    Extension made{.input = std::move(given.input)};
    if (!std::has_single_bit(matrix.rows))
        invalid_call("the number of rows must be a power of two, got " + std::to_string(matrix.rows));
    const auto log_rows = static_cast<unsigned>(std::countr_zero(matrix.rows));
    if (log_rows > field->two_adicity || form.added_bits > field->two_adicity - log_rows) {
        invalid_call(std::string(field->name) + " has roots of unity of order 2^" + std::to_string(field->two_adicity) +
                     " at most, got 2^" + std::to_string(log_rows) + " rows and " + std::to_string(form.added_bits) +
                     " added bits");
    }
    if (form.shift >= field->modulus) {
        invalid_call("shift",
                     "must be below p = " + std::to_string(field->modulus) + ", got " + std::to_string(form.shift));
    }
    if (form.order > RowOrder::bit_reversed) {
        invalid_call("order", "must be natural (0) or bit_reversed (1), got " +
                                  std::to_string(static_cast<std::uint32_t>(form.order)));
    }
    const std::uint64_t rows = matrix.rows << form.added_bits;
    if (matrix.columns > UINT64_MAX / rows / field->word_bytes) {
        invalid_call("an extension of " + std::to_string(rows) + " rows cannot have " + std::to_string(matrix.columns) +
                     " columns");
    }
    made.out_bytes = rows * matrix.columns * field->word_bytes;
    made.job = {.field = static_cast<std::uint32_t>(form.field),
                .in = made.input.at[0],
                .rows = matrix.rows,
                .out = {.columns = matrix.columns,
                        .row_stride = static_cast<std::int64_t>(matrix.columns * field->word_bytes),
                        .column_stride = field->word_bytes},
                .added_bits = form.added_bits,
                .shift = form.shift == 0 ? field->generator : form.shift,
                .is_reversed = form.order == RowOrder::bit_reversed,
                .is_checked = matrix.elements == Elements::canonical};
    return made;
}

void set_out(Extension& extension, const Place& first, std::uint64_t bytes) {
    if (bytes != extension.out_bytes) {
        invalid_call("out", "must have " + std::to_string(extension.out_bytes) + " bytes, 2^" +
                                std::to_string(extension.job.added_bits) + " times the matrix, got " +
                                std::to_string(bytes));
    }
    extension.job.out.first = first;
}

}  // namespace merklize::runtime
