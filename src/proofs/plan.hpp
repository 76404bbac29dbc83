#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "merklize/tree_form.hpp"
#include "levels/plan.hpp"

namespace merklize::runtime {

/// Which nodes a proof holds beside its leaves, in the proof's order: pure data, for trees in memory and in files alike.

/// A node: its index within a level, 0 = leaves.
struct NodeAt {
    unsigned level;
    std::uint64_t index;
    bool operator==(const NodeAt&) const = default;
};

/// The siblings on the way up from leaves, without what can be computed from them: level after level, left to right. Under the rule
/// pad index level_size() of a level is the root of a subtree of padding.
/// indices  ascending, no one twice, at least one
/// returns  slots of heap order, also where the tree has fewer nodes than a padded one
std::vector<std::uint64_t> proof_slots(const TreeLayout& layout, TreeRule rule, std::span<const std::uint64_t> indices,
                                       unsigned threads);

/// The node of a slot; of a whole tree's layout.
inline NodeAt node_at(const TreeLayout& layout, std::uint64_t slot) noexcept {
    const unsigned level = layout.height() + 1 - static_cast<unsigned>(std::bit_width(slot));
    return {level, slot - layout.level_offset(level)};
}

/// RFC 6962's PROOF(old_leaves, D[n_leaves]) of a tree of the rule left_full; 1 <= old_leaves <= n_leaves.
std::vector<NodeAt> consistency_proof_nodes(const TreeLayout& layout, std::uint64_t old_leaves);

}  // namespace merklize::runtime
