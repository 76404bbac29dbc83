#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "jobs/registry.hpp"
#include "merklize/device.hpp"

namespace merklize::runtime {

/// What load_costs() (jobs/registry.hpp) gives is kept for this machine's processor and this version of the library, in the folder
/// beside that of compiled kernels (host/kept_files.hpp): written as a whole, and ignored if damaged.
/// errors  io (the text says why)
void store_costs(std::span<const KnownCost> costs);

/// The options of a call on `bytes` bytes of host memory: those given, on the device for which the least time is known, or the
/// CPU. Only for "auto" with costs (DeviceState::chooses()). A device that is no longer what was measured, cannot be opened or
/// belongs to the parent process is passed over; so are all, if the caller names a stream.
RunOptions chosen(const RunOptions& options, Job job, std::uint64_t bytes);

}  // namespace merklize::runtime
