#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "jobs/registry.hpp"
#include "merklize/device.hpp"
#include "merklize/hash.hpp"

namespace merklize::runtime {

/// Keeps the costs that load_costs() (jobs/registry.hpp) returns, for this machine's processor and this version of the
/// library, in the folder beside the compiled kernels (files/kept_files.hpp). The file is written as a whole and
/// ignored if damaged.
/// errors  io (the text says why)
void store_costs(std::span<const KnownCost> costs);

/// As callers see them: one for each point.
std::vector<Cost> costs_of(std::span<const KnownCost> known);

/// Host memory that is pinned for a device, or for all devices of several. Freed with the last copy of the pointer.
/// returns  null if no part is a GPU, if it reaches all host memory equally fast, or if its driver knows no pinned
///          memory
/// errors   out_of_memory, and those of opening the device
std::shared_ptr<std::byte> pinned_memory(const Device& device, std::uint64_t bytes);

/// The hashes that calibrate() measures on each device. The others are measured on the CPU alone, roots and rows of one
/// size.
inline constexpr Hash measured_hashes[] = {Hash::blake3, Hash::sha256, Hash::poseidon2_goldilocks_8, Hash::rp64_256_v3};

/// The cost by which a job goes to a device.
struct Choice {
    /// Points into `costs`: the entry of the hash, or of the faster of the two measured hashes between which the hash
    /// lies. Null if the CPU was not measured.
    const KnownCost* cost = nullptr;
    double seconds = 0;  ///< expected there
    double on_cpu = 0;   ///< expected on the CPU
};

/// Opens the cost's device. Returns nothing if the device cannot be used, else whether the caller's data is pinned for
/// it (false if `is_memory_asked` is false).
using AskDevice = std::function<std::optional<bool>(const KnownCost& known, bool is_memory_asked)>;

/// The choice of the least expected time. On each device a hash that was not measured there takes a time between those
/// of two measured hashes, at the place where its roots or rows lie between theirs on the CPU. A device whose data is
/// pinned goes by its costs for pinned data, if there are any.
/// costs       sorted by their jobs
/// cpu_factor  the costs of the CPU count so many times
/// ask         called for devices that promise to be faster, by their costs for pinned data or for other data
Choice least(std::span<const KnownCost> costs, Job job, Hash hash, std::uint64_t bytes, double cpu_factor,
             const AskDevice& ask);

/// The options of a call on `bytes` bytes of host memory that begin at `host`: the given ones, on "auto" with costs
/// with the device of the least expected time, or else the CPU. A device is passed over if it differs from the one that
/// was measured, cannot be opened or belongs to the parent process. All devices are passed over if the caller names a
/// stream.
RunOptions chosen(const RunOptions& options, Job job, Hash hash, std::uint64_t bytes, const void* host);

}  // namespace merklize::runtime
