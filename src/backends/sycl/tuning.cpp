#include "backends/sycl/tuning.hpp"

#include <algorithm>

#include "backends/sycl/device.hpp"
#include "backends/tuning.hpp"

namespace merklize::sycl_plugin {
namespace {

using backends::fill;

// Intel's device of 2026.0, measured on an AMD EPYC (Zen 5, AVX-512), 2 cores, on 2026-11-21 (docs/performance.md). Lanes of an item's
// own, which its compiler then leaves as they are: 16 for BLAKE3 (8 gave 0.66 of the rate for merges, 0.81 for chunks), 8 for a field
// hash (4 gave 0.54, 16 0.9, and what the compiler makes of one word an item 0.84 for seven times the compile time). sha256 as BLAKE3,
// unmeasured.
void tune_processor(mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, mkz_policy* policy) {
    fill(policy->group_size, 64);
    fill(policy->constants, MKZ_CONSTANTS_constant);
    const bool chunks = kernel == MKZ_KERNEL_HASH_CHUNKS || kernel == MKZ_KERNEL_HASH_ROWS;
    if (mkz_is_field(hash)) {
        fill(policy->lanes, 8);
        if (policy->lanes == 1) policy->mul_by_halves = 1;
    } else {
        fill(policy->lanes, 16);
        fill(policy->levels_per_launch, chunks ? 6 : 1);
    }
    fill(policy->levels_per_launch, backends::levels_on_processors(n));
}

// OpenCL's values for GPUs; not measured through SYCL.
void tune_gpu(mkz_policy* policy) {
    fill(policy->group_size, 256);
    fill(policy->lanes, 1);
    fill(policy->constants, MKZ_CONSTANTS_constant);
    fill(policy->levels_per_launch, 8);
}

}  // namespace

void tune(std::uint32_t device, mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, std::uint32_t,
          mkz_policy* policy) noexcept {
    const bool free_group = policy->group_size == 0;
    guarded([&] {
        const Device& d = device_of(device);
        d.driver_facts.is_cpu != 0 ? tune_processor(kernel, hash, n, policy) : tune_gpu(policy);
        if (free_group) policy->group_size = std::min(policy->group_size, d.driver_facts.max_group_size);
    });
    // Of a device that is not there.
    tune_gpu(policy);
}

}  // namespace merklize::sycl_plugin
