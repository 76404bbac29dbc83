// Paths to the root.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "host/invalid.hpp"
#include "jobs/host_executor.hpp"
#include "queue/device_call.hpp"

namespace merklize::runtime {
namespace {

// The lists of all stages of merge_at, as its kernels read them, in one upload.
struct Paths {
    // One launch for `levels` levels, with a group for each segment of the list.
    struct Stage {
        std::uint32_t level, levels;
        std::uint64_t list, starts, segments;  // the first two: where they begin in `words`
    };
    std::vector<std::uint32_t> words;  // pads, if there are any, then lists and starts
    std::vector<Stage> stages;
};

// A segment has at most `most` nodes, so that no group works while the others wait. A stage takes as many levels as
// fit.
Paths paths_of(const MergeAt& a, std::size_t most) {
    Paths paths;
    if (a.odd_node == OddNode::pad) {
        paths.words.resize(8 * a.levels);
        std::memcpy(paths.words.data(), a.pads, 32 * std::size_t{a.levels});
    }
    std::size_t list = paths.words.size(), n = a.n;
    paths.words.insert(paths.words.end(), a.changed, a.changed + a.n);
    for (std::uint32_t level = 0; level < a.levels;) {
        std::uint32_t levels = a.levels - level;
        // Nodes `most` places apart must be in different segments, so they must differ above the stage's levels.
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

void merge_at_on_device(DeviceCall& call, const MergeAt& a) {
    const Range nodes = range_of(a.nodes);
    call.require_node_alignment(nodes);
    if (a.width > std::uint64_t{1} << 32) {
        invalid_call("updates on " + call.device().id() + " are of levels of at most 2^32 nodes, this one has " +
                     std::to_string(a.width));
    }
    mkz_policy policy = call.chosen(MKZ_KERNEL_MERGE_AT, a.hash, a.n);
    policy.lanes = 1;  // neighbours of a list are seldom neighbours in memory
    const Kernel merge = call.kernel(call.keyed_variant(a.hash, a.mode, policy), bodies::merge_at);
    // A level of a segment waits for the level below. So few nodes are spread over more groups, one node an item. Many
    // nodes keep all groups busy anyway, and go two an item in fewer stages.
    constexpr std::uint64_t many_segments = 64;
    const std::uint64_t one_each = merge.group_size;
    const Paths paths = paths_of(a, std::clamp<std::uint64_t>(a.n / many_segments, one_each, 2 * one_each));
    const Lease scratch = call.scratch(4 * paths.words.size());
    mkz_memory* lists = range_of(scratch).memory;
    call.send(scratch.place(), paths.words.data(), 4 * paths.words.size());
    mkz_memory* constants = call.device().constants(a.hash);
    for (const Paths::Stage& stage : paths.stages) {
        call.enqueue(merge, stage.segments,
                     {nodes.memory, nodes.offset / 32, a.first >> stage.level, ((a.width - 1) >> stage.level) + 1,
                      lists, stage.list, stage.starts, stage.levels, static_cast<std::uint32_t>(a.odd_node), lists,
                      std::uint64_t{stage.level}, constants},
                     key_arguments(a.mode));
    }
}

}  // namespace

void DeviceCall::launch(const MergeEdge& a) {
    const Range leaves = range_of(a.leaves), nodes = range_of(a.nodes);
    require_node_alignment(leaves);
    require_node_alignment(nodes);
    mkz_policy policy = chosen(MKZ_KERNEL_MERGE_AT, a.hash, 1);
    policy.lanes = 1;
    const Kernel merge = kernel(keyed_variant(a.hash, a.mode, policy), bodies::merge_edge);
    KeyWords padding;
    static_assert(sizeof padding == Digest::size);
    std::memcpy(&padding, a.padding.bytes.data(), sizeof padding);
    enqueue(merge, 1,
            {leaves.memory, leaves.offset / 32, nodes.memory, nodes.offset / 32, a.n, a.levels,
             static_cast<std::uint32_t>(a.odd_node), padding, device().constants(a.hash)},
            key_arguments(a.mode));
}

bool DeviceCall::launch(const MergeAt& a, const Tick& tick) {
    if (a.nodes.on_device) {
        merge_at_on_device(*this, a);
        return !tick || tick(1);
    }
    std::byte* nodes = host_bytes(a.nodes);
    const std::uint64_t bytes = 32 * (a.first + a.width);
    if (facts().unified && reinterpret_cast<std::uintptr_t>(nodes) % 16 == 0 && bytes <= facts().max_allocation) {
        const Lease wrapped = wrap_host(nodes, bytes);
        MergeAt on_device = a;
        on_device.nodes = wrapped.place();
        merge_at_on_device(*this, on_device);
        copy_to_host(nodes, wrapped.place(), bytes);
        finish();
        return !tick || tick(1);
    }
    // The device does not reach these nodes. Copying the pairs of each level there and back takes longer than merging
    // them here.
    return HostExecutor(threads()).launch(a, tick);
}

}  // namespace merklize::runtime
