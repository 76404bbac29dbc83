#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "host/input_file.hpp"
#include "jobs/run.hpp"
#include "merklize/core/hashes/blake3.h"

namespace merklize::runtime {

/// One read of a file: 256 KiB, two aligned subtrees of 2^7 chunks. Two and not one, because the value above them may be the root.
/// Reading costs a copy into a buffer that stays in cache (docs/performance.md says how much).
constexpr std::uint32_t read_levels = 8;
constexpr std::uint64_t read_bytes = std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << read_levels;
constexpr std::uint64_t read_chunks = std::uint64_t{1} << read_levels;

/// What is read at once for a device: 64 MiB, by all threads, or as it comes from a pipe.
constexpr std::uint32_t batch_levels = 16;
constexpr std::uint64_t batch_bytes = std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << batch_levels;
constexpr std::uint64_t batch_chunks = std::uint64_t{1} << batch_levels;

/// A buffer of read_bytes that belongs to the calling thread and is kept for its next read.
std::span<std::byte> thread_buffer();

/// Fills `out` from byte `offset` of a regular file on, by all threads of the run.
void read_together(const InputFile& file, std::span<std::byte> out, std::uint64_t offset, Run& run, double share);

}  // namespace merklize::runtime
