#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/buffer.hpp>
#include <merklize/device.hpp>
#include <merklize/matrix.hpp>
#include <merklize/matrix_commitment.hpp>

namespace merklize::inline v0 {

/// A prime field with roots of unity of order 2^k. The roots and generators are Plonky3's.
enum class Field : std::uint32_t {
    goldilocks = 0,  ///< p = 2^64 - 2^32 + 1, words of 8 bytes, k = 32, generator 7
    babybear = 1,    ///< p = 2^31 - 2^27 + 1, words of 4 bytes, k = 27, generator 31
    koalabear = 2,   ///< p = 2^31 - 2^24 + 1, words of 4 bytes, k = 24, generator 3
};

/// The order of the rows of an extension of N rows.
enum class RowOrder : std::uint32_t {
    natural = 0,       ///< row i has the values at shift g^i, where g has order N
    bit_reversed = 1,  ///< row i has those of the row whose number is i with its log2 N bits in reverse
};

/// What an extension is.
struct ExtendForm {
    Field field = Field::goldilocks;
    unsigned added_bits = 1;  ///< the extension has 2^added_bits times the rows
    std::uint64_t shift = 0;  ///< of the coset, below p; 0: the field's generator
    RowOrder order = RowOrder::natural;
};

/// The low-degree extension of each column: the values of its polynomial on a coset. A matrix of n rows has the values
/// at the powers of the root of unity of order n.
/// matrix  2^k rows, of any layout, in memory of the host or of a device, which then computes. Canonical words are
///         checked; words in Montgomery form give words in Montgomery form
/// out     rows 2^added_bits times columns words, row after row; must not overlap the matrix
/// order   complete when it returns
/// errors  invalid_argument (a number of rows that is no power of two, or that the field has no root for; sizes; an
///         overlap; words of a device that do not begin on a multiple of their size; a word that is not below p, with
///         its row and column: `out` is then undefined), out_of_memory, cancelled
/// cost    log2(rows) products for each word of the matrix, and as many for each word of `out`. Working memory: the
///         tables, of one word a row, and 32 MiB, or what 256 bytes of each row take twice if that is more; on a device
///         256 MiB, tables that it keeps for the next call of the same form (128 MiB of them at most), and room for
///         what is on the host, or for as many of its columns as fit; if there is none for one column of the host, the
///         processors extend
MERKLIZE_API void extend(const Matrix& matrix, std::span<std::byte> out, const ExtendForm& form = {},
                         const RunOptions& options = {});
/// The same to the memory of the matrix's device; or of out's device, if the matrix is on the host.
MERKLIZE_API void extend(const Matrix& matrix, Buffer out, const ExtendForm& form = {}, const RunOptions& options = {});

/// A matrix of which a commitment takes the extension.
struct ExtendedMatrix {
    Matrix matrix;  ///< as extend() takes it
    ExtendForm form{.order = RowOrder::bit_reversed};
    /// Memory of the host that gets the extension, too, as extend() writes it; empty: not copied. A device copies it
    /// while it hashes, fastest to pinned memory.
    std::span<std::byte> out{};
    /// Memory of the call's device that gets the extension, as extend() writes it, and keeps it for others, such as
    /// weighted_sums(): all matrices of a call have some, or none. Without it, the extension lies in memory of the
    /// call.
    std::optional<Buffer> buffer{};
};

/// extend() of matrices and a MatrixCommitment to their extensions in one call; extensions stay on the device in
/// between.
/// matrices  at least one, all in memory of the host or all on one device
/// keep, drop_levels  as for MatrixCommitment. Kept extensions stay where they were made
/// errors    those of extend() and of MatrixCommitment; an `out` or a `buffer` that overlaps anything else that the
///           call uses. `out` is undefined after an error
/// cost      memory of the device for the extensions; if it has too little, and the caller gave no buffers, they are
///           made in memory of the host: in `out`, or in memory of the call. If it has none for the nodes, the
///           processors hash, and the commitment is on the host. Timings leave out the copies to `out`
MERKLIZE_API MatrixCommitment commit_extended(std::span<const ExtendedMatrix> matrices, const CommitmentForm& form = {},
                                              const RunOptions& options = {}, bool keep = false,
                                              unsigned drop_levels = 0);

/// What weighted_sums() adds up.
enum class SumOver : std::uint32_t {
    rows = 0,     ///< a sum for each column: of all rows, each times its weight
    columns = 1,  ///< a sum for each row: of all columns, each times its weight
};

/// Which sums weighted_sums() computes.
struct SumForm {
    Field field = Field::goldilocks;
    SumOver over = SumOver::rows;
    unsigned degree = 1;  ///< words of a weight, 1 to 8: an element of an extension of this degree, say
};

/// Sums of the words of a matrix along its rows or its columns, each word times the words of a weight: the product of
/// the matrix with `degree` vectors. With weights of an extension field, a prover evaluates all columns at a point so,
/// or folds them to one.
/// matrix   of any layout, in memory of the host or of a device, which then computes. Its words are taken as extend()
///          takes them
/// weights  `degree` words of the field's size for each row (SumOver::rows) or each column, one weight after another,
///          in the form of the matrix's words, which must be below p unless they are Elements::any
/// out      `degree` words, below p, for each column (SumOver::rows) or each row, in the form of the matrix's words.
///          Must not overlap the matrix or the weights
/// order    complete when it returns
/// errors   invalid_argument (sizes; words of a device that do not begin on a multiple of their size; a word that is
///          not below p, with its row and column, or its weight: `out` is then undefined), out_of_memory, cancelled
/// cost     `degree` products for each word of the matrix, which is read once. Working memory: the weights, and some
///          sums; on a device 64 MiB of a matrix of the host, or as much as fits; if nothing does, the processors add
///          up
MERKLIZE_API void weighted_sums(const Matrix& matrix, std::span<const std::byte> weights, std::span<std::byte> out,
                                const SumForm& form, const RunOptions& options = {});

}  // namespace merklize::inline v0
