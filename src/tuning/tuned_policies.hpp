#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/backend.h"
#include "merklize/device.hpp"
#include "merklize/policy.hpp"

namespace merklize::runtime {

/// A policy that `merklize tune` found faster than the backend's table, for jobs of about 2^log2 items.
struct TunedPolicy {
    mkz_kernel kernel{};
    std::uint32_t hash = 0;
    std::uint32_t log2 = 0;      ///< of the n of tuned_policy()
    Policy policy{};             ///< 0 in a field: the backend's table decides
    double seconds = 0;          ///< of the job
    double builtin_seconds = 0;  ///< by the backend's table, at the same time
};

/// "digest", "tree", "hash_elements", "merge"; empty: no such job is tuned.
std::string_view tuned_job_name(mkz_kernel kernel) noexcept;

/// What is kept for this device, its driver and this version of the library, in the folder beside that of compiled kernels
/// (kernel_cache.hpp): written as a whole, and ignored if damaged.
std::vector<TunedPolicy> load_tuned_policies(const DeviceInfo& device);
/// In the place of all that was kept for the device. Calls that begin later, in this process too, go by it.
/// errors  io (the text says why)
void store_tuned_policies(const DeviceInfo& device, std::span<const TunedPolicy> policies);

/// What a job on a device is to run with, before the backend's table fills what is 0: `wanted`, if the caller chose anything
/// in it; else what is kept for the nearest log2 of n, at most 2 away. MERKLIZE_TUNED=0 in the
/// environment: `wanted`.
/// n  chunks of a digest, leaves of a tree, rows, merges
mkz_policy tuned_policy(const mkz_backend& backend, std::uint32_t device, mkz_kernel kernel, std::uint32_t hash,
                        std::uint64_t n, const mkz_policy& wanted);

}  // namespace merklize::runtime
