#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "calls/run.hpp"
#include "host/input_file.hpp"
#include "merklize/dm_verity.hpp"

namespace merklize::runtime {

/// Consecutive blocks: in memory, or in a file from an offset on.
struct BlocksInFile {
    const InputFile* file;
    std::uint64_t offset;
};
using VerityBlocks = std::variant<const std::byte*, BlocksInFile>;

/// Computes the digests of whole blocks of one size, with the salt. All threads of the run read and hash.
/// out    the digests, in the order of the blocks
/// share  the part of the whole call, for its progress
void hash_verity_blocks(Run& run, const DmVerity& how, const VerityBlocks& blocks, std::uint64_t block_bytes,
                        std::span<std::byte> out, double share);

}  // namespace merklize::runtime
