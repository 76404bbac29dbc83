#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "merklize/policy.hpp"

namespace merklize::runtime {

/// The shape of a tree of n >= 1 leaves and where its nodes lie: index arithmetic only, and the only place that has it.
///
/// Heap order: root at 1, children of i at 2i and 2i+1, level l at [2^(height - l), 2^(height - l) + level_size(l)), leaf k at
/// 2^height + k. Slot 0 and the slots beyond the end of a level are unused.
struct TreeLayout {
    std::uint64_t n_leaves;

    unsigned height() const noexcept { return static_cast<unsigned>(std::bit_width(n_leaves - 1)); }
    /// Nodes of a level; 0 = leaves, height() = root.
    std::uint64_t level_size(unsigned level) const noexcept { return ((n_leaves - 1) >> level) + 1; }
    /// First slot of a level in heap order.
    std::uint64_t level_offset(unsigned level) const noexcept { return std::uint64_t{1} << (height() - level); }
    /// Slots that heap order takes.
    std::uint64_t slots() const noexcept { return level_offset(0) + n_leaves; }
    /// Whether the last node of a level has no sibling.
    bool has_lone(unsigned level) const noexcept { return level < height() && level_size(level) % 2 != 0; }
    bool is_perfect() const noexcept { return std::has_single_bit(n_leaves); }
    /// Slot of the sibling that the proof of leaf `index` needs on `level`, level < height().
    std::uint64_t sibling(std::uint64_t index, unsigned level) const noexcept {
        return level_offset(level) + ((index >> level) ^ 1);
    }
    /// Nodes of all levels below `level`: where it begins in a file, which has the levels one after another, leaves first.
    std::uint64_t nodes_below(unsigned level) const noexcept {
        std::uint64_t sum = 0;
        for (unsigned l = 0; l < level; l++) sum += level_size(l);
        return sum;
    }
    std::uint64_t nodes() const noexcept { return nodes_below(height() + 1); }
};

/// One launch of the subtree kernel: builds levels from+1 .. from+levels above level `from`.
struct Launch {
    unsigned from;
    unsigned levels;
};

/// The launches that build a tree, bottom up: pure data.
/// policy.levels_per_launch  at least 1
std::vector<Launch> plan_tree(const TreeLayout& layout, const TreePolicy& policy);

}  // namespace merklize::runtime
