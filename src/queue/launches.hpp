#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "queue/kernels.hpp"
#include "queue/staging.hpp"
#include "queue/timeline.hpp"

namespace merklize::runtime {

/// Digests, rows and merges of pairs as kernels of core/entry.h: which entry point, which variant, how many groups. One call's; used
/// by one thread. Each returns false if tick cancelled.
class Launches {
public:
    Launches(Timeline& timeline, Kernels& kernels, Staging& staging)
        : timeline_(timeline), kernels_(kernels), staging_(staging) {}

    bool hash_chunks(const HashChunks& job, const Tick& tick);
    bool hash_each(const HashEach& job, const Tick& tick);
    bool hash_rows(const HashRows& job, const Tick& tick);
    bool digest_nodes(const DigestNodes& job, const Tick& tick);
    bool hash_matrices(const HashMatrices& job, const Tick& tick);
    bool merge_pairs(const MergePairs& job, const Tick& tick);

    /// The first n rows of a matrix on the device to `out`, row after row.
    void pack_rows(const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n, const Place& out);

private:
    Kernel parents_kernel(Hash hash) const;
    // `count` values to the ceil(count / 2^levels) above them.
    // root: the flag of the last of them, which is a digest, or 0
    void values_above(Hash hash, Range in, std::uint64_t count, std::uint32_t levels, const Mode& mode,
                      std::uint32_t root, const Range& out);
    void hash_message(const HashRows& job);
    // Rows of a hash with a tree of chunks: each row is a message.
    bool hash_messages(const HashRows& job, const Tick& tick);
    struct EachTable;
    // Working memory of hash_each, for one launch after another.
    struct EachValues {
        std::shared_ptr<Block> even{}, odd{};  // values of even and of odd levels
    };
    bool each_on_device(const HashEach& job, const Tick& tick);
    bool each_staged(const HashEach& job, const Tick& tick);
    // in     what the places of the table count from
    // words  the table
    void launch_each(const HashEach& job, const EachTable& table, mkz_memory* in, const Range& words,
                     std::uint32_t align, EachValues& values, const Range& out);
    // Rows of other hashes, an item each.
    bool rows_by_items(const HashRows& job, const Tick& tick);
    void require_row_length(Hash hash, std::uint64_t length) const;
    // The kernel of rows_by_items(): n rows of `length` units; strides and offset are in units.
    void launch_rows(Hash hash, const mkz_policy& wanted, std::uint64_t of, const Range& in, std::uint64_t row_stride,
                     std::uint64_t unit_stride, std::uint64_t length, std::uint64_t n, const Range& out);
    // Rows of matrices that are all on the device.
    // panel  room for them side by side, where that is needed
    std::optional<HashMatrices> sent(const HashMatrices& job, std::vector<std::shared_ptr<Block>>& blocks);
    void hash_matrices_here(const HashMatrices& job, const std::vector<MatrixAt>& matrices, std::uint64_t n,
                            const Range& panel, const Range& out);
    // Modulus of the form that words get or lose on the way (core/kernels/data.h); 0: none.
    struct NewForm {
        std::uint32_t to_montgomery = 0;
        std::uint32_t from_montgomery = 0;
    };
    static NewForm new_form(const HashMatrices& job);
    // `out` may be where the matrix is, with the same strides.
    void pack_matrix(const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n, const NewForm& form,
                     const Range& out, std::uint64_t out_row_stride, std::uint64_t out_column_stride);
    void check_matrix(const MatrixAt& matrix, const HashMatrices& job, std::uint64_t n, mkz_memory* flag);
    [[noreturn]] void refuse_words(const HashMatrices& job);

    Timeline& timeline_;
    Kernels& kernels_;
    Staging& staging_;
};

}  // namespace merklize::runtime
