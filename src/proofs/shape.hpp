#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "jobs/jobs.hpp"
#include "levels/plan.hpp"
#include "merklize/proof.hpp"

namespace merklize::runtime {

// The nodes of a proof, their order and their count follow from counts and indices alone. Verification and all
// encodings take them from here.

/// Whether such a tree can exist. More leaves than any memory or file can hold are refused, so that no index arithmetic
/// overflows.
inline bool is_tree(std::uint64_t n_leaves, TreeRule rule) noexcept {
    constexpr std::uint64_t most = std::uint64_t{1} << 58;
    return n_leaves >= 1 && n_leaves <= most && rule <= TreeRule::duplicate_last &&
           (rule != TreeRule::perfect || std::has_single_bit(n_leaves));
}

/// Where a node's sibling comes from.
enum class Sibling : std::uint8_t {
    left,   ///< from the proof; to the left of the node
    right,  ///< from the proof; to the right of the node
    known,  ///< computed like the node; to the right of it
    copy,   ///< there is none; the parent is a copy of the node
    self,   ///< there is none; the node is merged with itself
};

/// Where the sibling of the node at `index` of a level below the root comes from.
inline Sibling sibling_of(std::uint64_t index, const TreeLayout& layout, unsigned level, TreeRule rule) noexcept {
    if (index % 2 != 0) return Sibling::left;
    if (index + 1 < layout.level_size(level)) return Sibling::right;
    switch (odd_node_of(rule)) {
        case OddNode::pad: return Sibling::right;
        case OddNode::duplicate: return Sibling::self;
        case OddNode::promote: break;
    }
    return Sibling::copy;
}

inline bool in_proof(Sibling sibling) noexcept { return sibling == Sibling::left || sibling == Sibling::right; }

/// Goes one level up from several nodes. Calls visit(sibling, i) for each parent, left to right; i is the place of its
/// child, or of its left child if both are there.
/// positions  in: of the nodes on the level, ascending; out: of their parents
template <class Visit>
void climb(std::vector<std::uint64_t>& positions, const TreeLayout& layout, unsigned level, TreeRule rule,
           Visit visit) {
    std::size_t parents = 0;
    for (std::size_t i = 0; i < positions.size();) {
        const std::uint64_t position = positions[i];
        Sibling sibling = sibling_of(position, layout, level, rule);
        if (sibling == Sibling::right && i + 1 < positions.size() && positions[i + 1] == position + 1)
            sibling = Sibling::known;
        visit(sibling, i);
        positions[parents++] = position / 2;
        i += sibling == Sibling::known ? 2 : 1;
    }
    positions.resize(parents);
}

/// Calls visit(in_old) for each node of a consistency proof, in order (RFC 9162, section 2.1.4.2). If in_old, the node
/// belongs to both trees and is merged on the left of the result so far; else it belongs to the new tree alone and is
/// merged on the right. If the old tree is not a node of the new one, both sides begin with the proof's first node,
/// which is not visited.
template <class Visit>
void walk_consistency(std::uint64_t old_leaves, std::uint64_t new_leaves, Visit visit) {
    std::uint64_t old_at = old_leaves - 1, new_at = new_leaves - 1;
    const auto up = [&](int levels) {
        old_at >>= levels;
        new_at >>= levels;
    };
    up(std::countr_one(old_at));
    while (new_at != 0) {  // NOLINT(bugprone-infinite-loop): up() moves it
        const bool in_old = old_at % 2 != 0 || old_at == new_at;
        visit(in_old);
        if (in_old) up(std::countr_zero(old_at));  // an odd node of the old tree moves up unchanged
        up(1);
    }
}

/// Whether the old tree is a node of the new one. Then verification begins with the old root.
inline bool begins_with_old_root(std::uint64_t old_leaves) noexcept { return std::has_single_bit(old_leaves); }

/// The number of siblings or nodes in a proof. nullopt if there is no such proof: no such tree, or indices out of range
/// or out of order.
std::optional<std::uint64_t> siblings_of(std::uint64_t n_leaves, TreeRule rule, std::uint64_t index) noexcept;
/// cost  as verification without the merges.  errors  bad_alloc
std::optional<std::uint64_t> siblings_of(std::uint64_t n_leaves, TreeRule rule, std::span<const std::uint64_t> indices);
std::optional<std::uint64_t> consistency_nodes(std::uint64_t old_leaves, std::uint64_t new_leaves) noexcept;

/// Whether a MultiProof can have these indices: at least one, ascending, distinct, all below n_leaves.
bool are_indices(std::span<const std::uint64_t> indices, std::uint64_t n_leaves) noexcept;

}  // namespace merklize::runtime
