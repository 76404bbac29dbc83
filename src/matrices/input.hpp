#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "calls/operands.hpp"
#include "jobs/jobs.hpp"
#include "merklize/matrix.hpp"

namespace merklize::runtime {

/// The matrices of one call, checked: on the host, or on one device.
struct MatrixInput {
    std::vector<MatrixAt> at;         ///< in the caller's order
    unsigned word_bytes = 0;          ///< of every matrix
    Elements elements{};              ///< of every matrix
    const ConstBuffer* on = nullptr;  ///< a buffer of the device; null: all are on the host
};

/// Whether words of matrices may have so many bytes: 16 only for hashes of bytes.
constexpr bool is_word_size(unsigned bytes) { return bytes == 1 || bytes == 4 || bytes == 8 || bytes == 16; }

/// errors  invalid_argument (no matrix, one without rows, more than 2^40 rows or columns, strides from 2^63 bytes on,
///         word sizes, host and device mixed, words outside of a buffer)
MatrixInput read_matrices(std::span<const Matrix> matrices, Hash hash);

/// Adds the words of the matrices to what a call reads.
void add_reads(std::vector<Operand>& operands, std::span<const Matrix> matrices, const MatrixInput& input);

/// The job for some matrices, without its output. Matrices without columns add nothing and are left out.
/// errors  invalid_argument (a Montgomery form that the hash, or the size of words, does not have)
HashMatrices rows_job(const RowForm& form, const MatrixInput& input, std::span<const std::size_t> which,
                      std::uint64_t n);

/// The options of a call on these matrices: with their device, or with what "auto" chooses for so many words of the
/// host.
RunOptions options_for(std::span<const Matrix> matrices, const MatrixInput& input, Hash hash,
                       const RunOptions& options);

/// Throws invalid_argument unless this hash takes rows of words of this size.
void require_row_form(const RowForm& form, unsigned word_bytes);

}  // namespace merklize::runtime
