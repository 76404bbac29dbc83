#pragma once

#include <cstdint>

namespace merklize {

/// Where the constants of a field hash are while a kernel of a device runs.
enum class Constants : std::uint8_t {
    tuned = 0,  ///< the backend's table decides
    literal,    ///< in the instructions
    constant,   ///< constant memory
    global,     ///< a block of device memory
    local,      ///< copied to the group's memory first
};

/// Tuning values of one tree. Zero means "the backend's table decides"; MerkleTree::policy() tells what was used. Every choice
/// gives the same bytes. The CPU has its own lanes and takes levels_per_launch alone.
struct TreePolicy {
    /// Levels that one launch builds: a subtree of 2^levels_per_launch nodes stays in cache (CPU) or in a group (GPU). 1 is
    /// level by level.
    std::uint32_t levels_per_launch = 0;
    /// Items of a group: a power of two.
    std::uint32_t group_size = 0;
    /// Merges that one item computes side by side, as lanes of a vector: 1, 2, 4, 8 or 16.
    std::uint32_t merges_per_item = 0;
    Constants constants = Constants::tuned;

    bool operator==(const TreePolicy&) const = default;
};

/// Tuning values of digests and batches, in the same sense.
struct HashPolicy {
    /// Chunks (or rows, or merges) that one item computes side by side, as lanes of a vector: 1, 2, 4, 8 or 16.
    std::uint32_t chunks_per_item = 0;
    std::uint32_t group_size = 0;
    Constants constants = Constants::tuned;

    bool operator==(const HashPolicy&) const = default;
};

}  // namespace merklize
