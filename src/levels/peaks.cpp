#include "levels/peaks.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "hashes/merge_one.hpp"
#include "jobs/progress.hpp"
#include "levels/build.hpp"
#include "levels/merges.hpp"
#include "levels/plan.hpp"
#include "levels/right_edge.hpp"

namespace merklize::runtime {
namespace {

// Fewer leaves are merged one by one, which is quicker than a launch.
constexpr unsigned least_levels = 5;

// Gives the sink levels 1 to `levels` of a perfect subtree in heap order. Its first leaf is leaf `first` of the tree.
void give_levels(const Digest* slots, unsigned levels, std::uint64_t first, const NodeSink& sink) {
    if (!sink) return;
    for (unsigned level = 1; level <= levels; level++) {
        const std::uint64_t n = std::uint64_t{1} << (levels - level);
        sink(level, first >> level, {slots + n, n});
    }
}

}  // namespace

unsigned Peaks::next_level(std::uint64_t n) const noexcept {
    const auto most = static_cast<unsigned>(std::bit_width(n) - 1);
    return std::min(most, static_cast<unsigned>(std::countr_zero(n_leaves_)));
}

void Peaks::push(unsigned level, const Digest& root, const NodeSink& sink) {
    const std::uint64_t n = n_leaves_ + (std::uint64_t{1} << level);
    Digest node = root;
    for (; n_leaves_ >> level & 1; level++) {
        node = merge_one(form_.hash, peaks_[level], node, form_.mode);
        if (sink) sink(level + 1, n_leaves_ >> (level + 1), {&node, 1});
    }
    peaks_[level] = node;
    n_leaves_ = n;
}

void Peaks::push_leaves(std::span<const Digest> leaves, const RunOptions& options, const NodeSink& sink) {
    const std::size_t n = leaves.size();
    while (!leaves.empty()) {
        const unsigned levels = std::min(next_level(leaves.size()), Batch::levels);
        const std::uint64_t taken = std::uint64_t{1} << levels;
        if (levels < least_levels) {
            for (const Digest& leaf : leaves.first(taken)) push(0, leaf, sink);
        } else {
            const HostBlock block(Digest::size * 2 * taken);
            const std::span<Digest> nodes(static_cast<Digest*>(block.data()), 2 * taken);
            std::ranges::copy(leaves.first(taken), nodes.begin() + static_cast<std::ptrdiff_t>(taken));
            build_heap(nodes, form_,
                       part_of(options, 1 - static_cast<double>(leaves.size()) / static_cast<double>(n),
                               static_cast<double>(taken) / static_cast<double>(n)));
            give_levels(nodes.data(), levels, n_leaves_, sink);
            push(levels, nodes[1], sink);
        }
        leaves = leaves.subspan(taken);
    }
}

Digest Peaks::root(const NodeSink& sink) const {
    Merges merges(form_);
    merges.require_count(n_leaves_);
    if (n_leaves_ == 0) return empty_root();
    const TreeLayout layout{n_leaves_};
    if (!layout.has_edge(layout.height())) return peaks_[layout.height()];
    std::vector<Digest> peaks;
    for (unsigned level = 0; level < layout.height(); level++) {
        if (n_leaves_ >> level & 1) peaks.push_back(peaks_[level]);
    }
    const std::vector<Digest> edge = edge_above(layout, merges, peaks);
    unsigned level = layout.height() - static_cast<unsigned>(edge.size());
    for (const Digest& node : edge) {
        level++;
        if (sink) sink(level, layout.whole_nodes(level), {&node, 1});
    }
    return edge.back();
}

void Batch::build(const TreeForm& form, const RunOptions& options) {
    build_heap({slots(), 2 * capacity}, form, options);
}

void Batch::push(Peaks& peaks, const NodeSink& sink) const {
    give_levels(slots(), levels, peaks.n_leaves(), sink);
    peaks.push(levels, slots()[1], sink);
}

}  // namespace merklize::runtime
