#pragma once

#include "driver_table.hpp"

namespace merklize::cuda {
extern const mkz_backend backend;
}

namespace table {

inline const mkz_backend& backend() { return merklize::cuda::backend; }
inline const char* required_by() { return "MERKLIZE_REQUIRE_CUDA"; }

// `late` writes when some nanoseconds have passed.
inline const char* kernels() {
    return R"(
typedef unsigned int u32;
typedef unsigned long long u64;
struct Pair { u64 a; u32 b[6]; };

extern "C" __global__ void fill(u32* out, u32 value, u64 n) {
    u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    if (i < n) out[i] = value;
}

extern "C" __global__ void increase(u32* data, u64 n) {
    u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    if (i < n) data[i] += 1;
}

extern "C" __global__ void late(u32* out, u32 value, u64 nanoseconds) {
    u64 start, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - start < nanoseconds);
    *out = value;
}

extern "C" __global__ void kinds(u64* out, u32 small, u64 large, Pair pair, const u32* nothing) {
    out[0] = small;
    out[1] = large;
    out[2] = pair.a;
    for (int i = 0; i < 6; i++) out[3 + i] = pair.b[i];
    out[9] = (u64)nothing;
}

extern "C" __global__ void wild(u32* out) { *(volatile u32*)(out + (1ull << 44)) = 1; }
)";
}

}  // namespace table
