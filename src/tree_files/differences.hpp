#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "merklize/tree_file.hpp"

namespace merklize::runtime {

/// How the leaves of a tree file differ from those of data, or of another tree file.
struct LeafDifferences {
    std::vector<std::uint64_t>
        leaves{};             ///< indices of leaves that both sides have and that differ, in order: the first `most`
    std::uint64_t count = 0;  ///< of all such leaves
    std::uint64_t other_leaves = 0;  ///< leaves of the other side
    std::uint64_t other_bytes =
        0;  ///< bytes of the data. Of a stream that goes on behind the tree: those that were read

    bool are_the_same(std::uint64_t n_leaves) const noexcept { return count == 0 && other_leaves == n_leaves; }
};

/// Reads the data once, in batches and by all threads, and compares its leaves with those of the tree. Data behind the
/// tree's last leaf is not hashed. Whether the tree's own nodes are right is TreeFile::check()'s.
/// errors  io, cancelled, invalid_argument (as TreeInput says; a keyed tree without its mode)
LeafDifferences leaves_unlike(const TreeFile& tree, const TreeInput& data, std::size_t most = 1000,
                              const RunOptions& options = {});

/// The same of another tree file, as its nodes are written there. Reads only the children of unequal nodes.
/// errors  io, invalid_argument (trees of other forms)
LeafDifferences leaves_unlike(const TreeFile& tree, const TreeFile& other, std::size_t most = 1000);

}  // namespace merklize::runtime
