#pragma once

#include <cstdint>

namespace merklize {

/// Tuning values of one tree. Zero means "the backend's table decides"; MerkleTree::policy() tells what was used. Every choice
/// gives the same bytes.
struct TreePolicy {
    /// Levels that one launch builds: a subtree of 2^levels_per_launch nodes stays in cache (CPU) or in a group (GPU). 1 is
    /// level by level.
    std::uint32_t levels_per_launch = 0;
};

}  // namespace merklize
