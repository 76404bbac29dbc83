#include "backends/opencl/tuning.hpp"

#include <algorithm>
#include <string_view>

#include "backends/nvidia.hpp"
#include "backends/opencl/device.hpp"
#include "backends/tuning.hpp"

namespace merklize::opencl {
namespace {

using backends::fill;

// Processors, measured with Intel's runtime 2026.0 on an AMD EPYC with AVX-512, 2 cores, on 2026-11-21 (docs/performance.md). Lanes of an
// item's own, with the hint that its compiler then makes no vectors of neighbouring items (port.h): 16 for BLAKE3, whose transposition
// it finds then, 8 for a field hash. One word of a field hash it makes vectors of by itself, if products are made of halves, more slowly
// and in four times the compile time.
//
// PoCL 3.1 and 5.0 sometimes give wrong values where items with several lanes meet at a barrier and groups run at once, so there they
// never do: chunks have one lane, a tree by several levels has one unless the caller wants more, and then goes level by level. Constants
// that a group copies to its memory first are a barrier, too: one lane (3.1 is always wrong with 16 of hash_elements).
void tune_processor(mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, bool is_pocl, mkz_policy* policy) {
    fill(policy->group_size, 64);
    fill(policy->constants, MKZ_CONSTANTS_constant);
    const bool chunks = kernel == MKZ_KERNEL_HASH_CHUNKS || kernel == MKZ_KERNEL_HASH_ROWS;
    if (is_pocl && policy->levels_per_launch > 1) fill(policy->lanes, 1);
    if (!mkz_is_field(hash)) {  // blake3; sha256 does the same, unmeasured
        fill(policy->lanes, 16);
        fill(policy->levels_per_launch, chunks ? 6 : 1);
        if (is_pocl && chunks) policy->lanes = 1;
    } else if (is_pocl) {
        // Constants in the instructions unroll all rounds; of 8 lanes that is more than PoCL's compiler survives.
        fill(policy->lanes, policy->constants == MKZ_CONSTANTS_literal ? 1 : 8);
        if (policy->constants == MKZ_CONSTANTS_local) policy->lanes = 1;
        policy->cells = 6;
    } else {
        fill(policy->lanes, 8);
        if (policy->lanes == 1) policy->mul_by_halves = 1;
    }
    fill(policy->levels_per_launch, backends::levels_on_processors(n));
    if (is_pocl && policy->lanes > 1) policy->levels_per_launch = 1;
}

// Groups of 256 are a multiple of every vendor's width. Not measured on GPUs other than NVIDIA's.
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
        if (d.driver_facts.is_cpu != 0) {
            tune_processor(kernel, hash, n,
                           std::string_view(d.driver_facts.compiler).find("PoCL") != std::string_view::npos, policy);
        } else if (std::string_view(d.facts.vendor).find("NVIDIA") != std::string_view::npos) {
            nvidia::tune(kernel, hash, n, policy);
        } else {
            tune_gpu(policy);
        }
        if (free_group) policy->group_size = std::min(policy->group_size, d.driver_facts.max_group_size);
    });
    // Of a device that is not there.
    tune_gpu(policy);
}

}  // namespace merklize::opencl
