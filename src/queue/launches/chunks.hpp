#pragma once

#include <algorithm>
#include <cstdint>

#include "merklize/core/hashes/blake3.h"
#include "queue/device_call.hpp"

namespace merklize::runtime {

/// Chunks of a message. An empty message has one, too.
inline std::uint64_t chunks_of(std::uint64_t bytes) {
    return std::max<std::uint64_t>(1, divide_up(bytes, MKZ_BLAKE3_CHUNK_LEN));
}

/// The kernel hash_chunks in one variant.
struct ChunksKernel {
    Kernel kernel;
    std::uint64_t group_chunks;  ///< that a group hashes

    /// How many of `levels` levels a group merges above the chunks that it hashed.
    std::uint32_t levels_in_group(std::uint32_t levels, const mkz_policy& policy) const;
};
/// is_even  whether its input and output are aligned to 16 bytes
ChunksKernel chunks_kernel(DeviceCall& call, Hash hash, const mkz_policy& policy, bool is_even);

/// Messages of equal length, and where their values go (core/kernels/hash_chunks.h).
struct ChunkRows {
    Range in;
    Range out;
    std::uint64_t bytes;  ///< of a row
    std::uint64_t rows = 1;
    std::uint64_t first_chunk = 0;  ///< index in the whole message
    std::uint32_t levels = 0;
    std::uint32_t root = 0;  ///< MKZ_BLAKE3_ROOT if the results are digests
};
void launch_chunks(DeviceCall& call, const ChunksKernel& hash, const Mode& mode, const ChunkRows& a);

}  // namespace merklize::runtime
