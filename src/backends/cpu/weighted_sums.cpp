// Sums with weights: products of words are added up before they are reduced, over some columns of a row at a time.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <new>
#include <vector>

#include "host/threads.hpp"
#include "jobs/extension.hpp"
#include "jobs/host_executor.hpp"
#include "jobs/matrix_rows.hpp"
#include "merklize/core/kernels/weighted_sums.h"
#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

// Words of a row that are read at a time. Their totals, of up to 8 words each, stay in a core's first cache.
constexpr std::uint64_t sums_tile = 64;
// Rows whose words one task adds up.
constexpr std::uint64_t rows_a_task = 1024;

// The sum of products of words with factors.
struct Total64 {
    std::uint64_t low = 0, high = 0, carries = 0;
    void add(std::uint64_t word, std::uint64_t factor, std::uint64_t) noexcept {
        const mkz_wide product = mkz_mul_wide(word, factor);
        low += product.lo;
        const std::uint64_t carry = low < product.lo ? 1 : 0;  // product.hi is at most 2^64 - 2
        high += product.hi + carry;
        carries += high < product.hi + carry ? 1 : 0;
    }
    // 2^128 = -2^32 mod p
    std::uint64_t word(std::uint64_t p) const noexcept {
        const std::uint64_t above = mkz_gl_mul(carries, p - (std::uint64_t{1} << 32));
        return mkz_gl_canonical(mkz_gl_add(mkz_gl_reduce(low, high), mkz_gl_canonical(above)));
    }
};

// Below 2^32 p after each product, so the next one, also below 2^32 p, does not overflow.
struct Total32 {
    mkz_m31_products sum{};
    void add(std::uint32_t word, std::uint32_t factor, std::uint32_t p) noexcept {
        sum = mkz_m31_lower_products(mkz_m31_add_product(sum, word, factor), p);
    }
    std::uint32_t word(std::uint32_t p) const noexcept { return mkz_m31_reduce(sum, p); }
};

template <class Word, class Total>
class Sums {
public:
    Sums(const WeightedSums& job, unsigned threads, const Tick& tick)
        : job_(job),
          threads_(threads),
          tick_(tick),
          p_(static_cast<Word>(find_field(job.field)->modulus)),
          weights_(job.terms() * job.degree) {
        // For each word of a weight those of all terms follow one another.
        for (std::uint64_t term = 0; term < job.terms(); term++) {
            for (std::uint32_t d = 0; d < job.degree; d++)
                std::memcpy(&weights_[d * job.terms() + term], job.weights + sizeof(Word) * (term * job.degree + d),
                            sizeof(Word));
        }
    }

    bool run() { return job_.over_rows ? over_rows() : over_columns(); }
    bool all_below() const noexcept { return all_below_; }

private:
    using Tile = std::array<Word, sums_tile>;

    void load(Tile& tile, const std::byte* row, std::uint64_t first, std::uint64_t count) {
        const std::byte* from = row + static_cast<std::int64_t>(first) * job_.in.column_stride;
        for (std::uint64_t k = 0; k < count; k++)
            std::memcpy(&tile[k], from + static_cast<std::int64_t>(k) * job_.in.column_stride, sizeof(Word));
        if (!job_.is_checked) return;
        bool all = true;
        for (std::uint64_t k = 0; k < count; k++) all &= tile[k] < p_;
        if (!all) all_below_ = false;
    }
    const std::byte* row_at(std::uint64_t row) const {
        return host_bytes(job_.in.first) + static_cast<std::int64_t>(row) * job_.in.row_stride;
    }
    void put(std::uint64_t sum, std::uint32_t d, Word word) {
        std::memcpy(job_.out + sizeof(Word) * (sum * job_.degree + d), &word, sizeof word);
    }

    bool over_columns() {
        const std::uint64_t per_task = std::max<std::uint64_t>(1, rows_a_task * sums_tile / (1 + job_.in.columns));
        return parallel_for((job_.rows + per_task - 1) / per_task, threads_,
                            [&](std::size_t task) {
                                const std::uint64_t first = task * per_task;
                                for (std::uint64_t row = first; row < std::min(job_.rows, first + per_task); row++)
                                    add_row(row);
                            },
                            tick_);
    }
    void add_row(std::uint64_t row) {
        std::array<Total, MKZ_SUMS_DEGREE> totals{};
        Tile tile;
        for (std::uint64_t first = 0; first < job_.in.columns; first += sums_tile) {
            const std::uint64_t count = std::min(sums_tile, job_.in.columns - first);
            load(tile, row_at(row), first, count);
            for (std::uint32_t d = 0; d < job_.degree; d++) {
                const Word* weights = &weights_[d * job_.in.columns + first];
                Total total = totals[d];
                for (std::uint64_t k = 0; k < count; k++) total.add(tile[k], weights[k], p_);
                totals[d] = total;
            }
        }
        for (std::uint32_t d = 0; d < job_.degree; d++) put(row, d, totals[d].word(p_));
    }

    // Tasks are tiles of columns and ranges of rows.
    bool over_rows() {
        const std::uint64_t across = (job_.in.columns + sums_tile - 1) / sums_tile;
        const std::uint64_t most = (job_.rows + rows_a_task - 1) / rows_a_task;
        const std::uint64_t parts = std::clamp<std::uint64_t>(16 * std::uint64_t{threads_} / across, 1, most);
        const std::uint64_t words = job_.in.columns * job_.degree;
        std::vector<Word> found(parts * words);
        const bool finished = parallel_for(
            parts * across, threads_,
            [&](std::size_t task) {
                const std::uint64_t part = task / across;
                add_rows(task % across * sums_tile, job_.rows * part / parts, job_.rows * (part + 1) / parts,
                         &found[part * words]);
            },
            tick_);
        if (!finished) return false;
        for (std::uint64_t k = 0; k < words; k++) {
            Word all = 0;
            for (std::uint64_t part = 0; part < parts; part++) all = sum_below(all, found[part * words + k], p_);
            put(k / job_.degree, static_cast<std::uint32_t>(k % job_.degree), all);
        }
        return true;
    }
    void add_rows(std::uint64_t column, std::uint64_t begin, std::uint64_t end, Word* found) {
        std::array<std::array<Total, sums_tile>, MKZ_SUMS_DEGREE> totals{};
        Tile tile;
        const std::uint64_t count = std::min(sums_tile, job_.in.columns - column);
        for (std::uint64_t row = begin; row < end; row++) {
            load(tile, row_at(row), column, count);
            for (std::uint32_t d = 0; d < job_.degree; d++) {
                const Word weight = weights_[d * job_.rows + row];
                for (std::uint64_t k = 0; k < count; k++) totals[d][k].add(tile[k], weight, p_);
            }
        }
        for (std::uint64_t k = 0; k < count; k++) {
            for (std::uint32_t d = 0; d < job_.degree; d++)
                found[(column + k) * job_.degree + d] = totals[d][k].word(p_);
        }
    }

    const WeightedSums& job_;
    const unsigned threads_;
    const Tick& tick_;
    const Word p_;
    std::vector<Word> weights_;
    std::atomic<bool> all_below_{true};
};

template <class Word, class Total>
bool add_up(const WeightedSums& job, unsigned threads, const Tick& tick) {
    Sums<Word, Total> sums(job, threads, tick);
    if (!sums.run()) return false;
    if (!sums.all_below()) require_words_below(words_of(job), 0, job.in, 0, job.rows);
    return true;
}

}  // namespace

bool HostExecutor::launch(const WeightedSums& job, const Tick& tick) {
    const unsigned threads = threads_.count();
    try {
        return find_field(job.field)->word_bytes == 8 ? add_up<std::uint64_t, Total64>(job, threads, tick)
                                                      : add_up<std::uint32_t, Total32>(job, threads, tick);
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCode::out_of_memory, "cpu: out of memory");
    }
}

}  // namespace merklize::runtime
