#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "host/threads.hpp"
#include "jobs/executor.hpp"
#include "merklize/buffer.hpp"
#include "merklize/device.hpp"

namespace merklize::runtime {

/// Work on several devices at once, with one host thread for each device, the caller's among them.

/// Runs body(i, options) for each device. Its options are `options` with that device, a share of `threads`, no stream
/// and, if there is a tick, a progress function. Shares of threads are equal, unless the CPU works beside devices: it
/// then computes by all threads but one a device, which drives that device, and a device copies by an eighth of all.
/// The devices run at once, so their times are not added up: of each kind the longest counts.
/// tick     called from the calling thread, with the mean progress of the devices; must not throw
/// returns  false if tick cancelled
/// errors   the first of any device, which cancels the others
bool side_by_side(std::span<const Device> devices, const RunOptions& options, unsigned threads,
                  const std::function<void(std::size_t i, const RunOptions& device_options)>& body, const Tick& tick);

/// A contiguous share of n items for the i-th of `count`.
struct Share {
    Share(std::uint64_t n, std::uint64_t i, std::uint64_t count)
        : first(n / count * i + n % count * i / count),
          size(n / count * (i + 1) + n % count * (i + 1) / count - first) {}

    std::uint64_t first, size;
};

/// log2 of the number of equal subtrees into which a tree of n leaves is cut, n a power of two, so that the devices get
/// shares that take about as long.
std::uint32_t cut_levels(std::uint64_t n_leaves, std::span<const Device> devices) noexcept;

/// Runs body(first, count, options) for contiguous ranges of `items` items, `bytes` bytes in all, on the devices at
/// once; the options are those of side_by_side(). Devices get one range of equal size each. If the CPU is among them,
/// each takes a small range first and then, again and again, a part of what is left by the rate that was measured in
/// this call, so that all end at about the same time. What is too small to be shared goes to the first device.
/// returns  false if tick cancelled, or a body returned false
bool share_out(
    std::span<const Device> devices, const RunOptions& options, unsigned threads, std::uint64_t items,
    std::uint64_t bytes,
    const std::function<bool(std::uint64_t first, std::uint64_t count, const RunOptions& device_options)>& body,
    const Tick& tick);

/// Several devices as one executor, which shares jobs on host memory out over them. A job is complete when launch()
/// returns.
class SideBySide final : public Executor {
public:
    /// options  of the call, whose device has parts; must outlive this
    SideBySide(const RunOptions& options, unsigned threads) : options_(options), threads_(threads) {}

    MKZ_JOBS(MKZ_RUNS_JOB)

private:
    template <class Slice>
    bool slices(std::uint64_t items, std::uint64_t bytes, const Tick& tick, Slice slice) const;

    const RunOptions& options_;
    unsigned threads_;
};

/// Runs body(k, options) for each buffer k on the buffer's device, all devices at once; buffers of one device one after
/// another. Timings are as of side_by_side().
/// errors  those of body; cancelled
void on_their_devices(std::span<const ConstBuffer> buffers, const RunOptions& options,
                      const std::function<void(std::size_t k, const RunOptions& device_options)>& body);

/// Throws invalid_argument if the options name a stream, because buffers on several devices have no common one.
void require_no_stream(const RunOptions& options);

/// The options for the part of a call on devices that the CPU does.
RunOptions on_the_cpu(const RunOptions& options);

/// The options for one of many inputs that a call's threads take side by side: one thread, without progress and times.
RunOptions by_one_thread(const RunOptions& options);

}  // namespace merklize::runtime
