#pragma once

#include <cstdint>

#include "queue/device_call.hpp"

namespace merklize::runtime {

/// The kernel that merges values of chunks.
Kernel parents_kernel(DeviceCall& call, Hash hash);

/// The most levels that one launch of it merges.
std::uint32_t most_levels(const Kernel& parents);

/// Rows of values, and where the values above them go (core/kernels/hash_parents.h).
struct ValueRows {
    Range in;
    Range out;
    std::uint64_t count;  ///< of a row
    std::uint64_t rows = 1;
    std::uint32_t levels = 1;
    std::uint32_t root = 0;  ///< MKZ_BLAKE3_ROOT if the results are digests
    bool keep = false;       ///< also keeps the values of the levels between
};
void launch_parents(DeviceCall& call, const Kernel& parents, const Mode& mode, const ValueRows& values);

/// Merges `count` values to the ceil(count / 2^levels) values above them.
/// root  MKZ_BLAKE3_ROOT if the last merge gives a digest; else 0
void merge_values(DeviceCall& call, Hash hash, Range in, std::uint64_t count, std::uint32_t levels, const Mode& mode,
                  std::uint32_t root, const Range& out);

}  // namespace merklize::runtime
