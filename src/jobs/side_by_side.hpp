#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "merklize/device.hpp"
#include "jobs/backend.h"
#include "host/threads.hpp"

namespace merklize::runtime {

/// One job on several devices: one host thread a device, the caller's among them.

/// Runs body(i, options) for each device. Its options are `options` with that device, an equal share of `threads`, no stream and,
/// if there is a tick, a progress function. Times of the devices, which run at once, are not added up: of each kind the longest
/// counts.
/// tick     from the calling thread, with the mean of what the devices have done; must not throw
/// returns  false if tick cancelled
/// errors   the first of any device, which cancels the others
bool side_by_side(std::span<const Device> devices, const RunOptions& options, unsigned threads,
                  const std::function<void(std::size_t i, const RunOptions& here)>& body, const Tick& tick);

/// A contiguous share of n items for the i-th of `count`.
struct Share {
    Share(std::uint64_t n, std::uint64_t i, std::uint64_t count)
        : first(n / count * i + n % count * i / count),
          size(n / count * (i + 1) + n % count * (i + 1) / count - first) {}

    std::uint64_t first, size;
};

/// log2 of the equal subtrees that a tree of n leaves is cut into, n a power of two, so that `devices` devices get about the same.
std::uint32_t cut_levels(std::uint64_t n_leaves, std::size_t devices) noexcept;

/// A launch of backend.h on host memory, shared out over the parts of options.device. Done when it returns.
/// returns  false if tick cancelled
bool launch_side_by_side(mkz_kernel kernel, const void* arguments, const RunOptions& options, unsigned threads,
                         const Tick& tick);

}  // namespace merklize::runtime
