#pragma once

#include <cstdint>

#include "backends/tuning.hpp"
#include "jobs/backend.h"

namespace merklize::nvidia {

// What NVIDIA's GPUs are told, by CUDA and by their OpenCL alike. Measured on an H200 (sm_90) on 2026-11-21; docs/performance.md
// has the alternatives and what they gave.

using backends::fill;

/// As mkz_backend's tune().
inline void tune(mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, mkz_policy* policy) noexcept {
    fill(policy->lanes, 1);  // a thread is a lane already
    fill(policy->constants, MKZ_CONSTANTS_constant);
    if (mkz_is_field(hash)) {
        // Level by level while it is wide. From 2^14 nodes on (2^13 with the dense MDS), teams of 16 threads a merge, four levels a
        // launch: 30 us a level where a thread alone takes 136.
        const bool circulant = hash == MKZ_HASH_rp64_256_v3, free_group = policy->group_size == 0;
        const std::uint64_t narrow = std::uint64_t{1} << (circulant ? 14 : 13);
        fill(policy->levels_per_launch, n < narrow ? 4 : 1);
        fill(policy->group_size, 128);
        if (!free_group) return;
        policy->cells = 6;
        policy->min_groups = 4;
        return;
    }
    if (kernel == MKZ_KERNEL_HASH_CHUNKS || kernel == MKZ_KERNEL_HASH_ROWS) {
        // Two levels in the group that hashed the chunks. Reading a block ahead takes registers from large inputs (1.73 instead of
        // 1.82 TB/s) and gives small ones, which do not fill the device, 1.13 instead of 1.05.
        constexpr std::uint64_t many_chunks = std::uint64_t{1} << 18;
        fill(policy->levels_per_launch, 2);
        policy->read_ahead = n < many_chunks ? 1 : 0;
        // Few chunks go to more multiprocessors by smaller groups: 1.3 times as fast at 256 KiB and 4 MiB.
        if (n < std::uint64_t{1} << 11) fill(policy->group_size, 32);
        if (n < std::uint64_t{1} << 15) fill(policy->group_size, 128);
        fill(policy->group_size, n < many_chunks ? 256 : 128);
        return;
    }
    // Of blake3; sha256 does the same, unmeasured. Level by level at 31 G merges/s down to 2^17 nodes, then 9 levels a group: launches would cost more than idle threads.
    constexpr std::uint64_t wide = std::uint64_t{1} << 17;
    fill(policy->levels_per_launch, n < wide ? 9 : 1);
    fill(policy->group_size, 256);
}

}  // namespace merklize::nvidia
