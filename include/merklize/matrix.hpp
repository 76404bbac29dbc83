#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/buffer.hpp>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>
#include <merklize/hash.hpp>

namespace merklize::inline v0 {

/// What the words of a matrix are, for hashes of field elements.
enum class Elements : std::uint32_t {
    canonical = 0,  ///< words below the modulus p, which is checked
    any = 1,        ///< any word, for its value mod p, as Plonky3 holds Goldilocks elements
    montgomery =
        2,  ///< a word of b bits is 2^b x mod p and stands for x, as Plonky3 (31-bit fields) and Winterfell hold elements
};

/// A matrix of words of 1, 4, 8 or 16 bytes, little endian, that is only read: a view. Its memory must stay as long as
/// the calls that use it. Words of 16 bytes, such as elements of GF(2^128), are for hashes of bytes. The word of row i
/// and column k is `i row_stride + k column_stride` words behind the first. Strides may have any sign.
struct Matrix {
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    unsigned word_bytes = 8;
    std::int64_t row_stride = 0;
    std::int64_t column_stride = 1;
    /// In memory of the host: the word of row 0 and column 0.
    const void* words = nullptr;
    /// Or in memory of a device: bytes that hold all words, and where in them that word begins.
    std::optional<ConstBuffer> buffer{};
    std::uint64_t first = 0;
    /// The same for all matrices of a call. Openings of rows take canonical words alone.
    Elements elements = Elements::canonical;

    /// Row after row.
    /// words  rows times columns of them; a rest that fills no row, or no column, is left out
    template <class Word>
    static Matrix of_rows(std::span<const Word> words, std::uint64_t rows) {
        Matrix matrix = dense(rows, rows == 0 ? 0 : words.size() / rows, sizeof(Word), true);
        matrix.words = words.data();
        return matrix;
    }
    /// Column after column, else as of_rows().
    template <class Word>
    static Matrix of_columns(std::span<const Word> words, std::uint64_t rows) {
        Matrix matrix = dense(rows, rows == 0 ? 0 : words.size() / rows, sizeof(Word), false);
        matrix.words = words.data();
        return matrix;
    }
    /// The same of words in the memory of a device.
    static Matrix of_rows(const ConstBuffer& words, std::uint64_t rows, unsigned word_bytes) {
        return of_buffer(words, rows, word_bytes, true);
    }
    /// The same of words in the memory of a device.
    static Matrix of_columns(const ConstBuffer& words, std::uint64_t rows, unsigned word_bytes) {
        return of_buffer(words, rows, word_bytes, false);
    }

private:
    static Matrix dense(std::uint64_t rows, std::uint64_t columns, unsigned word_bytes, bool by_rows) {
        Matrix matrix;
        matrix.rows = rows;
        matrix.columns = columns;
        matrix.word_bytes = word_bytes;
        matrix.row_stride = by_rows ? static_cast<std::int64_t>(columns) : 1;
        matrix.column_stride = by_rows ? 1 : static_cast<std::int64_t>(rows);
        return matrix;
    }
    static Matrix of_buffer(const ConstBuffer& words, std::uint64_t rows, unsigned word_bytes, bool by_rows) {
        const std::uint64_t row_words = rows == 0 || word_bytes == 0 ? 0 : words.size() / word_bytes / rows;
        Matrix matrix = dense(rows, row_words, word_bytes, by_rows);
        matrix.buffer = words;
        return matrix;
    }
};

/// How rows of words are hashed.
struct RowForm {
    Hash hash = Hash::blake3;
    /// Of `blake3` and `blake2s`.
    Mode mode{};
    /// Only for hashes of bytes, with words of 4 bytes: the modulus p of a field of at most 31 bits. Words are
    /// elements, below p, and are hashed in Montgomery form, 2^32 x mod p, as Plonky3's byte hashes over such fields
    /// do. 0: words are hashed as they are.
    std::uint32_t montgomery = 0;

    RowForm(Hash of = Hash::blake3, const Mode& by = {}, std::uint32_t p = 0)  // NOLINT: a hash is a form
        : hash(of), mode(by), montgomery(p) {}
};

/// Digests of the rows of several matrices side by side: row i of the first matrix, of the second and so on count as
/// one row, and out[i] is its digest by hash_leaves().
/// matrices  at least one, all with out.size() rows and words of one size: that of the field hash's words. All in
///           memory of the host (any layout; a device gets them in pieces, while it hashes), or all on one device
/// order     complete when it returns
/// errors    invalid_argument (sizes that do not fit; a word that is not below the modulus, with its place: `out` is
///           then undefined)
/// cost      ceil(words of a row / rate) permutations a row; columns on a device are read faster than rows
MERKLIZE_API void hash_rows(std::span<const Matrix> matrices, std::span<Digest> out, const RowForm& form = {},
                            const RunOptions& options = {});
/// The same with digests on the device of the matrices; or on out's device, if the matrices are on the host.
MERKLIZE_API void hash_rows(std::span<const Matrix> matrices, Buffer out, const RowForm& form = {},
                            const RunOptions& options = {});

}  // namespace merklize::inline v0
