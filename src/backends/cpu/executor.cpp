// The CPU's executor: a job is a loop over the lanes' kernels, cut into pieces that stay in a core's own cache.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <new>
#include <thread>
#include <vector>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "backends/cpu/hash_chunks.hpp"
#include "backends/cpu/hash_each.hpp"
#include "backends/cpu/lanes.hpp"
#include "backends/cpu/loops.hpp"
#include "hashes/blake2s.hpp"
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
using runtime::HashEach;
using runtime::HashParents;
using runtime::HashRows;
using runtime::MergeAt;
using runtime::MergePairs;
using runtime::MergeRows;
using runtime::MergeSubtrees;
using runtime::OddNode;
using runtime::Tick;

// By the hash's unit: the paces of a merge, and of 64 bytes of a row.
std::array<runtime::Pace, n_ids> merge_paces, row_paces;

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
    // A single row can take long, so the kernels also tick inside a row. Only the launching thread may tick.
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
    const runtime::UnitOf hash(a.hash);
    const runtime::RowKey key(a.mode, a.length);
    const auto* table = a.mode.flags() != 0 ? reinterpret_cast<const std::uint64_t*>(key.words()) : hash.table;
    const auto body = [&](std::uint64_t first, std::uint64_t count) {
        lanes().hash_rows[hash.unit](at(a.rows) + first * row_bytes, count, a.length, at(a.out) + 32 * first,
                                     asking(go_on), table);
        rows_done += count;
    };
    const bool finished = in_pieces(workers, a.n, per_piece, body, {&row_paces[hash.unit], row_bytes / 64 + 1});
    return finished && !stop;
}

// Rows of a few chunks fill the lanes together; a row of many chunks fills them alone.
constexpr std::uint64_t longest_together = 64 << 10, together_bytes = 512 << 10;

// n rows of a power of two of chunks, together_bytes at most. All chunks of the rows are hashed in one run, and so is
// each level.
void hash_whole_rows(const HashRows& a, const std::uint8_t* rows, std::uint64_t n, std::uint8_t* out) {
    const std::uint64_t chunks = a.length / MKZ_BLAKE3_CHUNK_LEN;
    std::uint8_t values[32 * together_bytes / MKZ_BLAKE3_CHUNK_LEN];
    lanes().hash_chunks(rows, n * chunks, {0, chunks - 1}, a.mode.key_words(), a.mode.flags(), values);
    const std::uint32_t parent = a.mode.flags() | MKZ_BLAKE3_PARENT;
    for (std::uint64_t each = chunks / 2; each > 1; each /= 2)
        lanes().compress_pairs(values, n * each, a.mode.key_words(), parent, values);
    lanes().compress_pairs(values, n, a.mode.key_words(), parent | MKZ_BLAKE3_ROOT, out);
}

bool hash_rows(const HashRows& a, const Workers& workers) {
    if (!runtime::info(a.hash).has_chunk_tree) return rows_by_lanes(a, workers);
    const std::uint8_t* rows = at(a.rows);
    std::uint8_t* out = at(a.out);
    const bool together = a.length > MKZ_BLAKE3_CHUNK_LEN && a.length <= longest_together;
    const bool whole = std::has_single_bit(a.length) && together;
    const std::uint64_t piece = together ? together_bytes : 128 << 10;
    const std::uint64_t per_piece = std::max<std::uint64_t>(1, piece / std::max<std::uint64_t>(a.length, 64));
    return in_pieces(workers, a.n, per_piece, [&](std::uint64_t first, std::uint64_t count) {
        const std::uint8_t* in = rows + first * a.length;
        std::uint8_t* digests = out + 32 * first;
        if (a.length <= MKZ_BLAKE3_CHUNK_LEN) {
            lanes().hash_short_rows(in, count, a.length, a.mode.key_words(), a.mode.flags(), digests);
        } else if (whole) {
            hash_whole_rows(a, in, count, digests);
        } else if (together) {
            std::vector<runtime::Extent> messages(count);
            for (std::uint64_t i = 0; i < count; i++) messages[i] = {runtime::host_place(in + i * a.length), a.length};
            hash_together(messages, a.mode, false, digests);
        } else {
            std::vector<std::uint8_t> values;
            for (std::uint64_t i = 0; i < count; i++) {
                below_root(in + i * a.length, a.length, a.mode, {1, {}}, values);
                hash_root(values.data(), a.mode, digests + 32 * i);
            }
        }
    });
}

// Merges n adjacent pairs as the job says.
template <class Job>
[[gnu::always_inline]] inline void merge(const Job& a, const std::uint8_t* pairs, std::uint64_t n, std::uint8_t* out) {
    const std::uint32_t* key = a.mode.flags() != 0 ? a.mode.key_words() : nullptr;
    if (key != nullptr && !a.mode.is_blake2s())
        return lanes().compress_pairs(pairs, n, key, a.mode.flags() | MKZ_BLAKE3_MERGE, out);
    const runtime::UnitOf hash(a.hash);
    lanes().merge[hash.unit](pairs, n, out, key != nullptr ? reinterpret_cast<const std::uint64_t*>(key) : hash.table);
}

constexpr std::uint64_t least_pairs_per_piece = 32, pairs_per_piece = 256;

bool merge_pairs(const MergePairs& a, const Workers& workers) {
    const std::uint64_t per_piece = piece_of(workers, a.n, least_pairs_per_piece, pairs_per_piece);
    const auto body = [&](std::uint64_t first, std::uint64_t count) {
        std::uint8_t pairs[64 * pairs_per_piece];
        for (std::uint64_t i = 0; i < count; i++) {
            std::memcpy(pairs + 64 * i, at(a.left) + 32 * (first + i), 32);
            std::memcpy(pairs + 64 * i + 32, at(a.right) + 32 * (first + i), 32);
        }
        merge(a, pairs, count, at(a.out) + 32 * first);
    };
    return in_pieces(workers, a.n, per_piece, body, {&merge_paces[runtime::UnitOf(a.hash).unit]});
}

// Pairs of all rows fill the lanes together.
bool merge_rows(const MergeRows& a, const Workers& workers) {
    const std::uint64_t each = a.out_nodes(), n = a.rows * each;
    const auto body = [&](std::uint64_t first, std::uint64_t count) {
        std::uint8_t pairs[64 * pairs_per_piece], merged[32 * pairs_per_piece];
        std::uint8_t* to[pairs_per_piece];
        std::uint64_t found = 0;
        for (std::uint64_t k = first; k < first + count; k++) {
            const std::uint64_t row = k / each, i = k % each;
            const std::uint8_t* from = at(a.in) + 32 * (row * a.in_stride + 2 * i);
            std::uint8_t* out = at(a.out) + 32 * (row * a.out_stride + i);
            if (i == a.pairs) {
                std::memcpy(out, from, 32);
            } else {
                std::memcpy(pairs + 64 * found, from, 64);
                to[found++] = out;
            }
        }
        merge(a, pairs, found, merged);
        for (std::uint64_t i = 0; i < found; i++) std::memcpy(to[i], merged + 32 * i, 32);
    };
    return in_pieces(workers, n, piece_of(workers, n, least_pairs_per_piece, pairs_per_piece), body,
                     {&merge_paces[runtime::UnitOf(a.hash).unit]});
}

// Merges n adjacent pairs and copies them, so that each is read from memory once. Some pairs at a time, so that the
// store buffers drain to memory while the next pairs are merged. One call has too few pairs for the lanes to prefetch.
void merge_keeping(const MergeSubtrees& a, const std::uint8_t* pairs, std::uint64_t n, std::uint8_t* out,
                   std::uint8_t* kept) {
    constexpr std::uint64_t at_once = 32;
    for (std::uint64_t done = 0; done < n; done += at_once) {
        const std::uint64_t count = std::min(at_once, n - done);
        prefetch_merges(pairs + 64 * done, n - done, at_once, out + 32 * done);
        merge(a, pairs + 64 * done, count, out + 32 * done);
        lanes().copy_past_caches(pairs + 64 * done, count, kept + 64 * done);
    }
#ifdef __SSE2__
    _mm_sfence();  // another thread may read the copies once this piece is done
#endif
}

// Builds the levels of a subtree one after another, while its nodes are in the core's cache.
bool merge_subtrees(const MergeSubtrees& a, const Workers& workers) {
    std::uint8_t* nodes = at(a.nodes);
    // Several small subtrees are built at once, which fills the lanes and gives a thread enough work in each piece.
    constexpr std::uint64_t nodes_per_piece = 1024;
    const std::uint64_t all = a.n >> a.levels;
    const std::uint64_t per_piece = piece_of(workers, all, 1, std::max<std::uint64_t>(1, nodes_per_piece >> a.levels));
    const auto body = [&](std::uint64_t first, std::uint64_t subtrees) {
        for (std::uint32_t level = 1; level <= a.levels; level++) {
            const unsigned above = a.levels - level;
            const std::uint8_t* below = level == 1 ? at(a.below) : nodes;
            const std::uint8_t* pairs = below + 32 * (a.offset[level - 1] + (first << (above + 1)));
            std::uint8_t* parents = nodes + 32 * (a.offset[level] + (first << above));
            if (level == 1 && a.kept.pointer != nullptr)
                merge_keeping(a, pairs, subtrees << above, parents, at(a.kept) + 32 * (first << (above + 1)));
            else
                merge(a, pairs, subtrees << above, parents);
        }
    };
    return in_pieces(workers, all, per_piece, body,
                     {&merge_paces[runtime::UnitOf(a.hash).unit], std::uint64_t{1} << a.levels});
}

// One level of merge_at: makes the parents of `nodes`, then replaces the list by that of the parents.
bool merge_level_at(const MergeAt& a, std::uint32_t level, std::vector<std::uint64_t>& nodes, const Workers& workers) {
    for (std::uint64_t& node : nodes) node /= 2;
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    const std::uint64_t width = ((a.width - 1) >> level) + 1, first = a.first >> level;
    const std::uint8_t* below = at(a.nodes) + 32 * first;
    std::uint8_t* out = at(a.nodes) + 32 * (first / 2);
    const bool has_odd = 2 * nodes.back() + 1 == width;
    const std::uint8_t* last = below + 32 * (width - 1);
    const bool copied = has_odd && a.odd_node == OddNode::promote;
    if (copied) std::memcpy(out + 32 * nodes.back(), last, 32);
    const std::uint64_t n = nodes.size() - copied;
    const auto body = [&](std::uint64_t begin, std::uint64_t count) {
        std::uint8_t pairs[64 * pairs_per_piece], merged[32 * pairs_per_piece];
        constexpr std::uint64_t ahead = 16;  // without a prefetch, each access to a distant node would wait for memory
        for (std::uint64_t i = 0; i < count; i++) {
            if (i + ahead < count) __builtin_prefetch(below + 64 * nodes[begin + i + ahead]);
            const std::uint64_t parent = nodes[begin + i];
            const bool alone = has_odd && begin + i + 1 == nodes.size();
            std::memcpy(pairs + 64 * i, below + 64 * parent, alone ? 32 : 64);
            if (alone) {
                const void* sibling = a.odd_node == OddNode::pad ? static_cast<const void*>(a.pads + level) : last;
                std::memcpy(pairs + 64 * i + 32, sibling, 32);
            }
        }
        merge(a, pairs, count, merged);
        for (std::uint64_t i = 0; i < count; i++) std::memcpy(out + 32 * nodes[begin + i], merged + 32 * i, 32);
    };
    return in_pieces(workers, n, piece_of(workers, n, least_pairs_per_piece, pairs_per_piece), body,
                     {&merge_paces[runtime::UnitOf(a.hash).unit]});
}

bool merge_at(const MergeAt& a, const Workers& workers) {
    std::vector<std::uint64_t> nodes(a.changed, a.changed + a.n);
    for (std::uint32_t level = 0; level < a.levels; level++) {
        const Tick tick = runtime::part_of(workers.tick, static_cast<double>(level) / a.levels, 1.0 / a.levels);
        if (!merge_level_at(a, level, nodes, workers.with(tick))) return false;
    }
    return true;
}

// A job allocates little memory of its own, but even that may fail.
template <class Job>
bool run(bool (*loop)(const Job& job, const Workers& workers), const Job& job, const Workers& workers) try {
    if constexpr (requires { job.mode; })
        return loop(job, {workers.threads, workers.tick, job.mode.flags() != 0});
    else
        return loop(job, workers);
} catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, "cpu: out of memory");
}

}  // namespace
}  // namespace merklize::cpu

namespace merklize::runtime {

// HashMatrices: matrices.cpp. HashTiles: tiles.cpp. MakeXmss: xmss.cpp.
#define MKZ_LOOP(Job, loop) \
    bool HostExecutor::launch(const Job& job, const Tick& tick) { return cpu::run(cpu::loop, job, {threads_, tick}); }
MKZ_LOOP(HashChunks, hash_chunks)
MKZ_LOOP(HashEach, hash_each)
MKZ_LOOP(HashRows, hash_rows)
MKZ_LOOP(MergeRows, merge_rows)
MKZ_LOOP(MergePairs, merge_pairs)
MKZ_LOOP(MergeSubtrees, merge_subtrees)
MKZ_LOOP(MergeAt, merge_at)
MKZ_LOOP(HashParents, hash_parents)
MKZ_LOOP(Expand, expand)
#undef MKZ_LOOP

}  // namespace merklize::runtime
