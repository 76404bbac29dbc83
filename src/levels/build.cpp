// The launches of a build, and build_tree().
#include "levels/build.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "calls/calibration.hpp"
#include "calls/enqueue.hpp"
#include "host/invalid.hpp"
#include "jobs/internals.hpp"
#include "levels/right_edge.hpp"
#include "tuning/policy.hpp"
#include "tuning/tuned_policies.hpp"

namespace merklize::runtime {
namespace {

// The policy for n leaves, or nodes of a level.
mkz_policy tuned(const Merges& merges, std::uint64_t n, const Run& run) {
    const mkz_backend& backend = *run.device().backend;
    const std::uint32_t device = run.device().index;
    const std::uint32_t hash = merges.info().unit;
    mkz_policy policy = run.policy();
    // One thread makes so few merges, and takes less time for them than for the question how many threads there are.
    const bool by_one = run.on_host() && n <= 32;
    // The tuned policies of the CPU were measured with all threads.
    if (by_one || !run.on_host() || run.options().threads == 0 || run.threads() == default_threads())
        policy = tuned_policy(backend, device, MKZ_KERNEL_MERGE_SUBTREES, hash, n, policy);
    backend.tune(device, MKZ_KERNEL_MERGE_SUBTREES, hash, std::max<std::uint64_t>(n, 2) - 1, by_one ? 1 : run.threads(),
                 &policy);
    return policy;
}

// The job for the right edge of a whole heap.
MergeEdge edge_job(const LevelAt& leaves, const Place& nodes, const TreeLayout& layout, const Merges& merges) {
    return {.hash = merges.hash(),
            .mode = merges.mode(),
            .leaves = at_node(leaves.place, leaves.first),
            .nodes = nodes,
            .n = layout.n_leaves,
            .levels = layout.height(),
            .odd_node = odd_node_of(merges.form().rule),
            .padding = merges.form().padding};
}

}  // namespace

Policy build_levels(const LevelAt& leaves, const Place& nodes, const TreeLayout& layout, Merges& merges, Run& run,
                    double share, Digest* top, std::uint64_t first_leaf, bool keep) {
    const mkz_policy policy = tuned(merges, layout.n_leaves, run);
    // A device call gets all levels and cuts them into launches itself, each with its own policy. Exception: with nodes
    // on the device and an incomplete root, the plan cuts, because only the plan knows which nodes no launch covers.
    const bool at_once = !run.on_host() && (!nodes.on_device || !layout.has_edge(layout.height()));
    const auto levels_above = [&](std::uint64_t n) -> unsigned {
        if (at_once) return max_levels;
        return run.on_host() ? policy.levels_per_launch : tuned(merges, n, run).levels_per_launch;
    };
    MergeSubtrees job{.hash = merges.hash(), .mode = merges.mode(), .nodes = nodes};
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
    if (keep && layout.n_leaves % 2 != 0) {  // no launch reads the last leaf
        copy_nodes(at_node(nodes, layout.leaf_slot + layout.n_leaves - 1),
                   at_node(leaves.place, leaves.first + layout.n_leaves - 1), 1, run);
    }
    if (run.enqueues()) {
        if (layout.has_edge(layout.height())) run.on_device().launch(edge_job(leaves, nodes, layout, merges));
        return from_seam(policy);
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
    return from_seam(policy);
}

namespace {

// The layout of the tree that has `slots` slots.
TreeLayout layout_of_slots(std::uint64_t slots) {
    const std::uint64_t leaf_slot = slots < 2 ? 0 : std::bit_floor(slots - 1);
    const TreeLayout layout{std::max<std::uint64_t>(slots - leaf_slot, 1)};
    if (layout.slots() != slots) {
        invalid_call("no tree has " + std::to_string(slots) +
                     " slots: n leaves take 2^ceil(log2 n) + n, for a power of two 2 n");
    }
    return layout;
}

Policy build_in_place(const Place& nodes, const TreeLayout& layout, const TreeForm& form, Run& run) {
    Merges merges(form);
    merges.require_count(layout.n_leaves);
    require_leaves(at_node(nodes, layout.leaf_slot), layout.n_leaves, merges, "leaves", run);
    clear_gaps(nodes, layout, run);
    return build_levels({nodes, layout.leaf_slot}, nodes, layout, merges, run);
}

}  // namespace

Policy build_heap(std::span<Digest> nodes, const TreeForm& form, const RunOptions& options) {
    const TreeLayout layout = layout_of_slots(nodes.size());
    const RunOptions here = chosen(options, Job::nodes, form.hash, Digest::size * layout.n_leaves, nodes.data());
    Run run(here);
    return build_in_place(host_place(nodes.data()), layout, form, run);
}

}  // namespace merklize::runtime

namespace merklize::inline v0 {

std::uint64_t heap_slots(std::uint64_t n_leaves) {
    const PublicCall entry("heap_slots");
    runtime::require_tree_size(n_leaves);
    return runtime::TreeLayout{n_leaves}.slots();
}

Policy build_tree(std::span<Digest> nodes, const TreeForm& form, const RunOptions& options) {
    const PublicCall entry("build_tree");
    runtime::require_no_look(form);
    return runtime::build_heap(nodes, form, options);
}

Event build_tree(const Stream& stream, const BuildTreeCall& call) {
    const PublicCall entry("build_tree");
    runtime::require_no_look(call.form);
    const runtime::TreeLayout layout = runtime::layout_of_slots(runtime::digests_in(call.nodes, "nodes"));
    runtime::require_on_stream(stream, {{runtime::Operand::Use::replaces, "nodes", call.nodes}});
    return runtime::enqueue(stream, call.policy, [&](runtime::Run& run) {
        runtime::build_in_place(runtime::place_of(call.nodes), layout, call.form, run);
    });
}

Policy build_tree(Buffer nodes, const TreeForm& form, const RunOptions& options) {
    const PublicCall entry("build_tree");
    runtime::require_no_look(form);
    const runtime::TreeLayout layout = runtime::layout_of_slots(runtime::digests_in(nodes, "nodes"));
    const RunOptions here = runtime::on_device_of(nodes, options);
    runtime::Run run(here);
    return runtime::build_in_place(runtime::place_of(nodes), layout, form, run);
}

}  // namespace merklize::inline v0
