#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "levels/plan.hpp"
#include "merklize/tree_form.hpp"

namespace merklize::runtime {

/// Which nodes a proof has besides its leaves, in the proof's order. Pure data, for trees in memory and in files.

/// A node: its index within a level, 0 = leaves.
struct NodeAt {
    unsigned level;
    std::uint64_t index;
    bool operator==(const NodeAt&) const = default;
};

/// The siblings on the way up from leaves that the verifier cannot compute, level by level, left to right. Under the
/// rule pad, index level_size() of a level is the root of a subtree of padding.
/// indices  at least one, ascending, distinct
/// returns  slots in heap order, which under the rule pad may lie beyond the end of a level
std::vector<std::uint64_t> proof_slots(const TreeLayout& layout, TreeRule rule, std::span<const std::uint64_t> indices,
                                       unsigned threads);

/// The node at a slot. The layout must be a whole tree's.
inline NodeAt node_at(const TreeLayout& layout, std::uint64_t slot) noexcept {
    const unsigned level = layout.height() + 1 - static_cast<unsigned>(std::bit_width(slot));
    return {level, slot - layout.level_offset(level)};
}

/// PROOF(old_leaves, D[n_leaves]) of RFC 6962, for a tree with the rule left_full. 1 <= old_leaves <= n_leaves.
std::vector<NodeAt> consistency_proof_nodes(const TreeLayout& layout, std::uint64_t old_leaves);

}  // namespace merklize::runtime
