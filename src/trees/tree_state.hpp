#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/invalid.hpp"
#include "levels/build.hpp"
#include "levels/node_store.hpp"
#include "merklize/tree.hpp"

namespace merklize::inline v0 {

struct MERKLIZE_LOCAL MerkleTree::State {
    /// entry  the public call that makes the tree, so that its errors have that name
    State(const PublicCall& entry, const TreeForm& form, std::uint64_t n_leaves, unsigned drop_levels,
          const Device& device);

    TreeForm form;
    std::uint64_t n_leaves;
    unsigned drop_levels;
    runtime::TreeLayout layout;  ///< of the kept levels: the lowest kept level is its level 0
    Device device;
    runtime::NodeStore nodes;
    Digest root{};
    LeafSource source{};
    Policy policy{};

    unsigned height() const noexcept { return drop_levels + layout.height(); }
    /// The place of the lowest kept level.
    runtime::Place base() const { return runtime::at_node(nodes.place(), layout.leaf_slot); }
    /// Builds the levels above the lowest kept one. That one must be in place, or is copied there from `leaves`.
    /// leaves  in the same memory as the nodes; on the CPU for nodes on the host
    void build_above(runtime::Run& run, double share, const runtime::Place& leaves = {});
    /// Looks at the nodes, if the form asks for that: TreeForm::unambiguous.
    void require_unambiguous() const;
    /// The number of a level in `layout`.  errors  invalid_argument (above the root, or dropped)
    unsigned kept_level(unsigned level) const;
    /// errors  invalid_argument (the nodes are on the host, where on_host() has them)
    void require_on_device(const char* on_host) const;
    /// The options of a call on this tree, which always runs on the tree's device.
    RunOptions here(RunOptions options) const;
    RunOptions options() const { return here({}); }
    /// The same with the policy that the tree was built with.
    RunOptions as_built(RunOptions options) const {
        options.policy = policy;
        return here(std::move(options));
    }
    /// Nodes by their slots in the heap of the whole tree, as if no levels were dropped. Dropped nodes are computed
    /// from `leaves`, which must then be all leaves. Slot 0 gives zeros.
    void fetch(std::span<const std::uint64_t> slots, std::span<const Digest> leaves, Digest* found) const;
    /// The same for siblings in proofs. Slots beyond the end of a level give roots of padding, and are set to 0.
    void fetch_padded(std::span<std::uint64_t> slots, std::span<const Digest> leaves, Digest* found) const;
};

}  // namespace merklize::inline v0
