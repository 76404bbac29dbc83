// The launches of a build, and build_tree().
#include "levels/build.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "host/invalid.hpp"
#include "jobs/enqueue.hpp"
#include "jobs/internals.hpp"
#include "jobs/policy.hpp"
#include "levels/right_edge.hpp"
#include "tuning/calibration.hpp"
#include "tuning/tuned_policies.hpp"

namespace merklize::runtime {
RunOptions chosen_for_tree(const RunOptions& options, Hash hash, std::uint64_t n_leaves) {
    if (!state_of(options.device).chooses()) return options;
    return chosen(options, traits(hash).is_field ? Job::elements_tree : Job::bytes_tree, Digest::size * n_leaves);
}

namespace {

Policy tuned(const Policy& wanted, const Merges& merges, std::uint64_t n_leaves, const Run& run) {
    const mkz_backend& backend = *run.device().backend;
    const std::uint32_t device = run.device().index;
    const std::uint32_t hash = merges.info().unit;
    mkz_policy policy = to_seam(wanted);
    // The tuned policies of the CPU were measured with all threads.
    if (!run.on_host() || run.threads() == default_threads())
        policy = tuned_policy(backend, device, MKZ_KERNEL_MERGE_SUBTREES, hash, n_leaves, policy);
    backend.tune(device, MKZ_KERNEL_MERGE_SUBTREES, hash, std::max<std::uint64_t>(n_leaves, 2) - 1, run.threads(),
                 &policy);
    return from_seam(policy);
}

// Builds the whole nodes.
void build_whole(const LevelAt& leaves, const Place& nodes, const TreeLayout& layout, std::uint64_t first_leaf,
                 const Merges& merges, const Policy& wanted, const Policy& policy, Run& run, double share, bool keep) {
    // A device gets all levels at once: its queue cuts them into launches, each with its own policy. If the nodes are
    // on the device and the last one of the highest level is not whole, the cuts are made here, where it is known which
    // nodes fit no launch.
    const bool at_once = !run.on_host() && (!nodes.on_device || !layout.has_edge(layout.height()));
    const auto levels_above = [&](std::uint64_t n) -> unsigned {
        if (at_once) return max_levels;
        return run.on_host() ? policy.levels_per_launch : tuned(wanted, merges, n, run).levels_per_launch;
    };
    MergeSubtrees job{.hash = merges.hash(), .mode = merges.mode(), .nodes = nodes, .policy = to_seam(wanted)};
    for (const Launch& launch : plan_tree(layout, levels_above, first_leaf)) {
        job.levels = launch.levels;
        job.n = launch.count;
        job.below = launch.from == 0 ? leaves.place : nodes;
        for (unsigned l = 0; l <= launch.levels; l++)
            job.offset[l] = layout.level_offset(launch.from + l) + (launch.first >> l);
        job.kept = {};
        if (launch.from == 0) {
            job.offset[0] = leaves.first + launch.first;
            if (keep) job.kept = at_node(nodes, layout.leaf_slot + launch.first);
        }
        const std::uint64_t built = launch.count - (launch.count >> launch.levels);
        run.launch(job, share * static_cast<double>(built) / static_cast<double>(layout.n_leaves - first_leaf));
    }
}

Lone lone_by(TreeRule rule) {
    switch (rule) {
        case TreeRule::pad: return Lone::pad;
        case TreeRule::duplicate_last: return Lone::duplicate;
        case TreeRule::perfect:
        case TreeRule::left_full: break;
    }
    return Lone::promote;
}

// Of a whole heap.
MergeEdge edge_job(const LevelAt& leaves, const Place& nodes, const TreeLayout& layout, const Merges& merges,
                   const Policy& wanted) {
    return {.hash = merges.hash(),
            .mode = merges.mode(),
            .leaves = at_node(leaves.place, leaves.first),
            .nodes = nodes,
            .n = layout.n_leaves,
            .levels = layout.height(),
            .lone = lone_by(merges.form().rule),
            .padding = merges.form().padding,
            .policy = to_seam(wanted)};
}

}  // namespace

Policy build_levels(const LevelAt& leaves, const Place& nodes, const TreeLayout& layout, Merges& merges,
                    const Policy& wanted, Run& run, double share, Digest* top, std::uint64_t first_leaf, bool keep) {
    const Policy policy = tuned(wanted, merges, layout.n_leaves, run);
    build_whole(leaves, nodes, layout, first_leaf, merges, wanted, policy, run, share, keep);
    if (keep && layout.n_leaves % 2 != 0) {  // no launch reads the last leaf
        copy_nodes(at_node(nodes, layout.leaf_slot + layout.n_leaves - 1),
                   at_node(leaves.place, leaves.first + layout.n_leaves - 1), 1, run);
    }
    if (run.enqueues()) {
        if (layout.has_edge(layout.height())) run.memory().merge_edge(edge_job(leaves, nodes, layout, merges, wanted));
        return policy;
    }
    const std::optional<Digest> edge = build_edge(leaves, nodes, layout, merges, run);
    if (top != nullptr && edge) {
        *top = *edge;
    } else if (top != nullptr) {
        const Place at = layout.height() == 0 ? at_node(leaves.place, leaves.first)
                                              : at_node(nodes, layout.level_offset(layout.height()));
        copy_nodes(host_place(top), at, 1, run);
    }
    run.finish();
    return policy;
}

namespace {

// The layout of the tree that has `slots` slots.
TreeLayout layout_of_slots(std::uint64_t slots) {
    const std::uint64_t leaf_slot = slots < 2 ? 0 : std::bit_floor(slots - 1);
    const TreeLayout layout{std::max<std::uint64_t>(slots - leaf_slot, 1)};
    if (layout.slots() != slots) {
        invalid("build_tree: no tree has " + std::to_string(slots) +
                " slots: n leaves take 2^ceil(log2 n) + n, for a power of two 2 n");
    }
    return layout;
}

Policy build_in_place(const Place& nodes, const TreeLayout& layout, const TreeForm& form, Run& run) {
    Merges merges(form);
    merges.require_count(layout.n_leaves, "build_tree");
    require_leaves(at_node(nodes, layout.leaf_slot), layout.n_leaves, merges, "build_tree: leaves", run);
    clear_gaps(nodes, layout, run);
    return build_levels({nodes, layout.leaf_slot}, nodes, layout, merges, run.options().policy, run);
}

}  // namespace

}  // namespace merklize::runtime

namespace merklize::inline v0 {

std::uint64_t heap_slots(std::uint64_t n_leaves) {
    runtime::require_tree_size(n_leaves, "heap_slots");
    return runtime::TreeLayout{n_leaves}.slots();
}

Policy build_tree(std::span<Digest> nodes, const TreeForm& form, const RunOptions& options) {
    const runtime::TreeLayout layout = runtime::layout_of_slots(nodes.size());
    const RunOptions here = runtime::chosen_for_tree(options, form.hash, layout.n_leaves);
    runtime::Run run(here);
    return runtime::build_in_place(runtime::host_place(nodes.data()), layout, form, run);
}

Event build_tree(const Stream& stream, const BuildTreeCall& call) {
    const runtime::TreeLayout layout = runtime::layout_of_slots(runtime::digests_in(call.nodes, "build_tree: nodes"));
    runtime::require_on_stream("build_tree", stream, {{"nodes", call.nodes}});
    return runtime::enqueue(stream, call.policy, [&](runtime::Run& run) {
        runtime::build_in_place(runtime::place_of(call.nodes), layout, call.form, run);
    });
}

Policy build_tree(Buffer nodes, const TreeForm& form, const RunOptions& options) {
    const runtime::TreeLayout layout = runtime::layout_of_slots(runtime::digests_in(nodes, "build_tree: nodes"));
    const RunOptions here = runtime::on_device_of(nodes, options);
    runtime::Run run(here);
    return runtime::build_in_place(runtime::place_of(nodes), layout, form, run);
}

}  // namespace merklize::inline v0
