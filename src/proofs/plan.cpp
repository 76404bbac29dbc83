#include "proofs/plan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "host/invalid.hpp"
#include "host/threads.hpp"
#include "proofs/shape.hpp"

namespace merklize::runtime {

ProofSlots::ProofSlots(const TreeLayout& layout, TreeRule rule, std::span<const std::uint64_t> indices,
                       unsigned threads)
    : layout_(layout), rule_(rule) {
    // Cuts the leaves into parts of about equal size that share no node below the level `cut`.
    constexpr std::size_t fewest = 4096;
    constexpr unsigned top_levels = 10;
    const std::size_t n_parts = std::clamp<std::size_t>(indices.size() / fewest, 1, threads);
    const unsigned cut = layout.height() - (n_parts == 1 ? 0 : std::min(top_levels, layout.height()));
    for (std::size_t part = 1, begin = 0; part <= n_parts; part++) {
        std::size_t end = std::max(begin, indices.size() * part / n_parts);
        while (end < indices.size() && end > begin && indices[end] >> cut == indices[end - 1] >> cut) end++;
        if (begin != end) parts_.push_back({indices.subspan(begin, end - begin), 0, cut});
        begin = end;
    }
    parallel_for(parts_.size(), threads, [&](std::size_t part) { count(parts_[part]); });
    if (cut != layout.height()) {
        for (const std::uint64_t index : indices) {
            if (top_.empty() || top_.back() != index >> cut) top_.push_back(index >> cut);
        }
        parts_.push_back({top_, cut, layout.height()});
        count(parts_.back());
    }
    // The siblings of a level go part by part.
    for (unsigned level = 0; level < layout.height(); level++) {
        for (Part& part : parts_) {
            if (level < part.first || level >= part.last) continue;
            const std::size_t count = part.places[level - part.first];
            part.places[level - part.first] = size_;
            size_ += count;
        }
    }
    slots_ = std::make_unique_for_overwrite<std::uint64_t[]>(size_);
}

// The level on which the paths of two neighbours meet follows from the bits of their indices, so counting needs no walk
// up the tree.
void ProofSlots::count(Part& part) const {
    std::array<std::size_t, 65> join{};  // pairs of neighbours, by the bits in which they differ
    for (std::size_t i = 1; i < part.nodes.size(); i++) join[std::bit_width(part.nodes[i - 1] ^ part.nodes[i])]++;
    std::size_t nodes = part.nodes.size();
    for (unsigned level = part.first; level < part.last; level++) {
        const std::size_t pairs = join[level - part.first + 1];
        const std::uint64_t last = part.nodes.back() >> (level - part.first);
        part.places.push_back(nodes - 2 * pairs - (in_proof(sibling_of(last, layout_, level, rule_)) ? 0 : 1));
        nodes -= pairs;
    }
}

// Branches on the indices would be mispredicted. So each node's sibling is written to a row, and the next sibling
// overwrites it if it is not wanted.
void ProofSlots::list(std::size_t which) {
    const Part& part = parts_[which];
    std::size_t n = part.nodes.size();
    const auto room = std::make_unique_for_overwrite<std::uint64_t[]>(2 * n);
    std::uint64_t *const above = room.get(), *const row = room.get() + n;
    const std::uint64_t* nodes = part.nodes.data();
    for (unsigned level = part.first; level < part.last; level++) {
        const std::uint64_t offset = layout_.level_offset(level), last = nodes[n - 1];
        std::uint64_t before = nodes[0];
        std::size_t siblings = 0, parents = 0;
        for (std::size_t i = 0; i + 1 < n; i++) {
            const std::uint64_t node = nodes[i];
            const bool is_right = (before ^ node) == 1, is_left = (node ^ nodes[i + 1]) == 1;
            row[siblings] = offset + (node ^ 1);
            siblings += static_cast<std::size_t>(!is_right) & static_cast<std::size_t>(!is_left);
            above[parents] = node / 2;
            parents += !is_right;
            before = node;
        }
        if ((before ^ last) != 1) {
            above[parents++] = last / 2;
            if (in_proof(sibling_of(last, layout_, level, rule_))) row[siblings++] = offset + (last ^ 1);
        }
        std::copy_n(row, siblings, slots_.get() + part.places[level - part.first]);
        nodes = above;
        n = parents;
    }
}

std::vector<NodeAt> consistency_proof_nodes(const TreeLayout& layout, TreeRule rule, std::uint64_t old_leaves) {
    if (rule != TreeRule::left_full)
        invalid_call("the rule must be 'left_full', not '" + std::string(rule_name(rule)) + "'");
    if (layout.n_leaves == 0) invalid_call("a tree without leaves proves nothing of an older one");
    if (old_leaves == 0 || old_leaves > layout.n_leaves) {
        invalid_call("old_leaves",
                     "must be 1 to " + std::to_string(layout.n_leaves) + ", got " + std::to_string(old_leaves));
    }
    std::vector<NodeAt> out;
    // The root of leaves first .. last-1. RFC 6962 writes it MTH(D[first:last]).
    const auto root_of = [](std::uint64_t first, std::uint64_t last) {
        const unsigned level = TreeLayout{last - first}.height();
        return NodeAt{level, first >> level};
    };
    std::uint64_t first = 0, last = layout.n_leaves;
    while (old_leaves != last) {
        const std::uint64_t middle = first + std::bit_floor(last - first - 1);
        if (old_leaves <= middle) {
            out.push_back(root_of(middle, last));
            last = middle;
        } else {
            out.push_back(root_of(first, middle));
            first = middle;
        }
    }
    if (first != 0) out.push_back(root_of(first, last));  // else this node is the old root itself
    std::ranges::reverse(out);
    return out;
}

}  // namespace merklize::runtime
