#pragma once

#include <cstdint>

#include "seams/backend.h"

namespace merklize::backends {

/// The devices that the tuning defaults tell apart.
enum class DeviceClass : std::uint32_t {
    cpu = 1,              ///< the CPU backend
    nvidia_gpu = 2,       ///< through CUDA or OpenCL
    gpu = 4,              ///< any other GPU
    intel_processor = 8,  ///< Intel's OpenCL on a processor
    sycl_processor = 16,  ///< Intel's SYCL on a processor
    pocl_processor = 32,  ///< PoCL on a processor
};

/// Fills the fields of *policy that are 0, like tune() of mkz_backend, for a device with queues.
/// max_group_size  of the device: limits a group size that the caller left open. 0: not known
void tune(DeviceClass device, mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, std::uint32_t max_group_size,
          mkz_policy* policy) noexcept;

/// The same for the CPU backend, which has only levels_per_launch. The other fields become 0.
void tune_cpu(mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, std::uint32_t threads,
              mkz_policy* policy) noexcept;

}  // namespace merklize::backends
