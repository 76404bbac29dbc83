#pragma once

#include <cstdint>
#include <span>

#include "jobs/extension.hpp"
#include "matrices/input.hpp"
#include "merklize/extend.hpp"

namespace merklize::runtime {

/// Matrices of field elements that a caller gave, checked.
struct FieldMatrices {
    const FieldFacts& field;
    MatrixInput input;
};

/// errors  invalid_argument (no such field, words of another size, what read_matrices() finds)
FieldMatrices read_field_matrices(std::span<const Matrix> matrices, Field field);
inline FieldMatrices read_field_matrix(const Matrix& matrix, Field field) {
    return read_field_matrices({&matrix, 1}, field);
}

/// An extension that a caller asked for, checked: the job, and the bytes that its output must have.
struct Extension {
    MatrixInput input;
    Extend job{};  ///< without an output until set_out()
    std::uint64_t out_bytes = 0;
};

/// errors  invalid_argument (all but what set_out() finds)
Extension read_extension(const Matrix& matrix, const ExtendForm& form);
/// errors  invalid_argument (another number of bytes)
void set_out(Extension& extension, const Place& first, std::uint64_t bytes);

}  // namespace merklize::runtime
