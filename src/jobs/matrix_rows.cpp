#include "jobs/matrix_rows.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "hashes/field.hpp"
#include "host/invalid.hpp"

namespace merklize::runtime {
namespace {

template <std::size_t bytes>
void copy_words(const std::byte* from, std::int64_t from_stride, std::byte* to, std::uint64_t to_stride,
                std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; i++) {
        std::memcpy(to, from, bytes);
        from += from_stride;
        to += to_stride;
    }
}

// Copies n words; by one copy if they are contiguous in both places.
void copy_line(std::uint32_t word_bytes, const std::byte* from, std::int64_t from_stride, std::byte* to,
               std::uint64_t to_stride, std::uint64_t n) {
    if (from_stride == word_bytes && to_stride == word_bytes) {
        std::memcpy(to, from, word_bytes * n);
    } else if (word_bytes == 1) {
        copy_words<1>(from, from_stride, to, to_stride, n);
    } else if (word_bytes == 4) {
        copy_words<4>(from, from_stride, to, to_stride, n);
    } else if (word_bytes == 8) {
        copy_words<8>(from, from_stride, to, to_stride, n);
    } else {
        copy_words<16>(from, from_stride, to, to_stride, n);
    }
}

}  // namespace

void pack_rows(const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n, std::byte* out,
               std::uint64_t row_stride, std::uint64_t column_stride) {
    const std::byte* first = host_bytes(matrix.first);
    // The inner loop runs along the contiguous dimension of the source.
    if (matrix.row_stride == word_bytes && matrix.column_stride != word_bytes) {
        for (std::uint64_t k = 0; k < matrix.columns; k++) {
            copy_line(word_bytes, first + static_cast<std::int64_t>(k) * matrix.column_stride, matrix.row_stride,
                      out + k * column_stride, row_stride, n);
        }
        return;
    }
    for (std::uint64_t i = 0; i < n; i++) {
        copy_line(word_bytes, first + static_cast<std::int64_t>(i) * matrix.row_stride, matrix.column_stride,
                  out + i * row_stride, column_stride, matrix.columns);
    }
}

void to_montgomery(std::byte* words, std::uint64_t n, std::uint64_t modulus) noexcept {
    for (std::uint64_t i = 0; i < n; i++, words += 4) {
        std::uint32_t word;
        std::memcpy(&word, words, 4);
        word = static_cast<std::uint32_t>((std::uint64_t{word} << 32) % modulus);
        std::memcpy(words, &word, 4);
    }
}

void require_words_below(const HashMatrices& job, std::size_t index, const MatrixAt& matrix, std::uint64_t first,
                         std::uint64_t n) {
    if (job.modulus == 0 || matrix.columns == 0) return;
    std::vector<std::byte> row(job.word_bytes * matrix.columns);
    for (std::uint64_t i = 0; i < n; i++) {
        pack_rows(from_row(matrix, i), job.word_bytes, 1, row.data(), 0, job.word_bytes);
        const std::size_t k = first_not_below(job.modulus, job.word_bytes, row.data(), matrix.columns);
        if (k == matrix.columns) continue;
        std::uint64_t word = 0;
        std::memcpy(&word, row.data() + job.word_bytes * k, job.word_bytes);
        const std::string of = job.matrices.size() == 1 ? "" : " of matrix " + std::to_string(index);
        invalid_call("row " + std::to_string(job.first_row + first + i) + ", column " + std::to_string(k) + of +
                     " is " + std::to_string(word) +
                     ", not a field element: it must be below p = " + std::to_string(job.modulus));
    }
}

}  // namespace merklize::runtime
