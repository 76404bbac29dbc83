#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "merklize/tree_form.hpp"
#include "runtime/plan.hpp"

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
std::vector<NodeAt> proof_nodes(const TreeLayout& layout, TreeRule rule, std::span<const std::uint64_t> indices);

/// RFC 6962's PROOF(old_leaves, D[n_leaves]) of a tree of the rule left_full; 1 <= old_leaves <= n_leaves.
std::vector<NodeAt> consistency_proof_nodes(const TreeLayout& layout, std::uint64_t old_leaves);

/// The indices in ascending order.
/// errors  invalid_argument (none, one twice, one beyond the leaves), the text beginning with `what`
std::vector<std::uint64_t> ascending(std::span<const std::uint64_t> indices, std::uint64_t n_leaves,
                                     std::string_view what);
/// errors  invalid_argument
void require_index(std::uint64_t index, std::uint64_t n_leaves, std::string_view what);

}  // namespace merklize::runtime
