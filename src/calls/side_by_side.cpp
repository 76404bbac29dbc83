#include "calls/side_by_side.hpp"

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

#include "host/invalid.hpp"
#include "jobs/cpu_device.hpp"
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
            // The first error is the reason. Devices that were told to stop then throw "cancelled".
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
            mine.push_back(i);  // if the system gives no more threads, the call only gets slower
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
    // With sixteen subtrees or more for each device, one more or less does not matter.
    const std::uint64_t wanted = std::has_single_bit(devices) ? devices : 16 * std::bit_ceil(devices);
    return static_cast<std::uint32_t>(std::bit_width(std::clamp<std::uint64_t>(parts, 1, wanted)) - 1);
}

// slice(first, count) makes the job of items [first, first + count).
template <class Slice>
bool SideBySide::share_out(std::uint64_t items, std::uint64_t bytes, const Tick& tick, Slice slice) const {
    const std::vector<Device>& parts = state_of(options_.device).parts;
    const std::uint64_t useful = std::clamp<std::uint64_t>(std::min(items, bytes / least_bytes), 1, parts.size());
    return side_by_side(
        std::span(parts).first(useful), options_, threads_,
        [&](std::size_t i, const RunOptions& here) {
            const Share share(items, i, useful);
            const auto job = slice(share.first, share.size);
            DeviceCall(state_of(here.device).opened(), here, here.threads).launch(job, here.progress);
        },
        tick);
}

bool SideBySide::launch(const HashChunks& job, const Tick& tick) {
    const std::uint64_t subtree_bytes = std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << job.levels;
    const std::uint64_t n = job.bytes / subtree_bytes + (job.bytes % subtree_bytes != 0);
    return share_out(n, job.bytes, tick, [&](std::uint64_t first, std::uint64_t count) {
        HashChunks part = job;
        part.data = moved(job.data, first * subtree_bytes);
        part.bytes = std::min(count * subtree_bytes, job.bytes - first * subtree_bytes);
        part.first_chunk += first << job.levels;
        part.out = at_node(job.out, first);
        return part;
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
    return share_out(bytes, bytes, tick, [&](std::uint64_t first, std::uint64_t count) {
        const std::size_t begin = ending_by(first);
        HashEach part = job;
        part.messages = job.messages.subspan(begin, ending_by(first + count) - begin);
        part.out = moved(job.out, out_bytes * begin);
        return part;
    });
}

bool SideBySide::launch(const HashRows& job, const Tick& tick) {
    const std::uint64_t row_bytes = row_unit(job.hash) * job.length;
    return share_out(job.n, job.n * (row_bytes + Digest::size), tick, [&](std::uint64_t first, std::uint64_t count) {
        HashRows part = job;
        part.rows = moved(job.rows, first * row_bytes);
        part.n = count;
        part.out = at_node(job.out, first);
        return part;
    });
}

bool SideBySide::launch(const HashMatrices& job, const Tick& tick) {
    const std::uint64_t bytes = job.n * (job.row_bytes() + Digest::size);
    return share_out(job.n, bytes, tick, [&](std::uint64_t first, std::uint64_t count) {
        HashMatrices part = job;
        for (MatrixAt& matrix : part.matrices) matrix = from_row(matrix, first);
        part.n = count;
        part.first_row += first;
        part.out = at_node(job.out, first);
        return part;
    });
}

bool SideBySide::launch(const MergePairs& job, const Tick& tick) {
    return share_out(job.n, job.n * 2 * Digest::size, tick, [&](std::uint64_t first, std::uint64_t count) {
        MergePairs part = job;
        part.left = at_node(job.left, first);
        part.right = at_node(job.right, first);
        part.out = at_node(job.out, first);
        part.n = count;
        return part;
    });
}

// Each device builds whole subtrees, the CPU the few nodes above them.
bool SideBySide::launch(const MergeSubtrees& job, const Tick& tick) {
    const std::uint32_t top_levels = std::min(job.levels, cut_levels(job.n, state_of(options_.device).parts.size()));
    const std::uint32_t levels = job.levels - top_levels;
    const std::uint64_t subtrees = job.n >> levels;
    const auto slice = [&](std::uint64_t first, std::uint64_t count) {
        MergeSubtrees part = job;
        part.levels = levels;
        part.n = count << levels;
        for (std::uint32_t l = 0; l <= levels; l++) part.offset[l] += first << (levels - l);
        return part;
    };
    if (levels != 0 && !share_out(subtrees, job.n * Digest::size, tick, slice)) return false;
    if (top_levels == 0) return true;
    MergeSubtrees top = job;
    if (levels != 0) top.below = job.nodes;
    top.levels = top_levels;
    top.n = subtrees;
    std::copy(job.offset + levels, job.offset + job.levels + 1, top.offset);
    return HostExecutor(threads_).launch(top, {});
}

// Runs on the CPU, because the nodes are in its memory and there is little to compute.
bool SideBySide::launch(const MergeAt& job, const Tick& tick) { return HostExecutor(threads_).launch(job, tick); }

void require_no_stream(const char* what, const RunOptions& options) {
    if (!options.stream) return;
    invalid(what, "stream must not be set, since parts on several devices have no common stream; it is of " +
                      options.stream->device().info().id);
}

void on_their_devices(std::span<const ConstBuffer> buffers, const RunOptions& options,
                      const std::function<void(std::size_t k, const RunOptions& here)>& body) {
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
        [&](std::size_t i, const RunOptions& here) {
            Timings sum{.available = true};
            for (const std::size_t k : buffers_of[i]) {
                Timings one;
                RunOptions alone = here;
                alone.timings = here.timings == nullptr ? nullptr : &one;
                body(k, alone);
                add(sum, one);
            }
            if (here.timings != nullptr) *here.timings = sum;
        },
        progress.begin(1)));
}

RunOptions on_the_cpu(const RunOptions& options) {
    RunOptions here = options;
    here.device = cpu_device();
    here.stream = {};
    here.timings = nullptr;
    here.policy = {};  // the caller's policy is for the devices
    return here;
}

RunOptions by_one_thread(const RunOptions& options) {
    RunOptions alone = options;
    alone.threads = 1;
    alone.progress = {};
    alone.timings = nullptr;
    return alone;
}

}  // namespace merklize::runtime
