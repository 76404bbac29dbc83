#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "jobs/jobs.hpp"
#include "merklize/core/kernels/extend.h"

namespace merklize::runtime {

/// A field of extensions.
struct FieldFacts {
    const char* name;
    std::uint64_t modulus;
    std::uint64_t generator;
    std::uint64_t root;  ///< of order 2^two_adicity
    std::uint32_t two_adicity;
    std::uint32_t word_bytes;
};
/// The field of this number, or null.
const FieldFacts* find_field(std::uint32_t number) noexcept;

/// The matrix of a job as one whose words must be below the modulus, for those that look for a word that is not.
/// Job  Extend or WeightedSums
template <class Job>
HashMatrices words_of(const Job& job) {
    const FieldFacts& field = *find_field(job.field);
    HashMatrices words{};
    words.matrices = {job.in};
    words.n = job.rows;
    words.word_bytes = field.word_bytes;
    words.modulus = field.modulus;
    return words;
}

/// a + b mod p, of words below p.
template <class Word>
constexpr Word sum_below(Word a, Word b, Word p) noexcept {
    return static_cast<Word>(b >= p - a ? a - (p - b) : a + b);
}

/// Bytes of the coefficients and values of columns that a device extends at once. Columns of the host go up in batches
/// of as many columns, or of more where rows would be short for the link. Tests make it small.
inline constinit std::atomic<std::uint64_t> extension_batch_bytes{256 << 20};

/// The passes of an extension and their tables: pure data.
///
/// The levels are cut into parts of at most MKZ_EXTEND_LEVELS. The inverse transform takes them from the highest part
/// on; the lowest one is done together with the lowest levels of the forward transform, once for each coset of the
/// subgroup of n elements: zeros are never added. So each of ceil(log2 n / 8) - 1 passes moves the matrix, and each of
/// ceil(log2 n / 8) passes the extension, once each way.
class ExtensionPlan {
public:
    enum class At : std::uint8_t { in, coefficients, values, out };
    struct Pass {
        mkz_extend_pass pass{};  ///< columns, strides and offsets are those of `columns` columns
        At from{}, to{};
    };

    explicit ExtensionPlan(const Extend& job);

    /// The passes over some columns. Rows of coefficients and of values follow one another.
    /// strides  the matrix and the extension as they lie
    struct Strides {
        const MatrixAt& in;
        const MatrixAt& out;
    };
    std::vector<Pass> passes(std::uint64_t columns, std::uint32_t log_tile_columns, const Strides& strides) const;
    /// Whether there are passes to and from coefficients and values.
    bool needs_scratch() const noexcept { return parts_.size() > 1; }

    const FieldFacts& field() const noexcept { return field_; }
    /// Words of the field, in the form of factors (core/kernels/extend.h).
    struct Tables {
        std::vector<std::byte> roots{}, scales{};
    };
    /// Makes them: some nanoseconds a row.
    Tables tables() const;
    /// The bytes of either table.
    std::uint64_t roots_bytes() const noexcept { return field_.word_bytes * job_.rows; }
    std::uint64_t scales_bytes() const noexcept { return field_.word_bytes * (scales_of_coset() << job_.added_bits); }
    /// Plans of equal keys have the same tables.
    struct Key {
        std::uint32_t field = 0, added_bits = 0;
        std::uint64_t rows = 0, shift = 0;
        bool operator==(const Key&) const = default;
    };
    Key key() const noexcept { return {job_.field, job_.added_bits, job_.rows, job_.shift}; }

private:
    template <class Word>
    Tables make_tables() const;
    std::uint64_t scales_of_coset() const noexcept {
        return (std::uint64_t{1} << parts_[0]) + (job_.rows >> parts_[0]);
    }

    const Extend& job_;
    const FieldFacts& field_;
    std::uint32_t log_rows_;
    std::vector<std::uint32_t> parts_;  // levels of each part, the lowest first
};

}  // namespace merklize::runtime
