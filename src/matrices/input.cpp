#include "matrices/input.hpp"

#include <algorithm>
#include <string>

#include "calls/calibration.hpp"
#include "calls/run.hpp"
#include "hashes/merge_one.hpp"
#include "host/invalid.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

std::string matrix_name(std::size_t m) { return "matrix " + std::to_string(m); }

__extension__ using Wide = __int128;  // places of words: a caller may claim any

constexpr std::uint64_t most_lines = std::uint64_t{1} << 40;   // rows, and columns
constexpr std::uint64_t most_memory = std::uint64_t{1} << 56;  // addresses that a processor gives a process

// Counts and strides first, so that no product of them overflows.
void require_counts(const Matrix& matrix, std::size_t m) {
    if (!matrix.buffer && matrix.first != 0) {
        invalid_call(matrix_name(m) + ": first must be 0 without a buffer, got " + std::to_string(matrix.first) +
                     "; words is the word of row 0 and column 0");
    }
    if (matrix.rows == 0) invalid_call(matrix_name(m) + ": there must be at least 1 row, got 0");
    if (matrix.rows > most_lines)
        invalid_call(matrix_name(m) + ": at most 2^40 rows, got " + std::to_string(matrix.rows));
    if (matrix.columns > most_lines)
        invalid_call(matrix_name(m) + ": at most 2^40 columns, got " + std::to_string(matrix.columns));
    if (Wide{matrix.rows} * matrix.columns * matrix.word_bytes > INT64_MAX) {
        invalid_call(matrix_name(m) + ": at most 2^63 - 1 bytes, got " + std::to_string(matrix.rows) + " rows of " +
                     std::to_string(matrix.columns) + " words");
    }
    const std::int64_t most = INT64_MAX / matrix.word_bytes;
    for (const std::int64_t stride : {matrix.row_stride, matrix.column_stride}) {
        if (stride >= -most && stride <= most) continue;
        invalid_call(matrix_name(m) + ": strides must be below 2^63 bytes, got " + std::to_string(stride) +
                     " words of " + std::to_string(matrix.word_bytes) + " bytes");
    }
}

void require_inside(const Matrix& matrix, std::size_t m) {
    if (matrix.columns == 0) return;
    const Wide across = Wide{matrix.column_stride} * (Wide{matrix.columns} - 1),
               down = Wide{matrix.row_stride} * (Wide{matrix.rows} - 1);
    const Wide lowest = std::min<Wide>(across, 0) + std::min<Wide>(down, 0),
               highest = std::max<Wide>(across, 0) + std::max<Wide>(down, 0) + 1;
    const Wide size = matrix.buffer ? Wide{matrix.buffer->size()} : Wide{most_memory};
    const Wide first = matrix.buffer ? Wide{matrix.first} : Wide{reinterpret_cast<std::uintptr_t>(matrix.words)};
    if (first + lowest * matrix.word_bytes < 0 || first + highest * matrix.word_bytes > size) {
        invalid_call(matrix_name(m) + ": words reach outside the " + std::to_string(static_cast<std::uint64_t>(size)) +
                     " bytes of its " + (matrix.buffer ? "buffer" : "memory"));
    }
}

}  // namespace

MatrixInput read_matrices(std::span<const Matrix> matrices, Hash hash) {
    const mkz_hash_info& facts = info(hash);
    if (matrices.empty()) invalid_call("there must be at least 1 matrix, got 0");
    MatrixInput input{.at = {}, .word_bytes = matrices[0].word_bytes, .elements = matrices[0].elements, .on = nullptr};
    if (input.elements > Elements::montgomery) {
        invalid_call("elements", "must be canonical (0), any (1) or montgomery (2), got " +
                                     std::to_string(static_cast<std::uint32_t>(input.elements)));
    }
    if (input.elements != Elements::canonical && !is_field(facts)) {
        invalid_call("elements", std::string("must be canonical for hashes of bytes, which take words as they are; '") +
                                     facts.name + "' is one");
    }
    if (const auto& buffer = matrices[0].buffer) input.on = &*buffer;
    for (std::size_t m = 0; m < matrices.size(); m++) {
        const Matrix& matrix = matrices[m];
        const unsigned size = matrix.word_bytes;
        if (!is_word_size(size))
            invalid_call(matrix_name(m) + ": words must have 1, 4, 8 or 16 bytes, got " + std::to_string(size));
        if (is_field(facts) && size != facts.element_bytes) {
            invalid_call(matrix_name(m) + ": words of '" + facts.name + "' have " +
                         std::to_string(facts.element_bytes) + " bytes, got " + std::to_string(size));
        }
        if (size != input.word_bytes) {
            invalid_call(matrix_name(m) + ": words must have the same size in all matrices, got " +
                         std::to_string(size) + " bytes after " + std::to_string(input.word_bytes));
        }
        if (matrix.elements != input.elements)
            invalid_call(matrix_name(m) + ": elements must have the same form in all matrices");
        require_counts(matrix, m);
        if (matrix.buffer.has_value() != (input.on != nullptr))
            invalid_call("matrices", "must be all on the host or all on one device, got both");
        if (!matrix.buffer && matrix.words == nullptr && matrix.columns != 0)
            invalid_call(matrix_name(m) + ": its words are null");
        if (matrix.buffer) require_same_device(*input.on, *matrix.buffer);
        require_inside(matrix, m);
        Place first = matrix.buffer && matrix.columns != 0 ? place_of(*matrix.buffer) : host_place(matrix.words);
        if (matrix.buffer) first.offset += matrix.first;
        input.at.push_back({.first = first,
                            .columns = matrix.columns,
                            .row_stride = matrix.row_stride * static_cast<std::int64_t>(size),
                            .column_stride = matrix.column_stride * static_cast<std::int64_t>(size)});
    }
    return input;
}

RunOptions options_for(std::span<const Matrix> matrices, const MatrixInput& input, Hash hash,
                       const RunOptions& options) {
    if (input.on != nullptr) return on_device_of(*input.on, options);
    std::uint64_t words = 0;
    const void* first = nullptr;  // the first matrix with words stands for all
    for (const Matrix& matrix : matrices) {
        if (words == 0) first = matrix.words;
        words += std::min(matrix.rows * matrix.columns, UINT64_MAX / input.word_bytes - words);
    }
    return chosen(options, Job::rows, hash, words * input.word_bytes, first);
}

void add_reads(std::vector<Operand>& operands, std::span<const Matrix> matrices, const MatrixInput& input) {
    for (std::size_t m = 0; m < matrices.size(); m++) {
        const auto& buffer = matrices[m].buffer;
        const ConstBuffer* on = buffer ? &*buffer : nullptr;
        operands.push_back({Operand::Use::reads, "matrix", {input.at[m], matrices[m].rows, input.word_bytes, on}, m});
    }
}

void require_row_form(const RowForm& form, unsigned word_bytes) {
    const mkz_hash_info& facts = info(form.hash);
    require_merges(form.hash, form.mode);
    if (form.montgomery == 0) return;
    if (is_field(facts)) {
        invalid_call(std::string("Montgomery form is for hashes of bytes; '") + facts.name + "' hashes elements");
    }
    if (word_bytes != 4) {
        invalid_call("words in Montgomery form must have 4 bytes, got " + std::to_string(word_bytes));
    }
    if (form.montgomery % 2 == 0 || form.montgomery >> 31 != 0) {
        invalid_call("the modulus of words in Montgomery form must be odd and below 2^31, got " +
                     std::to_string(form.montgomery));
    }
}

HashMatrices rows_job(const RowForm& form, const MatrixInput& input, std::span<const std::size_t> which,
                      std::uint64_t n) {
    const mkz_hash_info& facts = info(form.hash);
    HashMatrices job{.hash = form.hash,
                     .n = n,
                     .word_bytes = input.word_bytes,
                     .modulus = !is_field(facts)                        ? form.montgomery
                                : input.elements == Elements::canonical ? facts.modulus
                                                                        : 0,
                     .montgomery = form.montgomery != 0,
                     .from_montgomery = input.elements == Elements::montgomery,
                     .mode = form.mode};
    for (const std::size_t m : which) {
        if (input.at[m].columns != 0) job.matrices.push_back(input.at[m]);
    }
    return job;
}

}  // namespace merklize::runtime
