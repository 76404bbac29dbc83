#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/host_block.hpp"
#include "queue/device_call.hpp"

namespace merklize::runtime {

/// The kernels' argument mkz_matrix (core/kernels/data.h): a matrix of n rows, with no second place and no new form of
/// its words.
struct MatrixShape {
    MatrixShape(const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n)
        : rows(n),
          columns(matrix.columns),
          row_stride(static_cast<std::uint64_t>(matrix.row_stride)),
          column_stride(static_cast<std::uint64_t>(matrix.column_stride)),
          word_bytes(word_bytes) {}

    std::uint64_t rows, columns;
    std::uint64_t row_stride, column_stride;
    std::uint64_t out_row_stride = 0, out_column_stride = 0;
    std::uint32_t word_bytes, down = 0, to_montgomery = 0, from_montgomery = 0;
};

inline bool has_whole_rows(const MatrixAt& matrix, std::uint32_t word_bytes) {
    return matrix.column_stride == word_bytes &&
           matrix.row_stride == static_cast<std::int64_t>(word_bytes * matrix.columns);
}

inline bool has_whole_columns(const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n) {
    return matrix.row_stride == word_bytes && matrix.column_stride == static_cast<std::int64_t>(word_bytes * n);
}

/// Modulus of the Montgomery form that words get or lose while they are packed (core/kernels/data.h); 0: they keep
/// their form.
struct NewForm {
    std::uint32_t to_montgomery = 0;
    std::uint32_t from_montgomery = 0;
};
NewForm new_form(const HashMatrices& job);

/// Packs n rows of a matrix on the device into `out`, which may be the matrix itself if the strides are the same.
void pack_matrix(DeviceCall& call, const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n,
                 const NewForm& form, const Range& out, std::uint64_t out_row_stride, std::uint64_t out_column_stride);

/// Words of some columns, row after row.
inline MatrixAt packed_at(const Place& first, std::uint64_t columns, std::uint64_t word) {
    return {first, columns, static_cast<std::int64_t>(columns * word), static_cast<std::int64_t>(word)};
}

/// Copies the first n rows of a matrix on the host to `to`, by so many threads.
void copy_columns(const MatrixAt& from, std::uint32_t word, std::uint64_t n, std::byte* to, std::uint64_t row_stride,
                  unsigned threads);

/// Uploads n rows of a matrix on the host to `to`, row after row.
/// packed   room for rows that are not whole, which later calls use again
/// returns  the rows there
MatrixAt upload_rows(DeviceCall& call, const MatrixAt& from, std::uint32_t word, std::uint64_t n, const Place& to,
                     std::vector<std::byte>& packed);

/// Copies n rows of a matrix on the host to `to`, row after row, on the stream for that: commands of the main stream
/// that are enqueued from now on wait for it. The matrix must stay until finish().
void send_columns(DeviceCall& call, Staging::Ring& ring, const MatrixAt& from, std::uint32_t word, std::uint64_t n,
                  const Place& to);
/// Copies n rows of a matrix on the device, row after row, to a matrix of the host, whose columns are neighbours:
/// complete when it returns.
void fetch_columns(DeviceCall& call, const Place& from, std::uint32_t word, std::uint64_t n, const MatrixAt& to);

/// A copy of n rows on the host, of a matrix on the device: for the processors, if a device has no room to work on it.
inline HostBlock on_host(DeviceCall& call, const MatrixAt& matrix, std::uint32_t word, std::uint64_t n) {
    HostBlock block(matrix.first.on_device ? n * word * matrix.columns : 0);
    if (matrix.first.on_device) call.fetch_rows(matrix, word, n, static_cast<std::byte*>(block.data()));
    return block;
}

/// Throws invalid_argument if the matrix is on the device and its words are not where kernels can read them.
void require_aligned_words(DeviceCall& call, const MatrixAt& matrix, std::uint64_t word);

}  // namespace merklize::runtime
