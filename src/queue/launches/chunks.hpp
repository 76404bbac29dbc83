#pragma once

#include <cstdint>

#include "queue/device_call.hpp"

namespace merklize::runtime {

/// Chunks of a message. An empty one has one, too.
std::uint64_t chunks_of(std::uint64_t bytes);

/// A kernel hash_chunks.
struct ChunksKernel {
    Kernel kernel;
    std::uint64_t group_chunks;  ///< that a group hashes

    /// Levels that a group merges of what it hashed, of `levels` that are wanted.
    std::uint32_t levels_in_group(std::uint32_t levels, const mkz_policy& policy) const;
};
/// is_even  whether what it reads and writes begins on 16 bytes
ChunksKernel chunks_kernel(DeviceCall& call, Hash hash, const mkz_policy& policy, bool is_even);

/// Messages of equal length, and where their values go (core/kernels/hash_chunks.h).
struct ChunkRows {
    Range in;
    Range out;
    std::uint64_t bytes;  ///< of a row
    std::uint64_t rows = 1;
    std::uint64_t first_chunk = 0;  ///< index in the whole message
    std::uint32_t levels = 0;
    std::uint32_t root = 0;  ///< MKZ_BLAKE3_ROOT if what comes out are digests
};
void launch_chunks(DeviceCall& call, const ChunksKernel& hash, const Mode& mode, const ChunkRows& a);

}  // namespace merklize::runtime
