#include "calls/side_by_side.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

#include "host/invalid.hpp"
#include "jobs/cpu_device.hpp"
#include "jobs/extension.hpp"
#include "jobs/host_executor.hpp"
#include "jobs/internals.hpp"
#include "jobs/progress.hpp"
#include "jobs/registry.hpp"
#include "merklize/core/hashes/blake3.h"
#include "merklize/digest.hpp"
#include "queue/device_call.hpp"

namespace merklize::runtime {
namespace {

// A smaller share is not worth another device.
constexpr std::uint64_t least_bytes = 1 << 20;

// What the threads of the devices share.
struct Together {
    explicit Together(std::size_t n) : done(n), timings(n) {}

    std::vector<std::atomic<double>> done;  // share of each device
    std::vector<Timings> timings;
    std::atomic<bool> stop{false};
    std::exception_ptr error{};  // of the device that stopped the others

    std::mutex mutex;
    std::condition_variable ended;
    std::size_t n_ended = 0;  // guarded by mutex

    double mean() const {
        double sum = 0;
        for (const std::atomic<double>& share : done) sum += share;
        return sum / static_cast<double>(done.size());
    }
};

bool is_cpu(const Device& device) { return state_of(device).is_host(); }

/// Whether the CPU works beside devices, which are faster or slower than it by an unknown factor.
bool is_mixed(std::span<const Device> devices) {
    return std::ranges::any_of(devices, is_cpu) && !std::ranges::all_of(devices, is_cpu);
}

// May be 0.
unsigned threads_of(std::span<const Device> devices, std::size_t i, unsigned threads) {
    const auto n = static_cast<unsigned>(devices.size());
    if (!is_mixed(devices)) return threads / n;
    return is_cpu(devices[i]) ? threads - std::min(threads, n - 1) : threads / 8;
}

// Ranges of items for devices whose rates are measured while they work. Safe from any thread.
class Ranges {
public:
    /// least  items that are worth a launch of their own
    Ranges(std::uint64_t items, std::uint64_t least, std::size_t devices)
        : items_(items), least_(std::max<std::uint64_t>(least, 1)), rates_(devices) {}

    struct Range {
        std::uint64_t first, count;
    };

    /// The next range of device i; of no items if none is left.
    Range next(std::size_t i) {
        const std::lock_guard lock(mutex_);
        const std::uint64_t left = items_ - taken_;
        std::uint64_t count = left / (first_ranges * rates_.size());
        if (std::ranges::all_of(rates_, [](double rate) { return rate > 0; })) {
            const double all = std::accumulate(rates_.begin(), rates_.end(), 0.0);
            count = static_cast<std::uint64_t>(static_cast<double>(left) * taken_by_rate * rates_[i] / all);
        }
        count = std::min(left, std::max(count, least_));
        taken_ += count;
        return {taken_ - count, count};
    }

    /// Device i took `seconds` for a range.
    void ended(std::size_t i, const Range& range, double seconds) {
        const std::lock_guard lock(mutex_);
        done_ += range.count;
        rates_[i] = static_cast<double>(range.count) / std::max(seconds, 1e-9);
    }

    /// The share of all items that is done, with this share of a range that is being computed.
    double done(const Range& range, double share) {
        const std::lock_guard lock(mutex_);
        return (static_cast<double>(done_) + share * static_cast<double>(range.count)) / static_cast<double>(items_);
    }

private:
    // A device's first range is this part of its equal share: small enough for the slowest, large enough to be
    // measured.
    static constexpr std::uint64_t first_ranges = 8;
    // 30 % of the items are held back, so that a wrong rate can be corrected.
    static constexpr double taken_by_rate = 0.7;

    const std::uint64_t items_, least_;
    std::mutex mutex_;
    std::uint64_t taken_ = 0, done_ = 0;  // guarded by mutex_
    std::vector<double> rates_;  // items a second, 0 before a device's first range has ended; guarded by mutex_
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
    const auto run = [&, call = PublicCall::current()](std::size_t i, bool is_caller) {
        const PublicCall entry(call);
        RunOptions device_options = options;
        device_options.device = devices[i];
        device_options.threads = std::max(1u, threads_of(devices, i, threads));
        device_options.stream = {};
        if (is_cpu(devices[i])) device_options.policy = {};  // the caller's policy is for the devices
        device_options.timings = options.timings == nullptr ? nullptr : &together.timings[i];
        device_options.progress = {};
        if (tick) {
            device_options.progress = [&, i, is_caller](double done) {
                together.done[i] = done;
                return is_caller ? ask() : !together.stop.load();
            };
        }
        try {
            if (!together.stop) body(i, device_options);
        } catch (...) {
            // The first error is the reason. Devices that were told to stop then throw "cancelled".
            if (!together.stop.exchange(true)) together.error = std::current_exception();
        }
        together.done[i] = 1;
        const std::lock_guard lock(together.mutex);
        together.n_ended++;
        together.ended.notify_one();
    };
    std::vector<std::jthread> others;
    std::vector<std::size_t> on_this_thread = {0};
    for (std::size_t i = 1; i < n; i++) {
        try {
            others.emplace_back(run, i, false);
        } catch (const std::system_error&) {
            on_this_thread.push_back(i);  // if the system gives no more threads, the call only gets slower
        }
    }
    for (const std::size_t i : on_this_thread) run(i, true);
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
            for (const Timings& timings : together.timings) most = std::max(most, timings.*slot);
            options.timings->*slot += most;
        };
        longest(&Timings::kernel);
        longest(&Timings::to_device);
        longest(&Timings::to_host);
        options.timings->available = std::ranges::all_of(together.timings, &Timings::available);
    }
    return !together.stop;
}

std::uint32_t cut_levels(std::uint64_t n_leaves, std::span<const Device> devices) noexcept {
    const std::uint64_t parts = n_leaves * Digest::size / least_bytes;
    const std::size_t n = devices.size();
    // With sixteen subtrees or more for each device, one more or less does not matter.
    const std::uint64_t wanted = std::has_single_bit(n) && !is_mixed(devices) ? n : 16 * std::bit_ceil(n);
    return static_cast<std::uint32_t>(std::bit_width(std::clamp<std::uint64_t>(parts, 1, wanted)) - 1);
}

bool share_out(std::span<const Device> devices, const RunOptions& options, unsigned threads, std::uint64_t items,
               std::uint64_t bytes, const std::function<bool(std::uint64_t, std::uint64_t, const RunOptions&)>& body,
               const Tick& tick) {
    const std::uint64_t useful = std::clamp<std::uint64_t>(std::min(items, bytes / least_bytes), 1, devices.size());
    const std::span used = devices.first(useful);
    if (items == 0) return true;
    if (!is_mixed(used)) {
        return side_by_side(
            used, options, threads,
            [&](std::size_t i, const RunOptions& device_options) {
                const Share share(items, i, useful);
                body(share.first, share.size, device_options);
            },
            tick);
    }
    Ranges ranges(items, items / std::max<std::uint64_t>(1, bytes / least_bytes), useful);
    const auto work = [&](std::size_t i, const RunOptions& device_options) {
        Ranges::Range range{};
        RunOptions range_options = device_options;
        if (device_options.progress)
            range_options.progress = [&](double done) { return device_options.progress(ranges.done(range, done)); };
        Timings sum{.available = true}, range_timings;
        if (device_options.timings != nullptr) range_options.timings = &range_timings;
        for (range = ranges.next(i); range.count != 0; range = ranges.next(i)) {
            const auto start = std::chrono::steady_clock::now();
            range_timings = {};
            if (!body(range.first, range.count, range_options)) return;
            ranges.ended(i, range, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
            if (!is_cpu(device_options.device)) add(sum, range_timings);  // the CPU has no clock
        }
        if (device_options.timings != nullptr) *device_options.timings = sum;
    };
    return side_by_side(used, options, threads, work, tick);
}

// slice(first, count) makes the job of items [first, first + count).
template <class Slice>
bool SideBySide::slices(std::uint64_t items, std::uint64_t bytes, const Tick& tick, Slice slice) const {
    return share_out(
        state_of(options_.device).parts, options_, threads_, items, bytes,
        [&](std::uint64_t first, std::uint64_t count, const RunOptions& device_options) {
            const auto job = slice(first, count);
            if (is_cpu(device_options.device))
                return HostExecutor(device_options.threads).launch(job, device_options.progress);
            return DeviceCall(state_of(device_options.device).opened(), device_options, device_options.threads)
                .launch(job, device_options.progress);
        },
        tick);
}

bool SideBySide::launch(const HashChunks& job, const Tick& tick) {
    const std::uint64_t subtree_bytes = std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << job.levels;
    const std::uint64_t n = job.bytes / subtree_bytes + (job.bytes % subtree_bytes != 0);
    return slices(n, job.bytes, tick, [&](std::uint64_t first, std::uint64_t count) {
        HashChunks device_job = job;
        device_job.data = moved(job.data, first * subtree_bytes);
        device_job.bytes = std::min(count * subtree_bytes, job.bytes - first * subtree_bytes);
        device_job.first_chunk += first << job.levels;
        device_job.out = at_node(job.out, first);
        return device_job;
    });
}

// Each device gets a contiguous range of the messages, by their bytes.
bool SideBySide::launch(const HashEach& job, const Tick& tick) {
    const std::uint64_t out_bytes = (job.below_root ? 2 : 1) * Digest::size;
    std::vector<std::uint64_t> ends(job.messages.size());
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < ends.size(); i++) ends[i] = bytes += job.messages[i].bytes + Digest::size;
    const auto ending_by = [&](std::uint64_t byte) {
        return static_cast<std::size_t>(std::ranges::upper_bound(ends, byte) - ends.begin());
    };
    return slices(bytes, bytes, tick, [&](std::uint64_t first, std::uint64_t count) {
        const std::size_t begin = ending_by(first);
        HashEach device_job = job;
        device_job.messages = job.messages.subspan(begin, ending_by(first + count) - begin);
        device_job.out = moved(job.out, out_bytes * begin);
        return device_job;
    });
}

// Each device gets some columns.
bool SideBySide::launch(const Extend& job, const Tick& tick) {
    const std::uint64_t column_bytes = (job.rows << job.added_bits) * static_cast<std::uint64_t>(job.out.column_stride);
    return slices(job.in.columns, job.in.columns * column_bytes, tick, [&](std::uint64_t first, std::uint64_t count) {
        Extend device_job = job;
        device_job.in = from_row(job.in, 0, first);
        device_job.in.columns = count;
        device_job.out = from_row(job.out, 0, first);
        device_job.out.columns = count;
        return device_job;
    });
}

// Each device gets some sums.
bool SideBySide::launch(const WeightedSums& job, const Tick& tick) {
    const std::uint64_t word = find_field(job.field)->word_bytes;
    return slices(job.sums(), job.rows * job.in.columns * word, tick, [&](std::uint64_t first, std::uint64_t count) {
        WeightedSums device_job = job;
        device_job.in = from_row(job.in, job.over_rows ? 0 : first, job.over_rows ? first : 0);
        (job.over_rows ? device_job.in.columns : device_job.rows) = count;
        device_job.out += first * job.degree * word;
        return device_job;
    });
}

// Each device gets some points, and all matrices.
bool SideBySide::launch(const Constraints& job, const Tick& tick) {
    const std::uint64_t sum_bytes = std::uint64_t{job.degree} * find_field(job.field)->word_bytes;
    std::uint64_t columns = 0;
    for (const MatrixAt& matrix : job.matrices) columns += matrix.columns;
    return slices(job.points, job.points * columns * find_field(job.field)->word_bytes, tick,
                  [&](std::uint64_t first, std::uint64_t count) {
                      Constraints device_job = job;
                      device_job.first += first;
                      device_job.points = count;
                      device_job.out += first * sum_bytes;
                      return device_job;
                  });
}

bool SideBySide::launch(const HashRows& job, const Tick& tick) {
    const std::uint64_t row_bytes = row_unit(job.hash) * job.length;
    return slices(job.n, job.n * (row_bytes + Digest::size), tick, [&](std::uint64_t first, std::uint64_t count) {
        HashRows device_job = job;
        device_job.rows = moved(job.rows, first * row_bytes);
        device_job.n = count;
        device_job.out = at_node(job.out, first);
        return device_job;
    });
}

bool SideBySide::launch(const HashMatrices& job, const Tick& tick) {
    const std::uint64_t bytes = job.n * (job.row_bytes() + Digest::size);
    return slices(job.n, bytes, tick, [&](std::uint64_t first, std::uint64_t count) {
        HashMatrices device_job = job;
        for (MatrixAt& matrix : device_job.matrices) matrix = from_row(matrix, first);
        device_job.n = count;
        device_job.first_row += first;
        device_job.out = at_node(job.out, first);
        return device_job;
    });
}

bool SideBySide::launch(const MergePairs& job, const Tick& tick) {
    return slices(job.n, job.n * 2 * Digest::size, tick, [&](std::uint64_t first, std::uint64_t count) {
        MergePairs device_job = job;
        device_job.left = at_node(job.left, first);
        device_job.right = at_node(job.right, first);
        device_job.out = at_node(job.out, first);
        device_job.n = count;
        return device_job;
    });
}

// Each device builds whole subtrees, the CPU the few nodes above them.
bool SideBySide::launch(const MergeSubtrees& job, const Tick& tick) {
    const std::uint32_t top_levels = std::min(job.levels, cut_levels(job.n, state_of(options_.device).parts));
    const std::uint32_t levels = job.levels - top_levels;
    const std::uint64_t subtrees = job.n >> levels;
    const auto slice = [&](std::uint64_t first, std::uint64_t count) {
        MergeSubtrees device_job = job;
        device_job.levels = levels;
        device_job.n = count << levels;
        for (std::uint32_t l = 0; l <= levels; l++) device_job.offset[l] += first << (levels - l);
        return device_job;
    };
    if (levels != 0 && !slices(subtrees, job.n * Digest::size, tick, slice)) return false;
    if (top_levels == 0) return true;
    MergeSubtrees top = job;
    if (levels != 0) top.below = job.nodes;
    top.levels = top_levels;
    top.n = subtrees;
    std::copy(job.offset + levels, job.offset + job.levels + 1, top.offset);
    return HostExecutor(threads_).launch(top, {});
}

// Run on the CPU, because the nodes are in its memory and there is little to compute.
bool SideBySide::launch(const MergeAt& job, const Tick& tick) { return HostExecutor(threads_).launch(job, tick); }
bool SideBySide::launch(const MergeRows& job, const Tick& tick) { return HostExecutor(threads_).launch(job, tick); }

bool SideBySide::launch(const HashTiles& job, const Tick& tick) {
    const std::uint64_t tile_bytes = std::uint64_t{job.grid.tile_rows} * job.grid.tile_bytes;
    return slices(job.n, job.n * (tile_bytes + Digest::size), tick, [&](std::uint64_t first, std::uint64_t count) {
        HashTiles device_job = job;
        device_job.first += first;
        device_job.n = count;
        device_job.out = at_node(job.out, first);
        return device_job;
    });
}

// A subtree counts as many bytes as its leaves compress: 347 blocks each.
bool SideBySide::launch(const MakeXmss& job, const Tick& tick) {
    constexpr std::uint64_t leaf_bytes = 347 * 64;
    return slices(job.n, job.n * (leaf_bytes << job.levels), tick, [&](std::uint64_t first, std::uint64_t count) {
        MakeXmss device_job = job;
        device_job.begin += first;
        device_job.n = count;
        device_job.out += 16 * first;
        return device_job;
    });
}

void require_no_stream(const RunOptions& options) {
    if (!options.stream) return;
    invalid_call("stream", "must not be set, since parts on several devices have no common stream; it is of " +
                               options.stream->device().info().id);
}

void on_their_devices(std::span<const ConstBuffer> buffers, const RunOptions& options,
                      const std::function<void(std::size_t k, const RunOptions& device_options)>& body) {
    std::vector<Device> devices;
    std::vector<std::vector<std::size_t>> buffers_of;
    for (std::size_t k = 0; k < buffers.size(); k++) {
        const auto known =
            std::ranges::find_if(devices, [&](const Device& device) { return device == buffers[k].device(); });
        const auto i = static_cast<std::size_t>(known - devices.begin());
        if (known == devices.end()) {
            devices.push_back(buffers[k].device());
            buffers_of.emplace_back();
        }
        buffers_of[i].push_back(k);
    }
    if (options.timings != nullptr) *options.timings = Timings{};
    Progress progress(options.progress);
    progress.end(side_by_side(
        devices, options, options.threads == 0 ? default_threads() : options.threads,
        [&](std::size_t i, const RunOptions& device_options) {
            Timings sum{.available = true};
            for (const std::size_t k : buffers_of[i]) {
                Timings buffer_timings;
                RunOptions buffer_options = device_options;
                buffer_options.timings = device_options.timings == nullptr ? nullptr : &buffer_timings;
                body(k, buffer_options);
                add(sum, buffer_timings);
            }
            if (device_options.timings != nullptr) *device_options.timings = sum;
        },
        progress.begin(1)));
}

RunOptions on_the_cpu(const RunOptions& options) {
    RunOptions cpu_options = options;
    cpu_options.device = cpu_device();
    cpu_options.stream = {};
    cpu_options.timings = nullptr;
    cpu_options.policy = {};  // the caller's policy is for the devices
    return cpu_options;
}

RunOptions by_one_thread(const RunOptions& options) {
    RunOptions single = options;
    single.threads = 1;
    single.progress = {};
    single.timings = nullptr;
    return single;
}

}  // namespace merklize::runtime
