// reduce_levels(), which keeps one level and no node below it, and merkle_root().
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "calls/calibration.hpp"
#include "calls/enqueue.hpp"
#include "calls/side_by_side.hpp"
#include "host/host_block.hpp"
#include "host/invalid.hpp"
#include "levels/build.hpp"
#include "levels/right_edge.hpp"
#include "merklize/error.hpp"
#include "merklize/tree.hpp"

namespace merklize::runtime {
namespace {

// Working memory on the run's device or on the host.
Lease scratch_nodes(std::uint64_t nodes, Run& run) {
    if (nodes == 0) return {};
    if (!run.device().is_host()) return run.on_device().scratch(Digest::size * nodes);
    auto block = std::make_shared<HostBlock>(Digest::size * nodes);
    const Place place = host_place(block->data());
    return Lease(place, std::move(block));
}

}  // namespace

void reduce_levels(const LevelAt& leaves, std::uint64_t n, unsigned levels, const TreeForm& form, unsigned below,
                   unsigned part, const Place& out, Run& run, double share) {
    if (levels > part) {
        // First the roots of the parts, then the levels above them.
        std::vector<Digest> roots(((n - 1) >> part) + 1);
        const double top_share = share * static_cast<double>(roots.size()) / static_cast<double>(n);
        reduce_levels(leaves, n, part, form, below, part, host_place(roots.data()), run, share - top_share);
        return reduce_levels({host_place(roots.data()), 0}, roots.size(), levels - part, form, below + part, part, out,
                             run, top_share);
    }
    Merges merges(form, below);
    const std::uint64_t per_part =
        std::min(std::uint64_t{1} << part, std::max(std::uint64_t{1} << levels, std::bit_ceil(n)));
    const bool to_upload = !run.device().is_host() && !leaves.place.on_device;
    const Lease above = scratch_nodes(per_part, run);
    const Lease uploaded = scratch_nodes(to_upload ? std::min(per_part, n) : 0, run);
    for (std::uint64_t first = 0; first < n; first += per_part) {
        const TreeLayout layout{std::min(per_part, n - first), levels, per_part};
        LevelAt at{leaves.place, leaves.first + first};
        if (to_upload) {
            if (!run.tick(0)) run.throw_cancelled();
            run.on_device().upload(uploaded.place(), host_bytes(at_node(at.place, at.first)),
                                   Digest::size * layout.n_leaves);
            at = {uploaded.place(), 0};
        }
        const Place to = at_node(out, first >> levels);
        // One node comes to the host by the wait that ends the build.
        const bool is_one = !to.on_device && layout.level_size(levels) == 1;
        build_levels(at, above.place(), layout, merges, run,
                     share * static_cast<double>(layout.n_leaves) / static_cast<double>(n),
                     is_one ? reinterpret_cast<Digest*>(host_bytes(to)) : nullptr);
        if (is_one) continue;
        copy_nodes(to, at_node(above.place(), layout.level_offset(levels)), layout.level_size(levels), run);
        run.finish();
    }
}

EnqueuedRoot::EnqueuedRoot(const ConstBuffer& leaves, const TreeForm& form, const char* argument, Run& run)
    : run_(run), merges_(form), n_(digests_in(leaves, argument)) {
    leaves_ = run.on_device().aligned_nodes(place_of(leaves), n_);
    at_ = {leaves_.place(), 0};
    require_leaves(at_.place, n_, merges_, argument, run);
    if (n_ > 1) nodes_ = run.on_device().scratch(Digest::size * TreeLayout{n_}.leaf_slot);
}

void EnqueuedRoot::build(const TreeLayout& layout) {
    build_levels(at_, nodes_.place(), layout, merges_, run_);
    at_ = {nodes_.place(), layout.level_offset(layout.height())};
    n_ = layout.level_size(layout.height());
}

Place EnqueuedRoot::finish() {
    if (n_ > 1) build({n_});
    return at_node(at_.place, at_.first);
}

namespace {

Digest root_of_leaves(const char* argument, const Place& leaves, std::uint64_t n, const TreeForm& form, Run& run) {
    require_leaves(leaves, n, Merges(form), argument, run);
    if (n == 0) return empty_root();
    const unsigned height = TreeLayout{n}.height();
    Digest root;
    if (height == 0) {
        copy_nodes(host_place(&root), leaves, 1, run);
        run.finish();
    } else {
        const bool whole = run.device().is_host() || leaves.on_device;
        reduce_levels({leaves, 0}, n, height, form, 0, whole ? height : part_levels, host_place(&root), run);
    }
    return root;
}

// Several devices share the subtrees. The host merges the nodes above them.
Digest root_by_several(const char* argument, std::span<const Digest> leaves, const TreeForm& form, Run& run) {
    const std::vector<Device>& devices = run.device().parts;
    const unsigned height = TreeLayout{leaves.size()}.height();
    const unsigned cut = std::min<unsigned>(height, cut_levels(std::bit_ceil(leaves.size()), devices));
    const unsigned levels = height - cut;
    if (cut == 0 || levels == 0) {
        RunOptions alone = run.options();
        alone.device = devices[0];
        Run one(alone);
        return root_of_leaves(argument, host_place(leaves.data()), leaves.size(), form, one);
    }
    require_leaves(host_place(leaves.data()), leaves.size(), Merges(form), argument, run);
    std::vector<Digest> roots(((leaves.size() - 1) >> levels) + 1);
    const auto subtrees = [&](std::uint64_t first_root, std::uint64_t count, const RunOptions& here) {
        const std::uint64_t first = first_root << levels;
        const std::uint64_t n = std::min<std::uint64_t>(count << levels, leaves.size() - first);
        Run part(here);
        reduce_levels({host_place(leaves.data()), first}, n, levels, form, 0,
                      part.device().is_host() ? levels : part_levels, host_place(roots.data() + first_root), part);
        return true;
    };
    run.progress().end(share_out(devices, run.options(), run.threads(), roots.size(), leaves.size_bytes(), subtrees,
                                 run.progress().begin(1)));
    const RunOptions on_cpu = on_the_cpu(run.options());
    Run top(on_cpu);
    Digest root;
    reduce_levels({host_place(roots.data()), 0}, roots.size(), cut, form, levels, cut, host_place(&root), top);
    return root;
}

}  // namespace

Digest root_of(const char* argument, std::span<const Digest> leaves, const TreeForm& form, const RunOptions& options) {
    const RunOptions here = chosen(options, Job::root, form.hash, leaves.size_bytes(), leaves.data());
    Run run(here);
    if (!run.device().parts.empty() && !leaves.empty()) return root_by_several(argument, leaves, form, run);
    return root_of_leaves(argument, host_place(leaves.data()), leaves.size(), form, run);
}

Digest root_of(const char* argument, const ConstBuffer& leaves, const TreeForm& form, const RunOptions& options) {
    const RunOptions here = on_device_of(leaves, options);
    Run run(here);
    const std::uint64_t n = leaves.size() / Digest::size;
    const Lease aligned = run.on_device().aligned_nodes(place_of(leaves), n);
    return root_of_leaves(argument, aligned.place(), n, form, run);
}

}  // namespace merklize::runtime

namespace merklize::inline v0 {
namespace {

using Use = runtime::Operand::Use;

}  // namespace

Digest merkle_root(std::span<const Digest> leaves, const TreeForm& form, const RunOptions& options) {
    const PublicCall entry("merkle_root");
    runtime::require_no_look(form);
    runtime::Merges(form).require_count(leaves.size());
    return runtime::root_of("leaves", leaves, form, options);
}

Event merkle_root(const Stream& stream, const MerkleRootCall& call) {
    const PublicCall entry("merkle_root");
    runtime::require_no_look(call.form);
    const std::uint64_t n = runtime::digests_in(call.leaves, "leaves");
    runtime::require_tree_size(n);
    runtime::Merges(call.form).require_count(n);
    runtime::require_bytes("out", call.out, Digest::size);
    // The root of one leaf is the leaf.
    const Use use = n == 1 ? Use::replaces : Use::writes;
    runtime::require_on_stream(stream, {{Use::reads, "leaves", call.leaves}, {use, "out", call.out}});
    const runtime::MemoryRange from(call.leaves), to(call.out);
    const bool is_there = n == 1 && from.block == to.block && from.begin == to.begin;
    return runtime::enqueue(stream, call.policy, [&](runtime::Run& run) {
        runtime::EnqueuedRoot root(call.leaves, call.form, "leaves", run);
        const runtime::Place found = root.finish();
        if (!is_there) runtime::copy_nodes(runtime::place_of(call.out), found, 1, run);
    });
}

Event gather_nodes(const Stream& stream, const GatherNodesCall& call) {
    const PublicCall entry("gather_nodes");
    const std::uint64_t n = runtime::digests_in(call.out, "out");
    runtime::digests_in(call.nodes, "nodes");
    runtime::require_bytes("slots", call.slots, sizeof(std::uint64_t) * n);
    runtime::require_on_stream(
        stream, {{Use::reads, "nodes", call.nodes}, {Use::reads, "slots", call.slots}, {Use::writes, "out", call.out}});
    return runtime::enqueue(stream, {}, [&](runtime::Run& run) {
        run.on_device().gather_nodes(runtime::place_of(call.nodes), runtime::place_of(call.slots), n,
                                     runtime::place_of(call.out));
    });
}

Digest merkle_root(const ConstBuffer& leaves, const TreeForm& form, const RunOptions& options) {
    const PublicCall entry("merkle_root");
    runtime::require_no_look(form);
    const std::uint64_t n = runtime::digests_in(leaves, "leaves");
    runtime::require_tree_size(n);
    runtime::Merges(form).require_count(n);
    return runtime::root_of("leaves", leaves, form, options);
}

}  // namespace merklize::inline v0
