// Rows of several matrices: a few rows at a time are packed side by side into a core's cache, and checked and hashed
// there.
#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <vector>

#include "backends/cpu/lanes.hpp"
#include "hashes/field.hpp"
#include "host/threads.hpp"
#include "jobs/host_executor.hpp"
#include "jobs/matrix_rows.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

// Of 64 bytes of a row, by the hash's unit.
std::array<Pace, cpu::n_ids> paces;

// Half of a second-level cache. Whole batches of lanes: 16 rows.
constexpr std::uint64_t cached_bytes = 256 << 10, batch = 16;

std::uint64_t rows_per_piece(const HashMatrices& job, const ThreadCount& threads) {
    const std::uint64_t all = (job.n + batch - 1) / batch;
    if (all <= 1) return batch;
    const std::uint64_t cached = cached_bytes / batch / std::max<std::uint64_t>(job.row_bytes(), 1);
    const std::uint64_t shared = all / (4 * std::uint64_t{threads.count()});  // several pieces a thread
    return batch * std::max<std::uint64_t>(1, std::min({all, cached, shared}));
}

// Whether the rows can be hashed in place.
bool lies_together(const HashMatrices& job) {
    return job.matrices.size() == 1 && !job.montgomery && !job.from_montgomery &&
           job.matrices[0].row_stride == static_cast<std::int64_t>(job.row_bytes()) &&
           job.matrices[0].column_stride == job.word_bytes;
}

// Hashes rows [first, first + count).  returns  false if a word is not below the modulus
bool hash_piece(const HashMatrices& job, std::uint64_t first, std::uint64_t count, const Tick& tick) {
    const std::uint64_t row_bytes = job.row_bytes(), words = count * (row_bytes / job.word_bytes);
    std::vector<std::byte> packed(lies_together(job) ? 0 : count * row_bytes);
    HashRows rows{.hash = job.hash,
                  .rows = host_place(packed.data()),
                  .n = count,
                  .length = row_bytes / row_unit(job.hash),
                  .mode = job.mode,
                  .out = at_node(job.out, first)};
    if (lies_together(job)) {
        rows.rows = from_row(job.matrices[0], first).first;
    } else {
        std::byte* to = packed.data();
        for (const MatrixAt& matrix : job.matrices) {
            pack_rows(from_row(matrix, first), job.word_bytes, count, to, row_bytes, job.word_bytes);
            to += job.word_bytes * matrix.columns;
        }
    }
    if (job.modulus != 0 && first_not_below(job.modulus, job.word_bytes, host_bytes(rows.rows), words) != words)
        return false;
    if (job.montgomery) to_montgomery(packed.data(), words, job.modulus);
    if (job.from_montgomery) {
        const cpu::Lanes& lanes = cpu::lanes();
        (job.word_bytes == 8 ? lanes.from_montgomery_64 : lanes.from_montgomery_32)(packed.data(), words,
                                                                                    info(job.hash).modulus);
    }
    return HostExecutor(1).launch(rows, tick);
}

}  // namespace

bool HostExecutor::launch(const HashMatrices& job, const Tick& tick) {
    try {
        const std::uint64_t per_piece = rows_per_piece(job, threads_);
        const std::uint64_t pieces = (job.n + per_piece - 1) / per_piece;
        std::atomic<bool> all_below{true};
        const bool finished =
            parallel_for(pieces, threads_,
                         [&](std::size_t piece) {
                             const std::uint64_t first = piece * per_piece;
                             if (all_below && !hash_piece(job, first, std::min(per_piece, job.n - first), {}))
                                 all_below = false;
                         },
                         tick, {&paces[UnitOf(job.hash).unit], per_piece * (job.row_bytes() / 64 + 1)});
        for (std::size_t m = 0; !all_below && m < job.matrices.size(); m++)
            require_words_below(job, m, job.matrices[m], 0, job.n);
        return finished;
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCode::out_of_memory, "cpu: out of memory");
    }
}

}  // namespace merklize::runtime
