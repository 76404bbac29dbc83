#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "merklize/device.hpp"
#include "merklize/policy.hpp"
#include "seams/backend.h"

namespace merklize::runtime {

/// A policy that `merklize tune` found to be faster than the backend's table, for jobs of about 2^log2 items.
struct TunedPolicy {
    mkz_kernel kernel{};
    std::uint32_t hash = 0;
    std::uint32_t log2 = 0;      ///< of n, as in tuned_policy()
    Policy policy{};             ///< a field that is 0 is left to the backend's table
    double seconds = 0;          ///< time of the job with this policy
    double builtin_seconds = 0;  ///< time with the backend's table, measured alongside
};

/// "digest", "tree", "hash_rows" or "merge"; empty if such a job is not tuned.
std::string_view tuned_job_name(mkz_kernel kernel) noexcept;

/// The policies kept for this device, its driver and this version of the library, in the folder beside the compiled
/// kernels (files/kept_files.hpp). The file is written as a whole and ignored if damaged.
std::vector<TunedPolicy> load_tuned_policies(const DeviceInfo& device);
/// Replaces everything that was kept for the device. Later calls use the new policies, in this process as well.
/// errors  io (the text says why)
void store_tuned_policies(const DeviceInfo& device, std::span<const TunedPolicy> policies);

/// The policy of a job on a device, before the backend's table fills the fields that are 0. If the caller chose any
/// field, it is `wanted`; else the kept policy for the nearest log2 of n, at most 2 away, or `wanted` if there is none.
/// With MERKLIZE_TUNED=0 in the environment it is always `wanted`.
/// n  chunks of a digest, leaves of a tree, rows or merges
mkz_policy tuned_policy(const mkz_backend& backend, std::uint32_t device, mkz_kernel kernel, std::uint32_t hash,
                        std::uint64_t n, const mkz_policy& wanted);

}  // namespace merklize::runtime
