#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

namespace merklize::runtime {

/// The shape of a tree of n leaves and where its nodes lie. A tree of no leaves has height 0 and no nodes. All of this
/// index arithmetic is here and nowhere else.
///
/// Heap order: root at 1, children of i at 2i and 2i+1, level l at [2^(height - l), 2^(height - l) + level_size(l)),
/// leaf k at 2^height + k. Slot 0 and the slots beyond the end of a level are unused.
///
/// A node is whole if it is above 2^level leaves. Under every rule a whole node is the merge of two whole nodes. At
/// most one node a level, the last, is not whole: these nodes are the tree's edge (right_edge.hpp).
///
/// With other `levels` or `leaf_slot` it is a forest or a part of a larger tree; a part may end in several nodes or in
/// odd nodes.
struct TreeLayout {
    std::uint64_t n_leaves;
    unsigned levels = n_leaves == 0 ? 0 : static_cast<unsigned>(std::bit_width(n_leaves - 1));
    /// At least n, and a multiple of 2^levels. Level l begins at leaf_slot >> l.
    std::uint64_t leaf_slot = std::uint64_t{1} << levels;

    unsigned height() const noexcept { return levels; }
    /// Nodes of a level. Level 0 has the leaves, level height() the root.
    std::uint64_t level_size(unsigned level) const noexcept {
        return n_leaves == 0 ? 0 : ((n_leaves - 1) >> level) + 1;
    }
    std::uint64_t whole_nodes(unsigned level) const noexcept { return n_leaves >> level; }
    /// Whether the last node of a level is not whole.
    bool has_edge(unsigned level) const noexcept { return level_size(level) != whole_nodes(level); }
    /// First slot of a level in heap order.
    std::uint64_t level_offset(unsigned level) const noexcept { return leaf_slot >> level; }
    /// Slots that the heap takes.
    std::uint64_t slots() const noexcept { return leaf_slot + n_leaves; }
    /// Unused slots after a level above the leaves.
    std::uint64_t gap(unsigned level) const noexcept { return level_offset(level) - level_size(level); }
    /// Whether the last node of a level has no sibling.
    bool has_odd_node(unsigned level) const noexcept { return level < height() && level_size(level) % 2 != 0; }
    /// Nodes of all levels below `level`. In a file, which has the levels one after another from the leaves on, `level`
    /// begins there.
    std::uint64_t nodes_below(unsigned level) const noexcept {
        std::uint64_t sum = 0;
        for (unsigned l = 0; l < level; l++) sum += level_size(l);
        return sum;
    }
    std::uint64_t nodes() const noexcept { return nodes_below(height() + 1); }
};

/// One launch of the subtree kernel: builds levels from+1 .. from+levels above the nodes first .. first+count-1 of
/// level `from`.
struct Launch {
    unsigned from;
    unsigned levels;
    std::uint64_t first;  ///< like count a multiple of 2^levels
    std::uint64_t count;
};

/// The launches that build the whole nodes, bottom up: pure data.
/// levels_above  gives the levels that a launch on n nodes must build, at least 1
/// first_leaf    whole nodes that are only above earlier leaves exist already; at most a few of them are built again
std::vector<Launch> plan_tree(const TreeLayout& layout, const std::function<unsigned(std::uint64_t n)>& levels_above,
                              std::uint64_t first_leaf = 0);

}  // namespace merklize::runtime
