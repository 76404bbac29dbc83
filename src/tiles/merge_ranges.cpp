// merge_ranges(): the largest nodes in a range of leaves, of many trees level by level.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "calls/operands.hpp"
#include "calls/run.hpp"
#include "calls/side_by_side.hpp"
#include "host/host_block.hpp"
#include "host/invalid.hpp"
#include "merklize/error.hpp"
#include "merklize/tiles.hpp"

namespace merklize::inline v0 {
namespace {

using runtime::Lease;
using runtime::MergeRows;
using runtime::Place;

// The nodes [begin, end) of a level of `width` nodes that a tree's owner can make.
struct RangeLevel {
    std::uint64_t begin, end, width;

    bool is_root() const noexcept { return width == 1; }
    // Whether the first node has its sibling outside the range, and whether the last one has. The last node of a level
    // may have none.
    bool ends_left() const noexcept { return begin % 2 != 0; }
    bool ends_right() const noexcept { return end % 2 != 0 && end != width; }
    // The nodes that have parents in the range, and the range above.
    std::uint64_t merged_begin() const noexcept { return begin + (ends_left() ? 1 : 0); }
    std::uint64_t merged() const noexcept { return end - (ends_right() ? 1 : 0) - merged_begin(); }
    RangeLevel above() const noexcept {
        const std::uint64_t first = merged_begin() / 2;
        return {first, first + merged() / 2 + merged() % 2, width / 2 + width % 2};
    }
};

// Calls take(level, node) for each of the largest nodes of a range, and rise(level) before each step up.
template <class Take, class Rise>
void each_node(RangeLevel level, Take take, Rise rise) {
    for (unsigned height = 0; level.begin != level.end; height++) {
        if (level.is_root()) return take(height, level, level.begin);
        if (level.ends_left()) take(height, level, level.begin);
        if (level.ends_right()) take(height, level, level.end - 1);
        rise(level);
        level = level.above();
    }
}

std::vector<RangeNode> nodes_of(std::uint64_t first, std::uint64_t count, std::uint64_t total) {
    if (first > total || count > total - first) {
        invalid_call("there are " + std::to_string(total) + " leaves, got a range of " + std::to_string(count) +
                     " from leaf " + std::to_string(first) + " on");
    }
    std::vector<RangeNode> nodes;
    each_node(
        {first, first + count, total},
        [&](unsigned height, const RangeLevel&, std::uint64_t index) { nodes.push_back({height, index}); },
        [](const RangeLevel&) {});
    return nodes;
}

// The trees of a call.
struct Ranges {
    std::uint64_t trees, n, first, total, k;

    std::uint64_t leaf_bytes() const noexcept { return Digest::size * trees * n; }
    std::uint64_t out_bytes() const noexcept { return Digest::size * trees * k; }
};

// room(nodes): memory for so many nodes, where leaves and out are.
template <class Room>
void merge_all(runtime::Run& run, const Ranges& of, Place leaves, const Place& out, Room room) {
    std::uint64_t taken = 0, stride = of.n;
    auto here = room(0);  // the memory of `leaves`
    MergeRows step{.hash = Hash::blake3, .mode = {}, .rows = of.trees};
    each_node(
        {of.first, of.first + of.n, of.total},
        [&](unsigned, const RangeLevel& level, std::uint64_t index) {
            step.in = at_node(leaves, index - level.begin);
            step.in_stride = stride;
            step.pairs = 0;
            step.has_odd = true;
            step.out = at_node(out, taken++);
            step.out_stride = of.k;
            run.launch(step);
        },
        [&](const RangeLevel& level) {
            step.in = at_node(leaves, level.merged_begin() - level.begin);
            step.in_stride = stride;
            step.pairs = level.merged() / 2;
            step.has_odd = level.merged() % 2 != 0;
            stride = step.out_stride = step.out_nodes();
            if (stride == 0) return;
            auto next = room(of.trees * stride);
            step.out = next.place();
            run.launch(step);
            here = std::move(next);
            leaves = here.place();
        });
}

// Host memory of nodes.
struct HostNodes {
    runtime::HostBlock block{};
    Place place() const { return runtime::host_place(block.data()); }
};

void merge_on_host(const Ranges& of, std::span<const Digest> leaves, std::span<Digest> out, const RunOptions& options) {
    runtime::Run run(options);
    merge_all(run, of, runtime::host_place(leaves.data()), runtime::host_place(out.data()),
              [](std::uint64_t nodes) { return HostNodes{runtime::HostBlock(Digest::size * nodes)}; });
}

void merge_on_device(runtime::Run& run, const Ranges& of, const Place& leaves, const Place& out) {
    merge_all(run, of, leaves, out, [&](std::uint64_t nodes) {
        return nodes == 0 ? Lease() : run.on_device().scratch(Digest::size * nodes);
    });
}

Ranges read_ranges(std::uint64_t leaves, std::uint64_t trees, std::uint64_t first, std::uint64_t total,
                   std::uint64_t digests) {
    const std::uint64_t n = trees == 0 ? 0 : leaves / trees;
    if (n * trees != leaves) {
        invalid_call("leaves must be as many for each of " + std::to_string(trees) + " trees, got " +
                     std::to_string(leaves));
    }
    const std::uint64_t k = nodes_of(first, n, total).size();
    if (digests % (trees == 0 ? 1 : trees) != 0 || digests / (trees == 0 ? 1 : trees) != (trees == 0 ? 0 : k)) {
        invalid_call("out must have " + std::to_string(k) + " digests for each of " + std::to_string(trees) +
                     " trees, got " + std::to_string(digests));
    }
    return {trees, n, first, total, k};
}

}  // namespace

std::vector<RangeNode> range_nodes(std::uint64_t first, std::uint64_t count, std::uint64_t total) {
    const PublicCall entry("range_nodes");
    return nodes_of(first, count, total);
}

void merge_ranges(std::span<const Digest> leaves, std::uint64_t trees, std::uint64_t first, std::uint64_t total,
                  std::span<Digest> out, const RunOptions& options) {
    const PublicCall entry("merge_ranges");
    using Use = runtime::Operand::Use;
    const Ranges of = read_ranges(leaves.size(), trees, first, total, out.size());
    runtime::require_apart({{Use::writes, "out", std::as_bytes(out)}, {Use::reads, "leaves", std::as_bytes(leaves)}});
    const runtime::DeviceState& device = runtime::state_of(options.device);
    if (device.is_host() || !device.parts.empty()) return merge_on_host(of, leaves, out, options);
    try {
        runtime::Run run(options);
        if (out.empty()) return run.finish();
        runtime::DeviceCall& call = run.on_device();
        const Lease given = call.scratch(of.leaf_bytes()), found = call.scratch(of.out_bytes());
        call.upload(given.place(), leaves.data(), of.leaf_bytes());
        merge_on_device(run, of, given.place(), found.place());
        call.download(out.data(), found.place(), of.out_bytes());
        return run.finish();
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
    }
    merge_on_host(of, leaves, out, runtime::on_the_cpu(options));  // the device has no room for the leaves
}

void merge_ranges(const ConstBuffer& leaves, std::uint64_t trees, std::uint64_t first, std::uint64_t total, Buffer out,
                  const RunOptions& options) {
    const PublicCall entry("merge_ranges");
    using Use = runtime::Operand::Use;
    runtime::require_same_device(leaves, out);
    for (const std::uint64_t bytes : {leaves.size(), out.size()}) {
        if (bytes % Digest::size != 0)
            invalid_call("leaves and out must be multiples of 32 bytes, got " + std::to_string(bytes) + " bytes");
    }
    const Ranges of = read_ranges(leaves.size() / Digest::size, trees, first, total, out.size() / Digest::size);
    runtime::require_apart({{Use::writes, "out", out}, {Use::reads, "leaves", leaves}});
    const RunOptions here = runtime::on_device_of(out, options);
    runtime::Run run(here);
    if (!out.empty()) {
        runtime::DeviceCall& call = run.on_device();
        const Place given = runtime::place_of(leaves), to = runtime::place_of(out);
        call.require_node_alignment(runtime::range_of(given));
        call.require_node_alignment(runtime::range_of(to));
        merge_on_device(run, of, given, to);
    }
    run.finish();
}

}  // namespace merklize::inline v0
