#include "queue/tree_launches.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "jobs/host_executor.hpp"
#include "jobs/progress.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {

void TreeLaunches::merge_on_device(const MergeSubtrees& a) {
    const Range below = range_of(a.below), nodes = range_of(a.nodes);
    kernels_.require_node_alignment(below);
    kernels_.require_node_alignment(nodes);
    mkz_memory* constants = kernels_.device().constants(a.hash);
    std::uint64_t n = a.n;
    const mkz_policy wanted = kernels_.wanted(MKZ_KERNEL_MERGE_SUBTREES, a.hash, n, a.policy);
    for (std::uint32_t level = 0; level < a.levels;) {
        // Each stretch of levels gets its own choice of the table's: the narrow top of a tree runs otherwise than its wide bottom.
        const mkz_policy policy = kernels_.filled(MKZ_KERNEL_MERGE_SUBTREES, a.hash, n - 1, wanted);
        // Leaves that are to be copied are read by a launch of their level alone.
        const bool keep = level == 0 && a.kept.pointer != nullptr;
        const std::uint32_t levels =
            keep ? 1 : std::clamp<std::uint32_t>(policy.levels_per_launch, 1, a.levels - level);
        const Range& in = level == 0 ? below : nodes;
        const std::uint64_t in_node = in.offset / 32 + a.offset[level], slot_0 = nodes.offset / 32;
        const Variant variant = Kernels::merge_variant(a.hash, a.mode, policy);
        const bool is_free = a.policy.group_size == 0;
        if (keep) {
            const Range kept = range_of(a.kept);
            kernels_.require_node_alignment(kept);
            const Kernel merge = kernels_.find(variant, bodies::merge_keep, is_free);
            kernels_.launch_merges(a.mode, merge, divide_up(n / 2, std::uint64_t{policy.lanes} * merge.group_size),
                                   in.memory, in_node, kept.memory, kept.offset / 32, nodes.memory,
                                   slot_0 + a.offset[level + 1], n / 2, constants);
        } else if (levels == 1) {
            const Kernel merge = kernels_.find(variant, bodies::merge_level, is_free);
            kernels_.launch_merges(a.mode, merge, divide_up(n / 2, std::uint64_t{policy.lanes} * merge.group_size),
                                   in.memory, in_node, nodes.memory, slot_0 + a.offset[level + 1], n / 2, constants);
        } else {
            const Kernel merge = kernels_.find(variant, bodies::merge_subtree, is_free);
            kernels_.launch_merges(a.mode, merge, n >> levels, in.memory, in_node, nodes.memory, slot_0,
                                   a.offset[level + 1], n, levels, constants);
        }
        n >>= levels;
        level += levels;
    }
}

// All at once, or in parts between which the caller is asked: subtrees first, then what is above them. A part takes some
// milliseconds, since each ends in narrow levels and a wait (2^25 leaves of blake3 on an H200: 1.43 ms in parts of 2^22, else 1.10).
bool TreeLaunches::merge_asking(const MergeSubtrees& a, const Tick& tick) {
    const std::uint32_t part_levels = facts().is_cpu ? 14 : is_field(info(a.hash)) ? 23 : 27;
    if (!tick || a.levels <= part_levels) {
        merge_on_device(a);
        return !tick || tick(1);
    }
    const std::uint64_t part = std::uint64_t{1} << part_levels;
    for (std::uint64_t first = 0; first < a.n; first += part) {
        MergeSubtrees subtree = a;
        subtree.levels = part_levels;
        subtree.n = part;
        for (std::uint32_t l = 0; l <= part_levels; l++) subtree.offset[l] += first >> l;
        subtree.kept.offset += Digest::size * first;
        merge_on_device(subtree);
        timeline_.synchronize();
        if (!tick(static_cast<double>(first + part) / static_cast<double>(a.n))) return false;
    }
    MergeSubtrees top = a;
    top.below = a.nodes;
    top.kept = {};
    top.n >>= part_levels;
    top.levels -= part_levels;
    std::copy(a.offset + part_levels, a.offset + a.levels + 1, top.offset);
    merge_on_device(top);
    return true;
}

// The nodes are on the host: a piece's leaves go up, all its parents come down and are put in their levels.
bool TreeLaunches::merge_staged(const MergeSubtrees& all, const Tick& tick) {
    MergeSubtrees a = all;
    // A piece's levels come down one by one into pinned memory of the caller's: large pieces of a large tree, so that most bytes are
    // in few copies (2^25 leaves on an H200: 24.6 ms with 64 MiB, 25.5 with 32, 28 with 16).
    const bool straight =
        staging_.is_pinned(host_bytes(a.below), Digest::size) && staging_.is_pinned(host_bytes(a.nodes), Digest::size);
    constexpr std::uint64_t fewest_pieces = 16, largest = 4 * Staging::piece_bytes;
    const std::uint64_t bytes =
        straight ? std::clamp(Digest::size * a.n / fewest_pieces, Staging::piece_bytes, largest) : Staging::piece_bytes;
    const std::uint64_t most_nodes = bytes / Digest::size;
    constexpr std::uint32_t most_levels = 19;  // 2^19 nodes are piece_bytes
    const auto merges = static_cast<double>(a.n - (a.n >> a.levels));
    double before = 0;
    while (a.levels > 0) {
        const std::uint32_t levels = std::min(a.levels, most_levels);
        const std::uint64_t per_piece = std::min(a.n, most_nodes >> levels << levels);
        const auto first_of = [&](std::uint64_t piece) { return piece * per_piece; };
        const auto count_of = [&](std::uint64_t piece) { return std::min(per_piece, a.n - first_of(piece)); };
        Staging::Pipeline pipeline;
        pipeline.sizes = {Digest::size * per_piece, Digest::size * per_piece};
        // On the device the parents' level l is at [count >> l, 2 (count >> l)): they lie in one range.
        pipeline.parts = [&](std::uint64_t piece, std::size_t buffer) {
            std::vector<Staging::HostPart> parts;
            for (std::uint32_t l = buffer; l <= (buffer == 0 ? 0 : levels); l++) {
                const std::uint64_t count = count_of(piece) >> l;
                const Place& level = l == 0 ? a.below : a.nodes;
                parts.push_back({host_bytes(level) + Digest::size * (a.offset[l] + (first_of(piece) >> l)),
                                 l == 0 ? 0 : Digest::size * count, Digest::size * count});
            }
            return parts;
        };
        pipeline.compute = [&](std::uint64_t piece, const Staging::Slot& slot) {
            const std::uint64_t count = count_of(piece);
            MergeSubtrees part = a;
            part.levels = levels;
            part.n = count;
            part.below = slot.block(0)->at(0);
            part.offset[0] = 0;
            part.nodes = slot.block(1)->at(0);
            for (std::uint32_t l = 1; l <= levels; l++) part.offset[l] = count >> l;
            merge_on_device(part);
        };
        const double share = static_cast<double>(a.n - (a.n >> levels)) / merges;
        if (!staging_.run(divide_up(a.n, per_piece), pipeline, part_of(tick, before, share))) return false;
        before += share;
        // What was built last is what is there now.
        a.below = a.nodes;
        std::copy(a.offset + levels, a.offset + a.levels + 1, a.offset);
        a.n >>= levels;
        a.levels -= levels;
    }
    return true;
}

bool TreeLaunches::merge_subtrees(const MergeSubtrees& a, const Tick& tick) {
    if (a.nodes.on_device) return merge_asking(a, tick);
    std::byte* nodes = host_bytes(a.nodes);
    const std::uint64_t bytes = 32 * (a.offset[0] + a.n);
    // Between the levels of a part of a heap are nodes of others, who may be writing them now.
    const bool is_whole = a.offset[0] == a.n;
    if (!facts().unified || !is_whole || reinterpret_cast<std::uintptr_t>(nodes) % 16 != 0 ||
        bytes > facts().max_allocation || a.below.pointer != a.nodes.pointer) {
        return merge_staged(a, tick);
    }
    const auto block = timeline_.wrap_host(nodes, bytes);
    MergeSubtrees on_device = a;
    on_device.below = on_device.nodes = block->at(0);
    if (!merge_asking(on_device, tick)) return false;
    timeline_.copy_to_host(nodes, block->at(0), bytes);
    timeline_.finish();
    return true;
}

// ---- Paths -----------------------------------------------------------------------------------------------------------

namespace {

// The lists of the stages of merge_at, as its kernels read them: one upload for all.
struct Paths {
    // `levels` levels by one launch, a group for each segment of the list.
    struct Stage {
        std::uint32_t level, levels;
        std::uint64_t list, starts, segments;  // the first two: where they begin in `words`
    };
    std::vector<std::uint32_t> words;  // fillers, if there are any, then lists and starts
    std::vector<Stage> stages;
};

// Segments have at most `most` nodes, so that no group works long while others wait; a stage takes as many levels as that allows.
Paths paths_of(const MergeAt& a, std::size_t most) {
    Paths paths;
    if (a.lone == Lone::pad) {
        paths.words.resize(8 * a.levels);
        std::memcpy(paths.words.data(), a.fillers, 32 * std::size_t{a.levels});
    }
    std::size_t list = paths.words.size(), n = a.n;
    paths.words.insert(paths.words.end(), a.changed, a.changed + a.n);
    for (std::uint32_t level = 0; level < a.levels;) {
        std::uint32_t levels = a.levels - level;
        // Nodes `most` places apart have to be of different segments: to differ above the stage's levels.
        for (std::size_t i = list; i + most < list + n; i++) {
            const auto differ = static_cast<std::uint32_t>(std::bit_width(paths.words[i] ^ paths.words[i + most]));
            levels = std::min(levels, differ - 1);
        }
        Paths::Stage stage{level, levels, list, list + n, 0};
        std::vector<std::uint32_t> above;
        for (std::size_t i = 0; i < n; i++) {
            const std::uint32_t top = levels < 32 ? paths.words[list + i] >> levels : 0;
            if (!above.empty() && above.back() == top) continue;
            above.push_back(top);
            paths.words.push_back(static_cast<std::uint32_t>(i));
        }
        paths.words.push_back(static_cast<std::uint32_t>(n));
        stage.segments = above.size();
        paths.stages.push_back(stage);
        list = paths.words.size();
        n = above.size();
        paths.words.insert(paths.words.end(), above.begin(), above.end());
        level += levels;
    }
    return paths;
}

}  // namespace

void TreeLaunches::merge_at_on_device(const MergeAt& a) {
    const Range nodes = range_of(a.nodes);
    kernels_.require_node_alignment(nodes);
    if (a.width > std::uint64_t{1} << 32) {
        throw Error(ErrorCode::invalid_argument, "tree: updates on " + kernels_.device().id() +
                                                     " are of levels of at most 2^32 nodes, this one has " +
                                                     std::to_string(a.width));
    }
    mkz_policy policy = kernels_.chosen(MKZ_KERNEL_MERGE_AT, a.hash, a.n, a.policy);
    policy.lanes = 1;  // neighbours of a list are seldom neighbours in memory
    const Kernel merge =
        kernels_.find(Kernels::merge_variant(a.hash, a.mode, policy), bodies::merge_at, a.policy.group_size == 0);
    // A level of a segment waits for the one below. So few nodes go one an item and to more groups; many keep all groups busy, and go
    // two an item in fewer stages.
    constexpr std::uint64_t many_segments = 64;
    const std::uint64_t one_each = merge.group_size;
    const Paths paths = paths_of(a, std::clamp<std::uint64_t>(a.n / many_segments, one_each, 2 * one_each));
    const auto lists = timeline_.scratch(4 * paths.words.size());
    staging_.send(lists->at(0), paths.words.data(), 4 * paths.words.size());
    mkz_memory* constants = kernels_.device().constants(a.hash);
    for (const Paths::Stage& stage : paths.stages) {
        kernels_.launch_merges(a.mode, merge, stage.segments, nodes.memory, nodes.offset / 32, a.first >> stage.level,
                               ((a.width - 1) >> stage.level) + 1, lists->memory(), stage.list, stage.starts,
                               stage.levels, static_cast<std::uint32_t>(a.lone), lists->memory(),
                               std::uint64_t{stage.level}, constants);
    }
}

void TreeLaunches::merge_edge(const MergeEdge& a) {
    const Range leaves = range_of(a.leaves), nodes = range_of(a.nodes);
    kernels_.require_node_alignment(leaves);
    kernels_.require_node_alignment(nodes);
    mkz_policy policy = kernels_.chosen(MKZ_KERNEL_MERGE_AT, a.hash, 1, a.policy);
    policy.lanes = 1;
    const Kernel merge =
        kernels_.find(Kernels::merge_variant(a.hash, a.mode, policy), bodies::merge_edge, a.policy.group_size == 0);
    KeyWords padding;
    static_assert(sizeof padding == Digest::size);
    std::memcpy(&padding, a.padding.bytes.data(), sizeof padding);
    kernels_.launch_merges(a.mode, merge, 1, leaves.memory, leaves.offset / 32, nodes.memory, nodes.offset / 32, a.n,
                           a.levels, static_cast<std::uint32_t>(a.lone), padding, kernels_.device().constants(a.hash));
}

bool TreeLaunches::merge_at(const MergeAt& a, const Tick& tick) {
    if (a.nodes.on_device) {
        merge_at_on_device(a);
        return !tick || tick(1);
    }
    std::byte* nodes = host_bytes(a.nodes);
    const std::uint64_t bytes = 32 * (a.first + a.width);
    if (facts().unified && reinterpret_cast<std::uintptr_t>(nodes) % 16 == 0 && bytes <= facts().max_allocation) {
        const auto block = timeline_.wrap_host(nodes, bytes);
        MergeAt on_device = a;
        on_device.nodes = block->at(0);
        merge_at_on_device(on_device);
        timeline_.copy_to_host(nodes, block->at(0), bytes);
        timeline_.finish();
        return !tick || tick(1);
    }
    // Nodes that the device does not reach: to bring each level's pairs there and back would take longer than to merge them here.
    return HostExecutor(threads_).launch(a, tick);
}

// ---- Nodes to the host -------------------------------------------------------------------------------------------------

void TreeLaunches::gather_nodes(const Place& nodes, const void* slots, std::uint32_t slot_words, std::uint64_t count,
                                void* out) {
    if (count == 0) return;
    const Range tree = range_of(nodes);
    kernels_.require_node_alignment(tree);
    const auto wanted = timeline_.scratch(4 * slot_words * count);
    const auto found = timeline_.scratch(32 * count);
    staging_.send(wanted->at(0), slots, 4 * slot_words * count);
    const Kernel gather = kernels_.find({.group_size = 256}, bodies::gather_nodes, true);
    timeline_.launch(gather, divide_up(count, gather.group_size), tree.memory, tree.offset / 32, wanted->memory(),
                     slot_words, count, found->memory());
    staging_.download(out, found->at(0), 32 * count);
}

void TreeLaunches::gather_nodes(const Place& nodes, const Place& slots, std::uint64_t n, const Place& out) {
    if (n == 0) return;
    const Range tree = range_of(nodes);
    kernels_.require_node_alignment(tree);
    // The kernel's lists begin where their blocks do.
    const auto is_whole = [&](const Range& range) { return range.offset == 0 && kernels_.is_aligned(range, 16); };
    Range list = range_of(slots), found = range_of(out);
    if (!is_whole(list)) {
        list = {timeline_.scratch(8 * n)->memory(), 0};
        timeline_.copy_on_device(list.place(), slots, 8 * n);
    }
    if (!is_whole(found)) found = {timeline_.scratch(32 * n)->memory(), 0};
    const Kernel gather = kernels_.find({.group_size = 256}, bodies::gather_nodes, true);
    timeline_.launch(gather, divide_up(n, gather.group_size), tree.memory, tree.offset / 32, list.memory,
                     std::uint32_t{2}, n, found.memory);
    if (found.memory != range_of(out).memory) timeline_.copy_on_device(out, found.place(), 32 * n);
}

void TreeLaunches::scatter_nodes(const Place& nodes, std::span<const std::uint64_t> slots, const void* values,
                                 const Place* old) {
    if (slots.empty()) return;
    const Range tree = range_of(nodes);
    kernels_.require_node_alignment(tree);
    const auto wanted = timeline_.scratch(slots.size_bytes()), fresh = timeline_.scratch(32 * slots.size());
    staging_.send(wanted->at(0), slots.data(), slots.size_bytes());
    staging_.send(fresh->at(0), values, 32 * slots.size());
    const std::uint64_t n = slots.size();
    if (old != nullptr) gather_nodes(nodes, wanted->at(0), n, *old);
    const Kernel scatter = kernels_.find({.group_size = 256}, bodies::scatter_nodes, true);
    timeline_.launch(scatter, divide_up(n, scatter.group_size), tree.memory, tree.offset / 32, wanted->memory(),
                     std::uint32_t{2}, n, fresh->memory());
}

}  // namespace merklize::runtime
