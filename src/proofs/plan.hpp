#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "levels/plan.hpp"
#include "merklize/tree_form.hpp"

namespace merklize::runtime {

/// The nodes that a proof has besides its leaves, in the proof's order. Pure data, for trees in memory and in files.

/// A node: its index within a level, 0 = leaves.
struct NodeAt {
    unsigned level;
    std::uint64_t index;
    bool operator==(const NodeAt&) const = default;
};

/// The siblings of a proof: each digest that the verifier cannot compute, level by level, left to right, as slots in
/// heap order. Under the rule pad, index level_size() of a level is the root of a subtree of padding, whose slot may
/// lie beyond the end of the level.
///
/// They are counted first and then listed in parts, so that other work can go on beside the lists.
class ProofSlots {
public:
    /// Counts the siblings.
    /// indices  at least one, ascending, distinct; they must stay
    ProofSlots(const TreeLayout& layout, TreeRule rule, std::span<const std::uint64_t> indices, unsigned threads);

    std::size_t size() const noexcept { return size_; }
    std::size_t parts() const noexcept { return parts_.size(); }
    /// Lists the slots of one part. Threads may list different parts at once.
    void list(std::size_t part);
    /// All slots, once all parts are listed.
    std::span<std::uint64_t> slots() noexcept { return {slots_.get(), size_}; }

private:
    // Some nodes of the level `first`, whose ancestors are followed up to the level `last`.
    struct Part {
        std::span<const std::uint64_t> nodes;
        unsigned first, last;
        std::vector<std::size_t> places{};  // where the siblings of each level go
    };
    void count(Part& part) const;

    TreeLayout layout_;
    TreeRule rule_;
    std::vector<std::uint64_t> top_;
    std::vector<Part> parts_;
    std::size_t size_ = 0;
    std::unique_ptr<std::uint64_t[]> slots_;
};

/// The node at a slot. The layout must be a whole tree's.
inline NodeAt node_at(const TreeLayout& layout, std::uint64_t slot) noexcept {
    const unsigned level = layout.height() + 1 - static_cast<unsigned>(std::bit_width(slot));
    return {level, slot - layout.level_offset(level)};
}

/// PROOF(old_leaves, D[n_leaves]) of RFC 6962, for prove_consistency().
/// errors  invalid_argument (a rule other than left_full, old_leaves beyond the tree)
std::vector<NodeAt> consistency_proof_nodes(const TreeLayout& layout, TreeRule rule, std::uint64_t old_leaves);

}  // namespace merklize::runtime
