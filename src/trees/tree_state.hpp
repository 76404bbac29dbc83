#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "levels/build.hpp"
#include "merklize/tree.hpp"
#include "trees/node_store.hpp"

namespace merklize {

struct MerkleTree::State {
    State(const TreeForm& form, std::uint64_t n_leaves, unsigned drop_levels, const Device& device);

    TreeForm form;
    std::uint64_t n_leaves;
    unsigned drop_levels;
    runtime::TreeLayout layout;  ///< of the levels that are kept, whose lowest is its level 0
    Device device;
    runtime::NodeStore nodes;
    Digest root{};
    LeafSource source{};
    Policy policy{};

    unsigned height() const noexcept { return drop_levels + layout.height(); }
    /// Where the lowest level that is kept belongs.
    runtime::Place base() const { return runtime::at_node(nodes.place(), layout.leaf_slot); }
    /// The lowest level that is kept is there: builds the rest.
    void build_above(runtime::Run& run, double share);
    /// A level of the tree as one of `layout`.  errors  invalid_argument (above the root, or dropped)
    unsigned kept_level(unsigned level, const char* what) const;
    /// Of a call on this tree: on its device, whatever the caller's options name.
    RunOptions here(RunOptions options) const;
    RunOptions options() const { return here({}); }
    /// Nodes by their slots in the heap of the whole tree, as if no levels were dropped; those that are, from all the leaves. Slot 0
    /// gives zeros.
    void fetch(std::span<const std::uint64_t> slots, std::span<const Digest> leaves, const char* what,
               Digest* found) const;
    /// The same of siblings in proofs: slots beyond the end of a level give roots of padding. These become 0.
    void fetch_padded(std::vector<std::uint64_t>& slots, std::span<const Digest> leaves, const char* what,
                      Digest* found) const;
};

}  // namespace merklize
