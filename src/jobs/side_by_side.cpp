#include "jobs/side_by_side.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "jobs/keyed.hpp"
#include "jobs/registry.hpp"
#include "merklize/core/hashes/blake3.h"
#include "merklize/digest.hpp"
#include "merklize/error.hpp"
#include "queue/session.hpp"

namespace merklize::runtime {
namespace {

// Less than this is not worth another device.
constexpr std::uint64_t least_bytes = 1 << 20;

// What the devices' threads have in common.
struct Together {
    explicit Together(std::size_t n) : done(n), timings(n) {}

    std::vector<std::atomic<double>> done;  // share of each device
    std::vector<Timings> timings;
    std::atomic<bool> stop{false};
    std::exception_ptr error{};  // of who stopped the others

    std::mutex mutex;
    std::condition_variable ended;
    std::size_t n_ended = 0;  // guarded by mutex

    double mean() const {
        double sum = 0;
        for (const std::atomic<double>& one : done) sum += one;
        return sum / static_cast<double>(done.size());
    }
};

}  // namespace

bool side_by_side(std::span<const Device> devices, const RunOptions& options, unsigned threads,
                  const std::function<void(std::size_t, const RunOptions&)>& body, const Tick& tick) {
    const std::size_t n = devices.size();
    Together together(n);
    const auto ask = [&] {
        if (tick && !tick(together.mean())) together.stop = true;
        return !together.stop;
    };
    const auto run = [&](std::size_t i, bool is_caller) {
        RunOptions here = options;
        here.device = devices[i];
        here.threads = std::max(1u, threads / static_cast<unsigned>(n));
        here.stream = {};
        here.timings = options.timings == nullptr ? nullptr : &together.timings[i];
        here.progress = {};
        if (tick) {
            here.progress = [&, i, is_caller](double done) {
                together.done[i] = done;
                return is_caller ? ask() : !together.stop.load();
            };
        }
        try {
            if (!together.stop) body(i, here);
        } catch (...) {
            // Those who only heard that they should stop say "cancelled": the first has the reason.
            if (!together.stop.exchange(true)) together.error = std::current_exception();
        }
        together.done[i] = 1;
        const std::lock_guard lock(together.mutex);
        together.n_ended++;
        together.ended.notify_one();
    };
    std::vector<std::jthread> others;
    std::vector<std::size_t> mine = {0};
    for (std::size_t i = 1; i < n; i++) {
        try {
            others.emplace_back(run, i, false);
        } catch (const std::system_error&) {
            mine.push_back(i);  // a machine that gives no more threads only makes it slower
        }
    }
    for (const std::size_t i : mine) run(i, true);
    std::unique_lock lock(together.mutex);
    while (!together.ended.wait_for(lock, std::chrono::milliseconds(50), [&] { return together.n_ended == n; })) {
        lock.unlock();
        ask();
        lock.lock();
    }
    lock.unlock();
    others.clear();
    if (together.error) std::rethrow_exception(together.error);
    if (options.timings != nullptr) {
        const auto longest = [&](double Timings::* slot) {
            double most = 0;
            for (const Timings& one : together.timings) most = std::max(most, one.*slot);
            options.timings->*slot += most;
        };
        longest(&Timings::kernel);
        longest(&Timings::to_device);
        longest(&Timings::to_host);
        options.timings->available = std::ranges::all_of(together.timings, &Timings::available);
    }
    return !together.stop;
}

std::uint32_t cut_levels(std::uint64_t n_leaves, std::size_t devices) noexcept {
    const std::uint64_t parts = n_leaves * Digest::size / least_bytes;
    // Of sixteen subtrees or more a device, one more or less does not matter.
    const std::uint64_t wanted = std::has_single_bit(devices) ? devices : 16 * std::bit_ceil(devices);
    return static_cast<std::uint32_t>(std::bit_width(std::clamp<std::uint64_t>(parts, 1, wanted)) - 1);
}

namespace {

// `slice` makes the arguments of items [first, first + count).
template <class Slice>
bool share_out(mkz_kernel kernel, std::uint64_t items, std::uint64_t bytes, const RunOptions& options, unsigned threads,
               const Tick& tick, Slice slice) {
    const std::vector<Device>& parts = options.device.state().parts;
    const std::uint64_t useful = std::clamp<std::uint64_t>(std::min(items, bytes / least_bytes), 1, parts.size());
    return side_by_side(
        std::span(parts).first(useful), options, threads,
        [&](std::size_t i, const RunOptions& here) {
            const Share share(items, i, useful);
            const auto arguments = slice(share.first, share.size);
            Session session(here.device.state().queue_device(), here, here.threads);
            session.launch(kernel, &arguments, here.progress);
        },
        tick);
}

mkz_place moved(mkz_place place, std::uint64_t bytes) {
    place.offset += bytes;
    return place;
}

bool hash_chunks(const mkz_hash_chunks& a, const RunOptions& options, unsigned threads, const Tick& tick) {
    const std::uint64_t subtree_bytes = std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << a.levels;
    const std::uint64_t n = a.bytes / subtree_bytes + (a.bytes % subtree_bytes != 0);
    return share_out(MKZ_KERNEL_HASH_CHUNKS, n, a.bytes, options, threads, tick,
                     [&](std::uint64_t first, std::uint64_t count) {
                         Keyed part(a);
                         part.data = moved(a.data, first * subtree_bytes);
                         part.bytes = std::min(count * subtree_bytes, a.bytes - first * subtree_bytes);
                         part.counter += first << a.levels;
                         part.out = moved(a.out, first * Digest::size);
                         return part;
                     });
}

bool hash_rows(const mkz_hash_rows& a, const RunOptions& options, unsigned threads, const Tick& tick) {
    return share_out(MKZ_KERNEL_HASH_ROWS, a.n, a.n * (a.bytes + Digest::size), options, threads, tick,
                     [&](std::uint64_t first, std::uint64_t count) {
                         Keyed part(a);
                         part.rows = moved(a.rows, first * a.bytes);
                         part.n = count;
                         part.out = moved(a.out, first * Digest::size);
                         return part;
                     });
}

bool hash_elements(const mkz_hash_elements& a, const RunOptions& options, unsigned threads, const Tick& tick) {
    return share_out(MKZ_KERNEL_HASH_ELEMENTS, a.n, a.n * (8 * a.elements + Digest::size), options, threads, tick,
                     [&](std::uint64_t first, std::uint64_t count) {
                         mkz_hash_elements part = a;
                         part.rows = moved(a.rows, first * 8 * a.elements);
                         part.n = count;
                         part.out = moved(a.out, first * Digest::size);
                         return part;
                     });
}

bool merge_pairs(const mkz_merge_pairs& a, const RunOptions& options, unsigned threads, const Tick& tick) {
    return share_out(MKZ_KERNEL_MERGE_PAIRS, a.n, a.n * 2 * Digest::size, options, threads, tick,
                     [&](std::uint64_t first, std::uint64_t count) {
                         Keyed part(a);
                         part.left = moved(a.left, first * Digest::size);
                         part.right = moved(a.right, first * Digest::size);
                         part.out = moved(a.out, first * Digest::size);
                         part.n = count;
                         return part;
                     });
}

// Each device builds whole subtrees, the CPU the few nodes above them.
bool merge_subtrees(const mkz_merge_subtrees& a, const RunOptions& options, unsigned threads, const Tick& tick) {
    const std::uint32_t top_levels = std::min(a.levels, cut_levels(a.n, options.device.state().parts.size()));
    const std::uint32_t levels = a.levels - top_levels;
    const std::uint64_t subtrees = a.n >> levels;
    if (levels != 0 && !share_out(MKZ_KERNEL_MERGE_SUBTREES, subtrees, a.n * Digest::size, options, threads, tick,
                                  [&](std::uint64_t first, std::uint64_t count) {
                                      Keyed part(a);
                                      part.levels = levels;
                                      part.n = count << levels;
                                      for (std::uint32_t l = 0; l <= levels; l++)
                                          part.offset[l] += first << (levels - l);
                                      return part;
                                  })) {
        return false;
    }
    if (top_levels == 0) return true;
    Keyed top(a);
    if (levels != 0) top.below = a.nodes;
    top.levels = top_levels;
    top.n = subtrees;
    top.policy = {};
    std::copy(a.offset + levels, a.offset + a.levels + 1, top.offset);
    return launch_on_host(MKZ_KERNEL_MERGE_SUBTREES, &top, threads);
}

}  // namespace

bool launch_side_by_side(mkz_kernel kernel, const void* arguments, const RunOptions& options, unsigned threads,
                         const Tick& tick) {
    const auto with = [&](const auto& launch, const auto* typed) { return launch(*typed, options, threads, tick); };
    switch (kernel) {
        case MKZ_KERNEL_HASH_CHUNKS: return with(hash_chunks, static_cast<const mkz_hash_chunks*>(arguments));
        case MKZ_KERNEL_HASH_ROWS: return with(hash_rows, static_cast<const mkz_hash_rows*>(arguments));
        case MKZ_KERNEL_HASH_ELEMENTS: return with(hash_elements, static_cast<const mkz_hash_elements*>(arguments));
        case MKZ_KERNEL_MERGE_PAIRS: return with(merge_pairs, static_cast<const mkz_merge_pairs*>(arguments));
        case MKZ_KERNEL_MERGE_SUBTREES: return with(merge_subtrees, static_cast<const mkz_merge_subtrees*>(arguments));
        case MKZ_KERNEL_MERGE_AT: return launch_on_host(kernel, arguments, threads, tick);
        case MKZ_KERNEL_HASH_PARENTS:
        case MKZ_KERNEL_EXPAND: break;
    }
    throw Error(ErrorCode::internal,
                "launch " + std::to_string(kernel) + " is the host's, not that of several devices");
}

}  // namespace merklize::runtime
