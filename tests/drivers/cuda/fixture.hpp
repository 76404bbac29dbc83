#pragma once

#include "drivers/table.hpp"

namespace merklize::cuda {
extern const mkz_backend backend;
}

namespace table {

inline const mkz_backend& backend() { return merklize::cuda::backend; }

inline const Fixture& fixture() {
    // The kernel `late` writes after some nanoseconds.
    static constexpr Fixture cuda = {
        .language = MKZ_LANGUAGE_CUDA,
        .isa = "sm_",
        .harmless_option = "--use_fast_math",
        .prelude = R"(
#define KERNEL extern "C" __global__ void
#define GLOBAL
#define SHARED(type, name, n) __shared__ type name[n]
#define LOCAL_INDEX threadIdx.x
#define INDEX (blockIdx.x * (u64)blockDim.x + threadIdx.x)
#define BARRIER __syncthreads()
typedef unsigned int u32;
typedef unsigned long long u64;
)",
        .more_kernels = R"(
KERNEL late(u32* out, u32 value, u64 nanoseconds) {
    u64 start, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - start < nanoseconds);
    *out = value;
}
KERNEL wild(u32* out) { *(volatile u32*)(out + (1ull << 44)) = 1; }
)",
        .options_of_42 = " -DFIRST=40  --define-macro=SECOND=2 ",
        .required_by = "MERKLIZE_REQUIRE_CUDA",
        .compiler = "sm_",
        .has_names_in_labels = false,
        .may_be_unified = false,
        .wraps_null = true,
        .notices_missing_arguments = false,  // drivers up to CUDA 13.0 do not say how many there are
    };
    return cuda;
}

}  // namespace table
