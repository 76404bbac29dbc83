// The CPU's executor: a job is a loop over the lanes' kernels, cut into pieces that stay in a core's own cache.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "backends/cpu/lanes.hpp"
#include "host/threads.hpp"
#include "jobs/host_executor.hpp"
#include "jobs/progress.hpp"
#include "merklize/core/hashes/blake3.h"
#include "merklize/error.hpp"

static_assert(std::endian::native == std::endian::little, "the kernels read words as they lie in memory");

namespace merklize::cpu {
namespace {

using runtime::Expand;
using runtime::HashChunks;
using runtime::HashParents;
using runtime::HashRows;
using runtime::host_place;
using runtime::Lone;
using runtime::MergeAt;
using runtime::MergePairs;
using runtime::MergeSubtrees;
using runtime::Place;
using runtime::Tick;

// All places of the CPU are on the host.
std::uint8_t* at(const Place& place) { return static_cast<std::uint8_t*>(place.pointer) + place.offset; }

// The threads that run a job's loops, and the tick that says whether to go on.
struct Workers {
    unsigned threads;  // 0 = all that the process may use
    const Tick& tick;
};

// Items of one kernel in pieces of `per_piece`: body(first, count).
template <class Body>
bool in_pieces(const Workers& workers, std::uint64_t n, std::uint64_t per_piece, Body body) {
    const std::uint64_t pieces = (n + per_piece - 1) / per_piece;
    return runtime::parallel_for(
        pieces, workers.threads,
        [&](std::size_t piece) {
            const std::uint64_t first = piece * per_piece;
            body(first, std::min(per_piece, n - first));
        },
        workers.tick);
}

// Merges n chaining values in place to the ceil(n / 2) above them. In BLAKE3 an odd last value goes up as it is.
std::uint64_t one_level_up(std::uint8_t* values, std::uint64_t n, const Mode& mode) {
    lanes().compress_pairs(values, n / 2, mode.key_words(), mode.flags() | MKZ_BLAKE3_PARENT, values);
    if (n % 2 != 0) std::memmove(values + 32 * (n / 2), values + 32 * (n - 1), 32);
    return (n + 1) / 2;
}

void hash_last_chunk(const std::uint8_t* data, std::uint64_t bytes, std::uint64_t counter, const std::uint32_t key[8],
                     std::uint32_t flags, std::uint8_t* out) {
    std::uint32_t cv[8];
    std::copy_n(key, 8, cv);
    const std::uint32_t blocks = static_cast<std::uint32_t>((bytes + 63) / 64);
    for (std::uint32_t b = 0; b < blocks; b++) {
        std::uint8_t block[64] = {};
        const std::uint32_t length = static_cast<std::uint32_t>(std::min<std::uint64_t>(64, bytes - 64 * b));
        std::memcpy(block, data + 64 * b, length);
        lanes().compress(cv, block, length, counter, mkz_blake3_block_flags(b, blocks, flags));
    }
    std::memcpy(out, cv, 32);
}

constexpr std::uint64_t chunks_per_piece =
    128;  // 128 KiB: enough work for a thread, and the chaining values stay in the first-level cache

bool hash_chunks(const HashChunks& a, const Workers& workers) {
    const std::uint64_t chunks = (a.bytes + MKZ_BLAKE3_CHUNK_LEN - 1) / MKZ_BLAKE3_CHUNK_LEN;
    const std::uint64_t per_subtree = std::uint64_t{1} << a.levels;
    return in_pieces(
        workers, chunks, std::max(chunks_per_piece, per_subtree), [&](std::uint64_t first, std::uint64_t count) {
            const std::uint8_t* data = at(a.data) + first * MKZ_BLAKE3_CHUNK_LEN;
            const std::uint64_t bytes = std::min(count * MKZ_BLAKE3_CHUNK_LEN, a.bytes - first * MKZ_BLAKE3_CHUNK_LEN);
            const std::uint64_t full = bytes / MKZ_BLAKE3_CHUNK_LEN;
            std::uint8_t* out = at(a.out) + 32 * (first >> a.levels);
            std::uint8_t small[32 * chunks_per_piece];
            std::vector<std::uint8_t> large(count > chunks_per_piece ? 32 * count : 0);
            std::uint8_t* values = count > chunks_per_piece ? large.data() : small;
            lanes().hash_chunks(data, full, a.first_chunk + first, a.mode.key_words(), a.mode.flags(), values);
            if (full != count) {
                hash_last_chunk(data + full * MKZ_BLAKE3_CHUNK_LEN, bytes - full * MKZ_BLAKE3_CHUNK_LEN,
                                a.first_chunk + first + full, a.mode.key_words(), a.mode.flags(), values + 32 * full);
            }
            for (std::uint32_t level = 0; level < a.levels; level++) count = one_level_up(values, count, a.mode);
            std::memcpy(out, values, 32 * count);
        });
}

// The digest of one message by one thread, without the runtime. For rows that are too long for hash_short_rows.
void hash_long_row(const std::uint8_t* row, std::uint64_t bytes, const Mode& mode, std::vector<std::uint8_t>& values,
                   std::uint8_t* out) {
    const std::uint64_t chunks = (bytes + MKZ_BLAKE3_CHUNK_LEN - 1) / MKZ_BLAKE3_CHUNK_LEN;
    const std::uint32_t levels = std::min<std::uint32_t>(7, std::bit_width(chunks - 1) - 1);
    std::uint64_t n = (chunks + (std::uint64_t{1} << levels) - 1) >> levels;
    values.resize(32 * n);
    hash_chunks(
        {.data = host_place(row), .bytes = bytes, .levels = levels, .mode = mode, .out = host_place(values.data())},
        {1, {}});
    while (n > 2) n = one_level_up(values.data(), n, mode);
    lanes().compress_pairs(values.data(), 1, mode.key_words(), mode.flags() | MKZ_BLAKE3_PARENT | MKZ_BLAKE3_ROOT, out);
}

bool hash_parents(const HashParents& a, const Workers&) {
    one_level_up(at(a.values), a.n, a.mode);
    return true;
}

bool expand(const Expand& a, const Workers& workers) {
    return in_pieces(workers, a.n, 2048, [&](std::uint64_t first, std::uint64_t count) {
        lanes().expand(a.cv, a.block, a.block_len, a.flags, a.counter + first, count, at(a.out) + 64 * first);
    });
}

// Hashes rows with the lanes' hash_rows.
bool rows_by_lanes(const HashRows& a, const Workers& workers) {
    const std::uint64_t row_bytes = runtime::row_unit(a.hash) * a.length;
    const std::uint64_t per_piece = std::max<std::uint64_t>(64, 4096 / (row_bytes / 64 + 1));
    // A single row can take long, so the kernels also ask inside a row. Only the launching thread may tick.
    const auto launcher = std::this_thread::get_id();
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> rows_done{0};
    const auto go_on = [&] {
        if (workers.tick && std::this_thread::get_id() == launcher) {
            const double done = static_cast<double>(rows_done.load()) / static_cast<double>(a.n);
            if (!workers.tick(done)) stop = true;
        }
        return !stop;
    };
    const bool finished = in_pieces(workers, a.n, per_piece, [&](std::uint64_t first, std::uint64_t count) {
        lanes().hash_rows[static_cast<std::size_t>(a.hash)](at(a.rows) + first * row_bytes, count, a.length,
                                                            at(a.out) + 32 * first, go_on);
        rows_done += count;
    });
    return finished && !stop;
}

bool hash_rows(const HashRows& a, const Workers& workers) {
    if (!runtime::info(a.hash).has_chunk_tree) return rows_by_lanes(a, workers);
    const std::uint8_t* rows = at(a.rows);
    std::uint8_t* out = at(a.out);
    const std::uint64_t per_piece = std::max<std::uint64_t>(1, 131072 / std::max<std::uint64_t>(a.length, 64));
    return in_pieces(workers, a.n, per_piece, [&](std::uint64_t first, std::uint64_t count) {
        if (a.length <= MKZ_BLAKE3_CHUNK_LEN) {
            lanes().hash_short_rows(rows + first * a.length, count, a.length, a.mode.key_words(), a.mode.flags(),
                                    out + 32 * first);
        } else {
            std::vector<std::uint8_t> values;
            for (std::uint64_t i = first; i < first + count; i++)
                hash_long_row(rows + i * a.length, a.length, a.mode, values, out + 32 * i);
        }
    });
}

// Merges n adjacent pairs as the job says.
template <class Job>
void merge(const Job& a, const std::uint8_t* pairs, std::uint64_t n, std::uint8_t* out) {
    if (a.mode.flags() != 0) {
        lanes().compress_pairs(pairs, n, a.mode.key_words(), a.mode.flags() | MKZ_BLAKE3_MERGE, out);
    } else {
        lanes().merge[static_cast<std::size_t>(a.hash)](pairs, n, out);
    }
}

constexpr std::uint64_t pairs_per_piece = 256;

bool merge_pairs(const MergePairs& a, const Workers& workers) {
    return in_pieces(workers, a.n, pairs_per_piece, [&](std::uint64_t first, std::uint64_t count) {
        std::uint8_t pairs[64 * pairs_per_piece];
        for (std::uint64_t i = 0; i < count; i++) {
            std::memcpy(pairs + 64 * i, at(a.left) + 32 * (first + i), 32);
            std::memcpy(pairs + 64 * i + 32, at(a.right) + 32 * (first + i), 32);
        }
        merge(a, pairs, count, at(a.out) + 32 * first);
    });
}

// Builds the levels of a subtree one after another, while its nodes are in the core's cache.
bool merge_subtrees(const MergeSubtrees& a, const Workers& workers) {
    std::uint8_t* nodes = at(a.nodes);
    // Many small subtrees are built several at once. This fills the lanes and gives a thread enough work a piece.
    constexpr std::uint64_t nodes_per_piece = 1024, pieces_per_thread = 4;
    const std::uint64_t all = a.n >> a.levels;
    const unsigned threads = workers.threads == 0 ? runtime::default_threads() : workers.threads;
    const std::uint64_t per_piece =
        std::max<std::uint64_t>(1, std::min(nodes_per_piece >> a.levels, all / (pieces_per_thread * threads)));
    return in_pieces(workers, all, per_piece, [&](std::uint64_t first, std::uint64_t subtrees) {
        for (std::uint32_t level = 1; level <= a.levels; level++) {
            const unsigned above = a.levels - level;
            const std::uint8_t* below = level == 1 ? at(a.below) : nodes;
            merge(a, below + 32 * (a.offset[level - 1] + (first << (above + 1))), subtrees << above,
                  nodes + 32 * (a.offset[level] + (first << above)));
        }
    });
}

// One level of merge_at: makes the parents of `nodes`, then replaces the list by that of the parents.
bool merge_level_at(const MergeAt& a, std::uint32_t level, std::vector<std::uint64_t>& nodes, const Workers& workers) {
    for (std::uint64_t& node : nodes) node /= 2;
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    const std::uint64_t width = ((a.width - 1) >> level) + 1, first = a.first >> level;
    const std::uint8_t* below = at(a.nodes) + 32 * first;
    std::uint8_t* out = at(a.nodes) + 32 * (first / 2);
    const bool lone = 2 * nodes.back() + 1 == width;
    const std::uint8_t* last = below + 32 * (width - 1);
    const bool copied = lone && a.lone == Lone::promote;
    if (copied) std::memcpy(out + 32 * nodes.back(), last, 32);
    return in_pieces(workers, nodes.size() - copied, pairs_per_piece, [&](std::uint64_t begin, std::uint64_t count) {
        std::uint8_t pairs[64 * pairs_per_piece], merged[32 * pairs_per_piece];
        constexpr std::uint64_t ahead = 16;  // without a prefetch, each access to a distant node would wait for memory
        for (std::uint64_t i = 0; i < count; i++) {
            if (i + ahead < count) __builtin_prefetch(below + 64 * nodes[begin + i + ahead]);
            const std::uint64_t parent = nodes[begin + i];
            const bool alone = lone && begin + i + 1 == nodes.size();
            std::memcpy(pairs + 64 * i, below + 64 * parent, alone ? 32 : 64);
            if (alone) {
                const void* sibling = a.lone == Lone::pad ? static_cast<const void*>(a.fillers + level) : last;
                std::memcpy(pairs + 64 * i + 32, sibling, 32);
            }
        }
        merge(a, pairs, count, merged);
        for (std::uint64_t i = 0; i < count; i++) std::memcpy(out + 32 * nodes[begin + i], merged + 32 * i, 32);
    });
}

bool merge_at(const MergeAt& a, const Workers& workers) {
    std::vector<std::uint64_t> nodes(a.changed, a.changed + a.n);
    for (std::uint32_t level = 0; level < a.levels; level++) {
        const Tick tick = runtime::part_of(workers.tick, static_cast<double>(level) / a.levels, 1.0 / a.levels);
        if (!merge_level_at(a, level, nodes, {workers.threads, tick})) return false;
    }
    return true;
}

// A job needs little memory beside its places, but even that may fail.
template <class Job>
bool run(bool (*loop)(const Job& job, const Workers& workers), const Job& job, const Workers& workers) try {
    return loop(job, workers);
} catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, "cpu: out of memory");
}

}  // namespace
}  // namespace merklize::cpu

namespace merklize::runtime {

bool HostExecutor::launch(const HashChunks& job, const Tick& tick) {
    return cpu::run(cpu::hash_chunks, job, {threads_, tick});
}
bool HostExecutor::launch(const HashRows& job, const Tick& tick) {
    return cpu::run(cpu::hash_rows, job, {threads_, tick});
}
bool HostExecutor::launch(const MergePairs& job, const Tick& tick) {
    return cpu::run(cpu::merge_pairs, job, {threads_, tick});
}
bool HostExecutor::launch(const MergeSubtrees& job, const Tick& tick) {
    return cpu::run(cpu::merge_subtrees, job, {threads_, tick});
}
bool HostExecutor::launch(const MergeAt& job, const Tick& tick) {
    return cpu::run(cpu::merge_at, job, {threads_, tick});
}
bool HostExecutor::launch(const HashParents& job, const Tick& tick) {
    return cpu::run(cpu::hash_parents, job, {threads_, tick});
}
bool HostExecutor::launch(const Expand& job, const Tick& tick) { return cpu::run(cpu::expand, job, {threads_, tick}); }

}  // namespace merklize::runtime
