// Changes of a tree in place: update() and append().
#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/invalid.hpp"
#include "levels/indices.hpp"
#include "merklize/error.hpp"
#include "trees/tree_state.hpp"

namespace merklize::inline v0 {

using runtime::at_node;
using runtime::host_place;
using runtime::OddNode;
using runtime::Place;
using runtime::TreeLayout;

namespace {

// Hashes the paths from changed leaves to the root.
Digest hash_paths(const Place& nodes, const TreeLayout& layout, std::span<const std::uint64_t> changed,
                  runtime::Merges& merges, runtime::Run& run) {
    if (layout.height() != 0) {
        std::vector<Digest> pads;
        const OddNode odd_node = runtime::odd_node_of(merges.form().rule);
        if (odd_node == OddNode::pad) {
            for (unsigned level = 0; level < layout.height(); level++) pads.push_back(merges.pad(level));
        }
        run.launch(runtime::MergeAt{.hash = merges.hash(),
                                    .mode = merges.mode(),
                                    .nodes = nodes,
                                    .first = layout.leaf_slot,
                                    .width = layout.n_leaves,
                                    .changed = changed.data(),
                                    .n = changed.size(),
                                    .levels = layout.height(),
                                    .odd_node = odd_node,
                                    .pads = pads.data()},
                   1);
    }
    Digest root;
    copy_nodes(host_place(&root), at_node(nodes, 1), 1, run);
    run.finish();
    return root;
}

}  // namespace

void MerkleTree::update(std::span<const std::uint64_t> indices, std::span<const Digest> leaves,
                        const RunOptions& options) {
    const PublicCall entry("update");
    State& state = *state_;
    runtime::require_no_policy(options);
    if (indices.size() != leaves.size()) {
        invalid_call("indices and leaves must have equal counts, got " + std::to_string(indices.size()) + " and " +
                     std::to_string(leaves.size()));
    }
    if (state.drop_levels != 0) invalid_call("the tree does not keep its leaves");
    if (indices.empty()) return;
    std::vector<Digest> copied;
    leaves = state.nodes.apart(leaves, copied);
    const RunOptions here = state.as_built(options);
    runtime::Run run(here);
    const std::vector<std::uint64_t> changed = runtime::ascending(indices, state.n_leaves, run.threads());
    runtime::Merges merges(state.form);
    require_leaves(host_place(leaves.data()), leaves.size(), merges, "leaves", run);
    std::vector<std::uint64_t> slots(indices.begin(), indices.end());
    for (std::uint64_t& slot : slots) slot += state.layout.leaf_slot;
    const Place nodes = state.nodes.place();
    std::vector<Digest> old(nodes.on_device ? 0 : slots.size());
    std::optional<Buffer> old_there;  // for a tree on a device, the old leaves there
    if (nodes.on_device) {
        old_there.emplace(state.device, leaves.size_bytes());
        const Place there = runtime::place_of(*old_there);
        run.on_device().scatter_nodes(nodes, slots, leaves.data(), &there);
    } else {
        gather_nodes(nodes, slots, old.data(), run);
    }
    state.nodes.changed();
    try {
        if (!nodes.on_device) scatter_nodes(nodes, slots, leaves.data(), run);
        state.root = hash_paths(nodes, state.layout, changed, merges, run);
        state.require_unambiguous();
    } catch (...) {
        run.abandon();
        // Puts the old leaves back and computes the old nodes.
        if (old_there) {
            old.resize(slots.size());
            old_there->copy_to(std::as_writable_bytes(std::span(old)));
        }
        const RunOptions quiet = state.as_built({});
        runtime::Run back(quiet);
        scatter_nodes(nodes, slots, old.data(), back);
        state.root = hash_paths(nodes, state.layout, changed, merges, back);
        throw;
    }
}

void MerkleTree::append(std::span<const Digest> leaves, const RunOptions& options) {
    const PublicCall entry("append");
    State& state = *state_;
    runtime::require_no_policy(options);
    if (state.form.rule != TreeRule::left_full) {
        invalid_call("the rule must be 'left_full', not '" + std::string(rule_name(state.form.rule)) + "'");
    }
    if (state.drop_levels != 0) invalid_call("the tree does not keep its leaves");
    if (leaves.empty()) return;
    std::vector<Digest> copied;
    leaves = state.nodes.apart(leaves, copied);
    runtime::Merges merges(state.form);
    const std::uint64_t before = state.n_leaves;
    merges.require_count(leaves.size());
    merges.require_count(before + leaves.size());
    const TreeLayout grown{before + leaves.size()};
    const RunOptions here = state.as_built(options);
    runtime::Run run(here);
    require_leaves(host_place(leaves.data()), leaves.size(), merges, "leaves", run);

    // If the old memory is too small or the levels move, new memory is taken, with room for a quarter more leaves.
    const bool moves = grown.height() != state.layout.height() || grown.slots() > state.nodes.slots();
    std::optional<runtime::NodeStore> larger;
    if (moves) {
        const std::uint64_t room = std::min(grown.n_leaves + grown.n_leaves / 4, grown.leaf_slot);
        larger.emplace(state.device, grown.leaf_slot + room);
        larger->clear_gaps(grown, run);
        for (unsigned level = 0; before != 0 && level <= state.layout.height(); level++) {
            copy_nodes(at_node(larger->place(), grown.level_offset(level)),
                       at_node(state.nodes.place(), state.layout.level_offset(level)), state.layout.level_size(level),
                       run);
        }
        run.finish();
    }
    const Place nodes = (moves ? *larger : state.nodes).place();
    const auto add = [&] {
        copy_nodes(at_node(nodes, grown.leaf_slot + before), host_place(leaves.data()), leaves.size(), run);
        // For a few leaves, only their paths are computed. Many leaves are built like a tree.
        constexpr std::size_t few = 1024;
        if (leaves.size() <= few) {
            std::vector<std::uint64_t> changed(leaves.size());
            std::iota(changed.begin(), changed.end(), before);
            return hash_paths(nodes, grown, changed, merges, run);
        }
        Digest root;
        build_levels({nodes, grown.leaf_slot}, nodes, grown, merges, run, 1, &root, before);
        return root;
    };
    state.nodes.changed();
    try {
        state.root = add();
    } catch (...) {
        run.abandon();
        if (!moves) {
            // Computes the old edge from the last old leaf.
            const RunOptions quiet = state.as_built({});
            runtime::Run back(quiet);
            const std::uint64_t last = before - 1;
            state.nodes.clear_gaps(state.layout, back);
            state.root = hash_paths(nodes, state.layout, {&last, 1}, merges, back);
        }
        throw;
    }
    if (moves) state.nodes = std::move(*larger);
    state.n_leaves = grown.n_leaves;
    state.layout = grown;
    state.source = {};
}

}  // namespace merklize::inline v0
