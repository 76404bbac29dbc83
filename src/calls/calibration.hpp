#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "jobs/registry.hpp"
#include "merklize/device.hpp"
#include "merklize/hash.hpp"

namespace merklize::runtime {

/// Keeps the costs that load_costs() (jobs/registry.hpp) returns, for this machine's processor and this version of the
/// library, in the folder beside the compiled kernels (files/kept_files.hpp). The file is written as a whole and ignored
/// if damaged.
/// errors  io (the text says why)
void store_costs(std::span<const KnownCost> costs);

/// As callers see them: one for each point.
std::vector<Cost> costs_of(std::span<const KnownCost> known);

/// The options of a call on `bytes` bytes of host memory: the given ones, with the device of the least expected time,
/// or else the CPU. Only for "auto" with costs (DeviceState::chooses()). A device is passed over if it differs from the
/// one that was measured, cannot be opened or belongs to the parent process. All devices are passed over if the caller
/// names a stream.
RunOptions chosen(const RunOptions& options, Job job, std::uint64_t bytes);

/// The same for a job of a hash, or the given options if they name a device.
/// of_bytes  the job of a byte hash; a field hash has its own
RunOptions chosen_for(const RunOptions& options, Job of_bytes, Hash hash, std::uint64_t bytes);

}  // namespace merklize::runtime
