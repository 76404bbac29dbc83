#pragma once

#include <cstddef>
#include <cstdint>

#include "jobs/jobs.hpp"

namespace merklize::runtime {

/// Rows of matrices in host memory.

/// Copies the first n rows of a matrix: word k of row i goes to out + i row_stride + k column_stride.
void pack_rows(const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n, std::byte* out,
               std::uint64_t row_stride, std::uint64_t column_stride);

/// Replaces words x of 4 bytes by 2^32 x mod the modulus.
void to_montgomery(std::byte* words, std::uint64_t n, std::uint64_t modulus) noexcept;

/// Throws invalid_argument, with the place of the first such word, if a word of a matrix is not below job.modulus.
/// matrix  n rows, from row `first` on, of job.matrices[index]
void require_words_below(const HashMatrices& job, std::size_t index, const MatrixAt& matrix, std::uint64_t first,
                         std::uint64_t n);

}  // namespace merklize::runtime
