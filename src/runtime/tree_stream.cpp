#include "runtime/tree_stream.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "merklize/error.hpp"
#include "merklize/tree.hpp"
#include "runtime/field.hpp"
#include "runtime/merge_one.hpp"
#include "runtime/plan.hpp"

namespace merklize::runtime {
namespace {

// Below, merging one by one is quicker than a launch.
constexpr unsigned least_levels = 5;

// Levels 1 to `levels` of a perfect subtree in heap order, whose first leaf is leaf `first` of the tree.
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
        node = merge_one(form_.hash, form_.mode, peaks_[level], node);
        if (sink) sink(level + 1, n_leaves_ >> (level + 1), {&node, 1});
    }
    peaks_[level] = node;
    n_leaves_ = n;
}

void Peaks::push_leaves(std::span<const Digest> leaves, const RunOptions& options, const NodeSink& sink) {
    const std::size_t n = leaves.size();
    while (!leaves.empty()) {
        const unsigned levels = next_level(leaves.size());
        const std::uint64_t taken = std::uint64_t{1} << levels;
        if (levels < least_levels) {
            for (const Digest& leaf : leaves.first(taken)) push(0, leaf, sink);
        } else {
            const HostBlock block(Digest::size * 2 * taken);
            const std::span<Digest> nodes(static_cast<Digest*>(block.data()), 2 * taken);
            std::ranges::copy(leaves.first(taken), nodes.begin() + static_cast<std::ptrdiff_t>(taken));
            build_tree(nodes, form_, {},
                       part_of(options, 1 - static_cast<double>(leaves.size()) / static_cast<double>(n),
                               static_cast<double>(taken) / static_cast<double>(n)));
            give_levels(nodes.data(), levels, n_leaves_, sink);
            push(levels, nodes[1], sink);
        }
        leaves = leaves.subspan(taken);
    }
}

Digest Peaks::root(const NodeSink& sink) const {
    require_count(form_.rule, n_leaves_);
    const TreeLayout layout{n_leaves_};
    Digest edge{};  // the last node of a level, if it holds fewer leaves than the others
    bool has_edge = false;
    Digest filler = form_.padding;
    for (unsigned level = 0; level < layout.height(); level++) {
        const bool has_peak = n_leaves_ >> level & 1;
        if (has_edge && has_peak) {
            edge = merge_one(form_.hash, form_.mode, peaks_[level], edge);
        } else if (has_edge || has_peak) {
            const Digest lone = has_peak ? peaks_[level] : edge;
            if (form_.rule == TreeRule::pad) edge = merge_one(form_.hash, form_.mode, lone, filler);
            if (form_.rule == TreeRule::duplicate_last) edge = merge_one(form_.hash, form_.mode, lone, lone);
            if (form_.rule == TreeRule::left_full) edge = lone;
            has_edge = true;
        }
        if (has_edge && sink) sink(level + 1, n_leaves_ >> (level + 1), {&edge, 1});
        if (form_.rule == TreeRule::pad) filler = merge_one(form_.hash, form_.mode, filler, filler);
    }
    return has_edge ? edge : peaks_[layout.height()];
}

void Batch::build(const TreeForm& form, const RunOptions& options) {
    build_tree({slots(), 2 * capacity}, form, {}, options);
}

void Batch::push(Peaks& peaks, const NodeSink& sink) const {
    give_levels(slots(), levels, peaks.n_leaves(), sink);
    peaks.push(levels, slots()[1], sink);
}

void require_form(const TreeForm& form) {
    const HashTraits& hash = traits(form.hash);
    rule_name(form.rule);
    if (form.mode.flags() != 0 && form.hash != Hash::blake3) {
        throw Error(ErrorCode::invalid_argument,
                    "tree: a mode is for the hash blake3 alone, not for " + std::string(hash.name));
    }
    if (hash.is_field) require_canonical(form.padding.bytes.data(), 4, "tree: padding");
}

void require_count(TreeRule rule, std::uint64_t n_leaves) {
    if (n_leaves == 0) throw Error(ErrorCode::invalid_argument, "tree: it needs at least 1 leaf, got 0");
    if (rule == TreeRule::perfect && !std::has_single_bit(n_leaves)) {
        throw Error(ErrorCode::invalid_argument,
                    "tree: the rule perfect takes a power of two of leaves, got " + std::to_string(n_leaves));
    }
    if (n_leaves > UINT64_MAX / (4 * Digest::size)) {
        throw Error(ErrorCode::out_of_memory, "tree: too many leaves: " + std::to_string(n_leaves));
    }
}

RunOptions part_of(const RunOptions& options, double before, double share) {
    RunOptions part = options;
    part.timings = nullptr;
    if (options.progress) {
        part.progress = [&options, before, share](double done) { return options.progress(before + share * done); };
    }
    return part;
}

}  // namespace merklize::runtime
