// The CPU as a backend: launches become loops over the lanes' kernels, cut into pieces that stay in a core's own cache.
#include "jobs/backend.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "backends/cpu/lanes.hpp"
#include "backends/cpu/tuning.hpp"
#include "host/threads.hpp"
#include "merklize/core/hashes/blake3.h"

static_assert(std::endian::native == std::endian::little, "the kernels read words as they lie in memory");

namespace merklize::cpu {
namespace {

thread_local std::string error_text;

mkz_status fail(mkz_status status, std::string text) {
    error_text = std::move(text);
    return status;
}

runtime::Tick tick_of(const mkz_run& run) {
    if (run.tick == nullptr) return {};
    return [&run](double done) { return run.tick(run.context, done) == 0; };
}

// The CPU's own places are all on the host.
std::uint8_t* at(const mkz_place& place) { return static_cast<std::uint8_t*>(place.pointer) + place.offset; }

mkz_place host(const void* pointer) { return {const_cast<void*>(pointer), 0, 0}; }

// Items of one kernel in pieces of `per_piece`: body(first, count).
template <class Body>
bool in_pieces(const mkz_run& run, std::uint64_t n, std::uint64_t per_piece, Body body) {
    const std::uint64_t pieces = (n + per_piece - 1) / per_piece;
    return runtime::parallel_for(
        pieces, run.threads,
        [&](std::size_t piece) {
            const std::uint64_t first = piece * per_piece;
            body(first, std::min(per_piece, n - first));
        },
        tick_of(run));
}

// In place: n chaining values to the ceil(n / 2) above them; BLAKE3's odd last one goes up as it is.
std::uint64_t one_level_up(std::uint8_t* values, std::uint64_t n, const std::uint32_t key[8], std::uint32_t flags) {
    lanes().compress_pairs(values, n / 2, key, flags | MKZ_BLAKE3_PARENT, values);
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
    128;  // 128 KiB: enough work for a thread, its chaining values stay in the first cache

bool hash_chunks(const mkz_hash_chunks& a, const mkz_run& run) {
    const std::uint64_t chunks = (a.bytes + MKZ_BLAKE3_CHUNK_LEN - 1) / MKZ_BLAKE3_CHUNK_LEN;
    const std::uint64_t per_subtree = std::uint64_t{1} << a.levels;
    return in_pieces(
        run, chunks, std::max(chunks_per_piece, per_subtree), [&](std::uint64_t first, std::uint64_t count) {
            const std::uint8_t* data = at(a.data) + first * MKZ_BLAKE3_CHUNK_LEN;
            const std::uint64_t bytes = std::min(count * MKZ_BLAKE3_CHUNK_LEN, a.bytes - first * MKZ_BLAKE3_CHUNK_LEN);
            const std::uint64_t full = bytes / MKZ_BLAKE3_CHUNK_LEN;
            std::uint8_t* out = at(a.out) + 32 * (first >> a.levels);
            std::uint8_t small[32 * chunks_per_piece];
            std::vector<std::uint8_t> large(count > chunks_per_piece ? 32 * count : 0);
            std::uint8_t* values = count > chunks_per_piece ? large.data() : small;
            lanes().hash_chunks(data, full, a.counter + first, a.key, a.flags, values);
            if (full != count) {
                hash_last_chunk(data + full * MKZ_BLAKE3_CHUNK_LEN, bytes - full * MKZ_BLAKE3_CHUNK_LEN,
                                a.counter + first + full, a.key, a.flags, values + 32 * full);
            }
            for (std::uint32_t level = 0; level < a.levels; level++)
                count = one_level_up(values, count, a.key, a.flags);
            std::memcpy(out, values, 32 * count);
        });
}

// The digest of one message, by one thread, without the runtime: rows too long for hash_short_rows.
void hash_long_row(const std::uint8_t* row, std::uint64_t bytes, const mkz_hash_rows& a,
                   std::vector<std::uint8_t>& values, std::uint8_t* out) {
    const mkz_run alone = {1, nullptr, nullptr};
    const std::uint64_t chunks = (bytes + MKZ_BLAKE3_CHUNK_LEN - 1) / MKZ_BLAKE3_CHUNK_LEN;
    const std::uint32_t levels = std::min<std::uint32_t>(7, std::bit_width(chunks - 1) - 1);
    std::uint64_t n = (chunks + (std::uint64_t{1} << levels) - 1) >> levels;
    values.resize(32 * n);
    mkz_hash_chunks chunk_args{host(row), bytes, 0, {}, a.flags, levels, host(values.data()), {}};
    std::copy_n(a.key, 8, chunk_args.key);
    hash_chunks(chunk_args, alone);
    while (n > 2) n = one_level_up(values.data(), n, a.key, a.flags);
    lanes().compress_pairs(values.data(), 1, a.key, a.flags | MKZ_BLAKE3_PARENT | MKZ_BLAKE3_ROOT, out);
}

bool hash_parents(const mkz_hash_parents& a, const mkz_run&) {
    one_level_up(at(a.values), a.n, a.key, a.flags);
    return true;
}

bool expand(const mkz_expand& a, const mkz_run& run) {
    return in_pieces(run, a.n, 2048, [&](std::uint64_t first, std::uint64_t count) {
        lanes().expand(a.cv, a.block, a.block_len, a.flags, a.counter + first, count, at(a.out) + 64 * first);
    });
}

// n rows by the lanes' hash_rows: `length` as there, `row_bytes` from row to row.
bool rows_by_lanes(std::uint32_t hash, const std::uint8_t* rows, std::uint64_t n, std::uint64_t row_bytes,
                   std::uint64_t length, std::uint8_t* out, const mkz_run& run) {
    const std::uint64_t per_piece = std::max<std::uint64_t>(64, 4096 / (row_bytes / 64 + 1));
    // A single row can take long, so the kernels ask inside one, too; only the launching thread may tick.
    const auto launcher = std::this_thread::get_id();
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> rows_done{0};
    const auto go_on = [&] {
        if (run.tick != nullptr && std::this_thread::get_id() == launcher) {
            const double done = static_cast<double>(rows_done.load()) / static_cast<double>(n);
            if (run.tick(run.context, done) != 0) stop = true;
        }
        return !stop;
    };
    const bool finished = in_pieces(run, n, per_piece, [&](std::uint64_t first, std::uint64_t count) {
        lanes().hash_rows[hash](rows + first * row_bytes, count, length, out + 32 * first, go_on);
        rows_done += count;
    });
    return finished && !stop;
}

bool hash_elements(const mkz_hash_elements& a, const mkz_run& run) {
    return rows_by_lanes(a.hash, at(a.rows), a.n, mkz_find_hash(a.hash)->row_unit_bytes * a.elements, a.elements,
                         at(a.out), run);
}

bool hash_rows(const mkz_hash_rows& a, const mkz_run& run) {
    if (mkz_find_hash(a.hash)->has_chunk_tree == 0)
        return rows_by_lanes(a.hash, at(a.rows), a.n, a.bytes, a.bytes, at(a.out), run);
    const std::uint8_t* rows = at(a.rows);
    std::uint8_t* out = at(a.out);
    const std::uint64_t per_piece = std::max<std::uint64_t>(1, 131072 / std::max<std::uint64_t>(a.bytes, 64));
    return in_pieces(run, a.n, per_piece, [&](std::uint64_t first, std::uint64_t count) {
        if (a.bytes <= MKZ_BLAKE3_CHUNK_LEN) {
            lanes().hash_short_rows(rows + first * a.bytes, count, a.bytes, a.key, a.flags, out + 32 * first);
        } else {
            std::vector<std::uint8_t> values;
            for (std::uint64_t i = first; i < first + count; i++) {
                hash_long_row(rows + i * a.bytes, a.bytes, a, values, out + 32 * i);
            }
        }
    });
}

// n pairs, one after another, by the merges of a job.
template <class Job>
void merge(const Job& a, const std::uint8_t* pairs, std::uint64_t n, std::uint8_t* out) {
    if (a.key.flags != 0) {
        lanes().compress_pairs(pairs, n, a.key.words, a.key.flags | MKZ_BLAKE3_MERGE, out);
    } else {
        lanes().merge[a.hash](pairs, n, out);
    }
}

constexpr std::uint64_t pairs_per_piece = 256;

bool merge_pairs(const mkz_merge_pairs& a, const mkz_run& run) {
    return in_pieces(run, a.n, pairs_per_piece, [&](std::uint64_t first, std::uint64_t count) {
        std::uint8_t pairs[64 * pairs_per_piece];
        for (std::uint64_t i = 0; i < count; i++) {
            std::memcpy(pairs + 64 * i, at(a.left) + 32 * (first + i), 32);
            std::memcpy(pairs + 64 * i + 32, at(a.right) + 32 * (first + i), 32);
        }
        merge(a, pairs, count, at(a.out) + 32 * first);
    });
}

// A subtree's levels one after another, while its nodes are in the core's cache.
bool merge_subtrees(const mkz_merge_subtrees& a, const mkz_run& run) {
    std::uint8_t* nodes = at(a.nodes);
    // Small ones several at once, where there are many: the lanes are full, and a piece is worth a thread's while.
    constexpr std::uint64_t nodes_per_piece = 1024, pieces_per_thread = 4;
    const std::uint64_t all = a.n >> a.levels;
    const std::uint64_t per_piece =
        std::max<std::uint64_t>(1, std::min(nodes_per_piece >> a.levels, all / (pieces_per_thread * run.threads)));
    return in_pieces(run, all, per_piece, [&](std::uint64_t first, std::uint64_t subtrees) {
        for (std::uint32_t level = 1; level <= a.levels; level++) {
            const unsigned above = a.levels - level;
            const std::uint8_t* below = level == 1 ? at(a.below) : nodes;
            merge(a, below + 32 * (a.offset[level - 1] + (first << (above + 1))), subtrees << above,
                  nodes + 32 * (a.offset[level] + (first << above)));
        }
    });
}

// One level of merge_at: the parents of `nodes`, which become the list of the parents.
bool merge_level_at(const mkz_merge_at& a, std::uint32_t level, std::vector<std::uint64_t>& nodes, const mkz_run& run) {
    for (std::uint64_t& node : nodes) node /= 2;
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    const std::uint64_t width = ((a.width - 1) >> level) + 1, first = a.first >> level;
    const std::uint8_t* below = at(a.nodes) + 32 * first;
    std::uint8_t* out = at(a.nodes) + 32 * (first / 2);
    const bool lone = 2 * nodes.back() + 1 == width;
    const std::uint8_t* last = below + 32 * (width - 1);
    const bool copied = lone && a.lone == MKZ_LONE_PROMOTE;
    if (copied) std::memcpy(out + 32 * nodes.back(), last, 32);
    return in_pieces(run, nodes.size() - copied, pairs_per_piece, [&](std::uint64_t begin, std::uint64_t count) {
        std::uint8_t pairs[64 * pairs_per_piece], merged[32 * pairs_per_piece];
        constexpr std::uint64_t ahead = 16;  // nodes far apart are waited for one by one, unless asked for early
        for (std::uint64_t i = 0; i < count; i++) {
            if (i + ahead < count) __builtin_prefetch(below + 64 * nodes[begin + i + ahead]);
            const std::uint64_t parent = nodes[begin + i];
            const bool alone = lone && begin + i + 1 == nodes.size();
            std::memcpy(pairs + 64 * i, below + 64 * parent, alone ? 32 : 64);
            if (alone) std::memcpy(pairs + 64 * i + 32, a.lone == MKZ_LONE_PAD ? a.fillers + 32 * level : last, 32);
        }
        merge(a, pairs, count, merged);
        for (std::uint64_t i = 0; i < count; i++) std::memcpy(out + 32 * nodes[begin + i], merged + 32 * i, 32);
    });
}

bool merge_at(const mkz_merge_at& a, const mkz_run& run) {
    std::vector<std::uint64_t> nodes(a.changed, a.changed + a.n);
    struct Part {
        const mkz_run& whole;
        std::uint32_t level, levels;
    } part{run, 0, a.levels};
    const auto tick = [](void* context, double done) {
        const Part& p = *static_cast<const Part*>(context);
        return p.whole.tick(p.whole.context, (p.level + done) / p.levels);
    };
    for (; part.level < a.levels; part.level++) {
        const mkz_run level = {run.threads, run.tick != nullptr ? +tick : nullptr, &part};
        if (!merge_level_at(a, part.level, nodes, level)) return false;
    }
    return true;
}

const char* why_unavailable() {
    thread_local std::string text;
    try {
        lanes();
        return nullptr;
    } catch (const std::exception& e) {
        text = e.what();
        return text.c_str();
    }
}

std::string processor_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.rfind("model name", 0) == 0) return line.substr(std::min(line.size(), line.find(':') + 2));
    }
    return "CPU";
}

mkz_status device_facts(std::uint32_t, mkz_device_facts* facts) {
    try {
        std::snprintf(facts->isa, sizeof facts->isa, "%s", lanes().isa);
        std::snprintf(facts->name, sizeof facts->name, "%s", processor_name().c_str());
        facts->units = runtime::default_threads();
        facts->memory_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
        return MKZ_OK;
    } catch (const std::exception& e) {
        return fail(MKZ_INTERNAL, e.what());
    }
}

mkz_status launch(std::uint32_t, mkz_kernel kernel, const void* arguments, const mkz_run* run) {
    try {
        bool done = false;
        switch (kernel) {
            case MKZ_KERNEL_HASH_CHUNKS:
                done = hash_chunks(*static_cast<const mkz_hash_chunks*>(arguments), *run);
                break;
            case MKZ_KERNEL_HASH_PARENTS:
                done = hash_parents(*static_cast<const mkz_hash_parents*>(arguments), *run);
                break;
            case MKZ_KERNEL_HASH_ROWS: done = hash_rows(*static_cast<const mkz_hash_rows*>(arguments), *run); break;
            case MKZ_KERNEL_EXPAND: done = expand(*static_cast<const mkz_expand*>(arguments), *run); break;
            case MKZ_KERNEL_HASH_ELEMENTS:
                done = hash_elements(*static_cast<const mkz_hash_elements*>(arguments), *run);
                break;
            case MKZ_KERNEL_MERGE_PAIRS:
                done = merge_pairs(*static_cast<const mkz_merge_pairs*>(arguments), *run);
                break;
            case MKZ_KERNEL_MERGE_SUBTREES:
                done = merge_subtrees(*static_cast<const mkz_merge_subtrees*>(arguments), *run);
                break;
            case MKZ_KERNEL_MERGE_AT: done = merge_at(*static_cast<const mkz_merge_at*>(arguments), *run); break;
        }
        return done ? MKZ_OK : fail(MKZ_CANCELLED, "cancelled by the caller's progress function");
    } catch (const std::bad_alloc&) {
        return fail(MKZ_OUT_OF_MEMORY, "cpu: out of memory");
    } catch (const std::exception& e) {
        return fail(MKZ_INTERNAL, e.what());
    }
}

}  // namespace

extern const mkz_backend backend;
const mkz_backend backend = {
    .abi = MKZ_BACKEND_ABI,
    .name = "cpu",
    .why_unavailable = why_unavailable,
    .device_count = [] { return 1u; },
    .device_facts = device_facts,
    .tune = tune,
    .driver = nullptr,
    .launch = launch,
    .last_error = [] { return error_text.c_str(); },
};

}  // namespace merklize::cpu
