// Trees on a device: levels, ways up, and nodes brought to the host.
#include <algorithm>
#include <bit>
#include <cstring>

#include "jobs/keyed.hpp"
#include "jobs/registry.hpp"
#include "queue/enqueue.hpp"

namespace merklize::runtime {

void Session::require_node_alignment(const Range& nodes) const {
    if (is_aligned(nodes, 32)) return;
    throw Error(ErrorCode::invalid_argument,
                "tree: nodes on " + device_->id() + " must begin on 32 bytes; offset " + std::to_string(nodes.offset));
}

void Session::merge_on_device(const mkz_merge_subtrees& a) {
    const Range below{static_cast<mkz_memory*>(a.below.pointer), a.below.offset};
    const Range nodes{static_cast<mkz_memory*>(a.nodes.pointer), a.nodes.offset};
    require_node_alignment(below);
    require_node_alignment(nodes);
    mkz_memory* constants = device_->constants(a.hash);
    std::uint64_t n = a.n;
    const mkz_policy wanted = wanted_for(MKZ_KERNEL_MERGE_SUBTREES, a.hash, n, a.policy);
    for (std::uint32_t level = 0; level < a.levels;) {
        // Each stretch of levels gets its own choice of the table's: the narrow top of a tree runs otherwise than its wide bottom.
        const mkz_policy policy = filled(MKZ_KERNEL_MERGE_SUBTREES, a.hash, n - 1, wanted);
        const std::uint32_t levels = std::clamp<std::uint32_t>(policy.levels_per_launch, 1, a.levels - level);
        const Range& in = level == 0 ? below : nodes;
        const std::uint64_t in_node = in.offset / 32 + a.offset[level], slot_0 = nodes.offset / 32;
        const Variant variant = merge_variant(a, policy);
        const bool is_free = a.policy.group_size == 0;
        if (levels == 1) {
            const Kernel merge = kernel(variant, bodies::merge_level, is_free);
            enqueue_merges(a.key, merge, divide_up(n / 2, std::uint64_t{policy.lanes} * merge.group_size), in.memory,
                           in_node, nodes.memory, slot_0 + a.offset[level + 1], n / 2, constants);
        } else {
            const Kernel merge = kernel(variant, bodies::merge_subtree, is_free);
            enqueue_merges(a.key, merge, n >> levels, in.memory, in_node, nodes.memory, slot_0, a.offset[level + 1], n,
                           levels, constants);
        }
        n >>= levels;
        level += levels;
    }
}

// All at once, or in parts between which the caller is asked: subtrees first, then what is above them. A part takes some
// milliseconds, since each ends in narrow levels and a wait (2^25 leaves of blake3 on an H200: 1.43 ms in parts of 2^22, else 1.10).
bool Session::merge_asking(const mkz_merge_subtrees& a, const Tick& tick) {
    const std::uint32_t part_levels = device_->facts().is_cpu ? 14 : mkz_find_hash(a.hash)->modulus != 0 ? 23 : 27;
    if (!tick || a.levels <= part_levels) {
        merge_on_device(a);
        return !tick || tick(1);
    }
    const std::uint64_t part = std::uint64_t{1} << part_levels;
    for (std::uint64_t first = 0; first < a.n; first += part) {
        Keyed subtree(a);
        subtree.levels = part_levels;
        subtree.n = part;
        for (std::uint32_t l = 0; l <= part_levels; l++) subtree.offset[l] += first >> l;
        merge_on_device(subtree);
        synchronize();
        if (!tick(static_cast<double>(first + part) / static_cast<double>(a.n))) return false;
    }
    Keyed top(a);
    top.below = a.nodes;
    top.n >>= part_levels;
    top.levels -= part_levels;
    std::copy(a.offset + part_levels, a.offset + a.levels + 1, top.offset);
    merge_on_device(top);
    return true;
}

bool Session::merge_subtrees(const mkz_merge_subtrees& a, const Tick& tick) {
    if (a.nodes.on_device) return merge_asking(a, tick);
    const auto* nodes = static_cast<const std::byte*>(a.nodes.pointer) + a.nodes.offset;
    const std::uint64_t bytes = 32 * (a.offset[0] + a.n);
    // Between the levels of a part of a heap are nodes of others, who may be writing them now.
    const bool is_whole = a.offset[0] == a.n;
    if (!device_->facts().unified || !is_whole || reinterpret_cast<std::uintptr_t>(nodes) % 16 != 0 ||
        bytes > device_->facts().max_allocation || a.below.pointer != a.nodes.pointer) {
        return merge_host_subtrees(a, tick);
    }
    const auto block = Block::wrap_host(device_, const_cast<std::byte*>(nodes), bytes);
    in_flight_.push_back(block);
    Keyed on_device(a);
    on_device.below = on_device.nodes = block->at(0);
    if (!merge_asking(on_device, tick)) return false;
    copy_to_host(const_cast<std::byte*>(nodes), block->at(0), bytes);
    finish();
    return true;
}

// ---- Ways up -----------------------------------------------------------------------------------------------------------

namespace {

// The lists of the stages of merge_at, as its kernels read them: one upload for all.
struct WaysUp {
    // `levels` levels by one launch, a group for each segment of the list.
    struct Stage {
        std::uint32_t level, levels;
        std::uint64_t list, starts, segments;  // the first two: where they begin in `words`
    };
    std::vector<std::uint32_t> words;  // fillers, if there are any, then lists and starts
    std::vector<Stage> stages;
};

// Segments have at most `most` nodes, so that no group works long while others wait; a stage takes as many levels as that allows.
WaysUp ways_up(const mkz_merge_at& a, std::size_t most) {
    WaysUp ways;
    if (a.lone == MKZ_LONE_PAD) {
        ways.words.resize(8 * a.levels);
        std::memcpy(ways.words.data(), a.fillers, 32 * std::size_t{a.levels});
    }
    std::size_t list = ways.words.size(), n = a.n;
    ways.words.insert(ways.words.end(), a.changed, a.changed + a.n);
    for (std::uint32_t level = 0; level < a.levels;) {
        std::uint32_t levels = a.levels - level;
        // Nodes `most` places apart have to be of different segments: to differ above the stage's levels.
        for (std::size_t i = list; i + most < list + n; i++) {
            const auto differ = static_cast<std::uint32_t>(std::bit_width(ways.words[i] ^ ways.words[i + most]));
            levels = std::min(levels, differ - 1);
        }
        WaysUp::Stage stage{level, levels, list, list + n, 0};
        std::vector<std::uint32_t> above;
        for (std::size_t i = 0; i < n; i++) {
            const std::uint32_t top = levels < 32 ? ways.words[list + i] >> levels : 0;
            if (!above.empty() && above.back() == top) continue;
            above.push_back(top);
            ways.words.push_back(static_cast<std::uint32_t>(i));
        }
        ways.words.push_back(static_cast<std::uint32_t>(n));
        stage.segments = above.size();
        ways.stages.push_back(stage);
        list = ways.words.size();
        n = above.size();
        ways.words.insert(ways.words.end(), above.begin(), above.end());
        level += levels;
    }
    return ways;
}

}  // namespace

// Short lists go with the launches; for long ones pinned memory is worth the wait.
void Session::send(const std::shared_ptr<Block>& to, std::shared_ptr<const void> owner, const void* from,
                   std::uint64_t bytes) {
    constexpr std::uint64_t least_staged = 1 << 20;
    if (bytes >= least_staged) return upload(to->at(0), from, bytes);
    copy_to_device(to->at(0), from, bytes);
    sent_.push_back(std::move(owner));
}

void Session::merge_ways(const mkz_merge_at& a) {
    const Range nodes{static_cast<mkz_memory*>(a.nodes.pointer), a.nodes.offset};
    require_node_alignment(nodes);
    if (a.width > std::uint64_t{1} << 32) {
        throw Error(ErrorCode::invalid_argument, "tree: updates on " + device_->id() +
                                                     " are of levels of at most 2^32 nodes, this one has " +
                                                     std::to_string(a.width));
    }
    mkz_policy policy = tuned(MKZ_KERNEL_MERGE_AT, a.hash, a.n, a.policy);
    policy.lanes = 1;  // neighbours of a list are seldom neighbours in memory
    const Kernel merge = kernel(merge_variant(a, policy), bodies::merge_at, a.policy.group_size == 0);
    const auto ways = std::make_shared<const WaysUp>(ways_up(a, std::size_t{2} * merge.group_size));
    const auto lists = scratch(4 * ways->words.size());
    send(lists, ways, ways->words.data(), 4 * ways->words.size());
    mkz_memory* constants = device_->constants(a.hash);
    for (const WaysUp::Stage& stage : ways->stages) {
        enqueue_merges(a.key, merge, stage.segments, nodes.memory, nodes.offset / 32, a.first >> stage.level,
                       ((a.width - 1) >> stage.level) + 1, lists->memory(), stage.list, stage.starts, stage.levels,
                       static_cast<std::uint32_t>(a.lone), lists->memory(), std::uint64_t{stage.level}, constants);
    }
}

bool Session::merge_at(const mkz_merge_at& a, const Tick& tick) {
    if (a.nodes.on_device) {
        merge_ways(a);
        return !tick || tick(1);
    }
    std::byte* nodes = static_cast<std::byte*>(a.nodes.pointer) + a.nodes.offset;
    const std::uint64_t bytes = 32 * (a.first + a.width);
    if (device_->facts().unified && reinterpret_cast<std::uintptr_t>(nodes) % 16 == 0 &&
        bytes <= device_->facts().max_allocation) {
        const auto block = Block::wrap_host(device_, nodes, bytes);
        in_flight_.push_back(block);
        Keyed on_device(a);
        on_device.nodes = block->at(0);
        merge_ways(on_device);
        copy_to_host(nodes, block->at(0), bytes);
        finish();
        return !tick || tick(1);
    }
    // Nodes that the device does not reach: to bring each level's pairs there and back would take longer than to merge them here.
    return launch_on_host(MKZ_KERNEL_MERGE_AT, &a, threads_, tick);
}

// ---- Nodes to the host -------------------------------------------------------------------------------------------------

void Session::gather_nodes(mkz_place nodes, const void* slots, std::uint32_t slot_words, std::uint64_t count,
                           void* out) {
    if (count == 0) return;
    const Range tree{static_cast<mkz_memory*>(nodes.pointer), nodes.offset};
    require_node_alignment(tree);
    const auto wanted = scratch(4 * slot_words * count);
    const auto found = scratch(32 * count);
    upload(wanted->at(0), slots, 4 * slot_words * count);
    const Kernel gather = kernel({.group_size = 256}, bodies::gather_nodes, true);
    enqueue(gather, divide_up(count, gather.group_size), tree.memory, tree.offset / 32, wanted->memory(), slot_words,
            count, found->memory());
    download(out, found->at(0), 32 * count);
}

void Session::scatter_nodes(mkz_place nodes, std::span<const std::uint64_t> slots, const void* values) {
    if (slots.empty()) return;
    const Range tree{static_cast<mkz_memory*>(nodes.pointer), nodes.offset};
    require_node_alignment(tree);
    const auto wanted = scratch(slots.size_bytes()), fresh = scratch(32 * slots.size());
    upload(wanted->at(0), slots.data(), slots.size_bytes());
    upload(fresh->at(0), values, 32 * slots.size());
    const Kernel scatter = kernel({.group_size = 256}, bodies::scatter_nodes, true);
    enqueue(scatter, divide_up(slots.size(), scatter.group_size), tree.memory, tree.offset / 32, wanted->memory(),
            std::uint32_t{2}, std::uint64_t{slots.size()}, fresh->memory());
}

}  // namespace merklize::runtime
