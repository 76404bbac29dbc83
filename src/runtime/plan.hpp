#pragma once

#include <cstdint>
#include <vector>

#include "merklize/policy.hpp"

namespace merklize::runtime {

/// Where the nodes of a tree lie: index arithmetic only, and the only place that has it.
/// Heap order: root at 1, children of i at 2i and 2i+1, leaf k at n+k; slot 0 is unused.
struct HeapLayout {
    std::uint64_t n_leaves;  // a power of two >= 2

    std::uint64_t slots() const noexcept { return 2 * n_leaves; }
    unsigned height() const noexcept;
    /// First node of a level; 0 = leaves, height() = root.
    std::uint64_t level_offset(unsigned level) const noexcept { return n_leaves >> level; }
    std::uint64_t level_size(unsigned level) const noexcept { return n_leaves >> level; }
    /// Slot of the sibling that the proof of leaf `index` needs on `level`, level < height().
    std::uint64_t sibling(std::uint64_t index, unsigned level) const noexcept {
        return level_offset(level) + ((index >> level) ^ 1);
    }
};

/// One launch of the subtree kernel: builds levels from+1 .. from+levels above level `from`.
struct Launch {
    unsigned from;
    unsigned levels;
};

/// The launches that build a tree, bottom up: pure data.
/// policy.levels_per_launch  at least 1
std::vector<Launch> plan_tree(const HeapLayout& layout, const TreePolicy& policy);

}  // namespace merklize::runtime
