// Merges: of pairs, and of subtrees level by level.
#include <algorithm>
#include <vector>

#include "jobs/progress.hpp"
#include "queue/device_call.hpp"

namespace merklize::runtime {
namespace {

void merge_on_device(DeviceCall& call, const MergeSubtrees& a) {
    const Range below = range_of(a.below), nodes = range_of(a.nodes);
    call.require_node_alignment(below);
    call.require_node_alignment(nodes);
    mkz_memory* constants = call.device().constants(a.hash);
    std::uint64_t n = a.n;
    const mkz_policy wanted = call.wanted(MKZ_KERNEL_MERGE_SUBTREES, a.hash, n);
    for (std::uint32_t level = 0; level < a.levels;) {
        // Each stretch of levels asks the tuning table again, because the narrow top of a tree needs another policy
        // than its wide bottom.
        const mkz_policy policy = call.filled(MKZ_KERNEL_MERGE_SUBTREES, a.hash, n - 1, wanted);
        // One launch of two levels reads the leaves, copies them and merges them.
        const bool keep = level == 0 && a.kept.pointer != nullptr;
        const std::uint32_t levels =
            keep ? std::min(a.levels, 2u) : std::clamp<std::uint32_t>(policy.levels_per_launch, 1, a.levels - level);
        const Range& in = level == 0 ? below : nodes;
        const std::uint64_t in_node = in.offset / 32 + a.offset[level], slot_0 = nodes.offset / 32;
        const Variant variant = call.keyed_variant(a.hash, a.mode, policy);
        if (keep) {
            const Range kept = range_of(a.kept);
            call.require_node_alignment(kept);
            const Kernel merge = call.kernel(variant, bodies::merge_keep);
            call.enqueue(merge, groups_of(divide_up(n, 4), policy, merge),
                         {in.memory, in_node, kept.memory, kept.offset / 32, nodes.memory, slot_0 + a.offset[1],
                          slot_0 + a.offset[levels], n / 2, levels, constants},
                         key_arguments(a.mode));
        } else if (levels == 1) {
            const Kernel merge = call.kernel(variant, bodies::merge_level);
            call.enqueue(merge, groups_of(n / 2, policy, merge),
                         {in.memory, in_node, nodes.memory, slot_0 + a.offset[level + 1], n / 2, constants},
                         key_arguments(a.mode));
        } else {
            const Kernel merge = call.kernel(variant, bodies::merge_subtree);
            call.enqueue(merge, n >> levels,
                         {in.memory, in_node, nodes.memory, slot_0, a.offset[level + 1], n, levels, constants},
                         key_arguments(a.mode));
        }
        n >>= levels;
        level += levels;
    }
}

// Merges subtrees of `part_levels` levels first, then the levels above them, and reports progress between them.
bool merge_in_parts(DeviceCall& call, const MergeSubtrees& a, std::uint32_t part_levels, const Tick& tick) {
    const std::uint64_t part = std::uint64_t{1} << part_levels;
    for (std::uint64_t first = 0; first < a.n; first += part) {
        MergeSubtrees subtree = a;
        subtree.levels = part_levels;
        subtree.n = part;
        for (std::uint32_t l = 0; l <= part_levels; l++) subtree.offset[l] += first >> l;
        subtree.kept.offset += Digest::size * first;
        merge_on_device(call, subtree);
        call.synchronize();
        if (!tick(static_cast<double>(first + part) / static_cast<double>(a.n))) return false;
    }
    MergeSubtrees top = a;
    top.below = a.nodes;
    top.kept = {};
    top.n >>= part_levels;
    top.levels -= part_levels;
    std::copy(a.offset + part_levels, a.offset + a.levels + 1, top.offset);
    merge_on_device(call, top);
    return true;
}

// The nodes are on the host. Leaves go up in pieces; all parents of a piece come down and are put into their levels.
bool merge_staged(DeviceCall& call, const MergeSubtrees& all, const Tick& tick) {
    MergeSubtrees a = all;
    // Pinned memory of the caller gets each level of a piece by a copy of its own. A large tree therefore has large
    // pieces, so that few copies carry most bytes (2^25 leaves on an H200: 24.6 ms with 64 MiB, 25.5 with 32, 28 with
    // 16).
    const bool straight =
        call.is_pinned(host_bytes(a.below), Digest::size) && call.is_pinned(host_bytes(a.nodes), Digest::size);
    constexpr std::uint64_t fewest_pieces = 16, largest = 4 * Staging::piece_bytes;
    const std::uint64_t bytes =
        straight ? std::clamp(Digest::size * a.n / fewest_pieces, Staging::piece_bytes, largest) : Staging::piece_bytes;
    const std::uint64_t most_nodes = bytes / Digest::size;
    constexpr std::uint32_t most_levels = 19;  // 2^19 nodes take piece_bytes
    const auto merges = static_cast<double>(a.n - (a.n >> a.levels));
    double before = 0;
    while (a.levels > 0) {
        const std::uint32_t levels = std::min(a.levels, most_levels);
        const std::uint64_t per_piece = std::min(a.n, most_nodes >> levels << levels);
        const auto first_of = [&](std::uint64_t piece) { return piece * per_piece; };
        const auto count_of = [&](std::uint64_t piece) { return std::min(per_piece, a.n - first_of(piece)); };
        Staging::Pipeline pipeline;
        pipeline.sizes = {Digest::size * per_piece, Digest::size * per_piece};
        // On the device, level l of the parents is at [count >> l, 2 (count >> l)): all levels are one contiguous
        // range.
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
            merge_on_device(call, part);
        };
        const double share = static_cast<double>(a.n - (a.n >> levels)) / merges;
        if (!call.run(divide_up(a.n, per_piece), pipeline, part_of(tick, before, share))) return false;
        before += share;
        // The level that was built last is the lowest level of the next round.
        a.below = a.nodes;
        std::copy(a.offset + levels, a.offset + a.levels + 1, a.offset);
        a.n >>= levels;
        a.levels -= levels;
    }
    return true;
}

}  // namespace

bool DeviceCall::launch(const MergeSubtrees& a, const Tick& tick) {
    if (a.nodes.on_device) {
        // A part must take some milliseconds, because each ends in narrow levels and a wait (2^25 leaves of blake3 on
        // an H100: 1.43 ms in parts of 2^22, else 1.10).
        const std::uint32_t part_levels = facts().is_cpu ? 14 : is_field(info(a.hash)) ? 23 : 27;
        if (tick && a.levels > part_levels) return merge_in_parts(*this, a, part_levels, tick);
        merge_on_device(*this, a);
        return !tick || tick(1);
    }
    std::byte* nodes = host_bytes(a.nodes);
    const std::uint64_t bytes = 32 * (a.offset[0] + a.n);
    // Between the levels of a part of a heap lie nodes of other parts, which other threads may be writing now.
    const bool is_whole = a.offset[0] == a.n;
    if (!facts().unified || !is_whole || reinterpret_cast<std::uintptr_t>(nodes) % 16 != 0 ||
        bytes > facts().max_allocation || a.below.pointer != a.nodes.pointer) {
        return merge_staged(*this, a, tick);
    }
    const Lease wrapped = wrap_host(nodes, bytes);
    MergeSubtrees on_device = a;
    on_device.below = on_device.nodes = wrapped.place();
    if (!launch(on_device, tick)) return false;
    copy_to_host(nodes, wrapped.place(), bytes);
    finish();
    return true;
}

bool DeviceCall::launch(const MergePairs& a, const Tick& tick) {
    const mkz_policy policy = chosen(MKZ_KERNEL_MERGE_PAIRS, a.hash, a.n);
    const Kernel merge = kernel(keyed_variant(a.hash, a.mode, policy), bodies::merge_pairs);
    mkz_memory* constants = device().constants(a.hash);
    const std::uint64_t bytes = 32 * a.n;
    return batch(
        a.n, {{a.left, 32, bytes}, {a.right, 32, bytes}, {a.out, 32, bytes}}, a.n,
        [&](std::uint64_t, std::uint64_t count, const std::vector<Range>& at) {
            const Lease from_left = aligned_to(at[0], 32, 32 * count), from_right = aligned_to(at[1], 32, 32 * count),
                        to = aligned_out(at[2], 32 * count);
            const Range left = range_of(from_left), right = range_of(from_right), out = range_of(to);
            enqueue(merge, groups_of(count, policy, merge),
                    {left.memory, left.offset / 32, right.memory, right.offset / 32, out.memory, out.offset / 32, count,
                     constants},
                    key_arguments(a.mode));
            return_out(at[2], out, 32 * count);
        },
        tick);
}

}  // namespace merklize::runtime
