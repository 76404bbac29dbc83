#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

namespace merklize::runtime {

/// The shape of a tree of n >= 1 leaves and where its nodes lie: index arithmetic only, and the only place that has it.
///
/// Heap order: root at 1, children of i at 2i and 2i+1, level l at [2^(height - l), 2^(height - l) + level_size(l)), leaf k at
/// 2^height + k. Slot 0 and the slots beyond the end of a level are unused.
///
/// A node is whole if it is above 2^level leaves: whole nodes are merges of two whole ones under every rule, level by level. Of the
/// others there is one a level at most, the last: the tree's edge (edge.hpp).
///
/// With other `levels` or `leaf_slot` it is a part of a larger tree, which may end in several nodes or in lone ones, or a forest.
struct TreeLayout {
    std::uint64_t n_leaves;
    unsigned levels = static_cast<unsigned>(std::bit_width(n_leaves - 1));
    /// At least n, a multiple of 2^levels; level l begins at leaf_slot >> l.
    std::uint64_t leaf_slot = std::uint64_t{1} << levels;

    unsigned height() const noexcept { return levels; }
    /// Nodes of a level; 0 = leaves, height() = root.
    std::uint64_t level_size(unsigned level) const noexcept { return ((n_leaves - 1) >> level) + 1; }
    std::uint64_t whole_nodes(unsigned level) const noexcept { return n_leaves >> level; }
    /// Whether the last node of a level is not whole.
    bool has_edge(unsigned level) const noexcept { return level_size(level) != whole_nodes(level); }
    /// First slot of a level in heap order.
    std::uint64_t level_offset(unsigned level) const noexcept { return leaf_slot >> level; }
    /// Slots that heap order takes.
    std::uint64_t slots() const noexcept { return leaf_slot + n_leaves; }
    /// Slots of no node after a level above the leaves.
    std::uint64_t gap(unsigned level) const noexcept { return level_offset(level) - level_size(level); }
    /// Whether the last node of a level has no sibling.
    bool has_lone(unsigned level) const noexcept { return level < height() && level_size(level) % 2 != 0; }
    /// Nodes of all levels below `level`: where it begins in a file, which has the levels one after another, leaves first.
    std::uint64_t nodes_below(unsigned level) const noexcept {
        std::uint64_t sum = 0;
        for (unsigned l = 0; l < level; l++) sum += level_size(l);
        return sum;
    }
    std::uint64_t nodes() const noexcept { return nodes_below(height() + 1); }
};

/// One launch of the subtree kernel: builds levels from+1 .. from+levels above the nodes first .. first+count-1 of level `from`.
struct Launch {
    unsigned from;
    unsigned levels;
    std::uint64_t first;  ///< a multiple of 2^levels, as count
    std::uint64_t count;
};

/// The launches that build the whole nodes, bottom up: pure data.
/// levels_above  how many levels a launch on n nodes shall build, at least 1
/// first_leaf    whole nodes above leaves before it alone are there already, and only a few of them are built again
std::vector<Launch> plan_tree(const TreeLayout& layout, const std::function<unsigned(std::uint64_t n)>& levels_above,
                              std::uint64_t first_leaf = 0);

}  // namespace merklize::runtime
