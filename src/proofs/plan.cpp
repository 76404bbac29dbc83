#include "proofs/plan.hpp"

#include <algorithm>
#include <bit>

#include "host/threads.hpp"
#include "proofs/shape.hpp"

namespace merklize::runtime {

namespace {

// The way up from one part of the leaves: the slots of its siblings, and where the siblings of each level end.
struct Climb {
    std::vector<std::uint64_t> positions;
    std::vector<std::uint64_t> slots{};
    std::vector<std::size_t> ends{};

    void up(const TreeLayout& layout, TreeRule rule, unsigned first_level, unsigned last_level) {
        slots.reserve(positions.size() * std::min(last_level - first_level, 8U));
        for (unsigned level = first_level; level < last_level; level++) {
            const std::uint64_t offset = layout.level_offset(level);
            climb(positions, layout, level, rule, [&](Sibling sibling, std::size_t i) {
                if (in_proof(sibling)) slots.push_back(offset + (positions[i] ^ 1));
            });
            ends.push_back(slots.size());
        }
    }
    std::span<const std::uint64_t> of_level(unsigned level) const {
        const std::size_t begin = level == 0 ? 0 : ends[level - 1];
        return std::span(slots).subspan(begin, ends[level] - begin);
    }
};

}  // namespace

std::vector<std::uint64_t> proof_slots(const TreeLayout& layout, TreeRule rule, std::span<const std::uint64_t> indices,
                                       unsigned threads) {
    // Cuts the leaves into parts of about equal size that share no node below the level `cut`.
    constexpr std::size_t fewest = 4096;
    constexpr unsigned top_levels = 10;
    const unsigned cut = layout.height() - std::min(top_levels, layout.height());
    const std::size_t n_parts = cut == 0 ? 1 : std::clamp<std::size_t>(indices.size() / fewest, 1, threads);
    std::vector<Climb> parts;
    for (std::size_t part = 1, begin = 0; part <= n_parts; part++) {
        std::size_t end = std::max(begin, indices.size() * part / n_parts);
        while (end < indices.size() && end > begin && indices[end] >> cut == indices[end - 1] >> cut) end++;
        const auto of_part = indices.subspan(begin, end - begin);
        if (!of_part.empty()) parts.push_back({{of_part.begin(), of_part.end()}});
        begin = end;
    }
    parallel_for(parts.size(), threads, [&](std::size_t part) { parts[part].up(layout, rule, 0, cut); });
    Climb top{};
    for (const Climb& part : parts)
        top.positions.insert(top.positions.end(), part.positions.begin(), part.positions.end());
    top.up(layout, rule, cut, layout.height());

    // The output goes level by level and, in a level, part by part. First the place of each, then all parts at once.
    std::vector<std::vector<std::size_t>> places(parts.size(), std::vector<std::size_t>(cut));
    std::size_t total = 0;
    for (unsigned level = 0; level < cut; level++) {
        for (std::size_t part = 0; part < parts.size(); part++) {
            places[part][level] = total;
            total += parts[part].of_level(level).size();
        }
    }
    std::vector<std::uint64_t> out(total + top.slots.size());
    std::ranges::copy(top.slots, out.begin() + static_cast<std::ptrdiff_t>(total));
    parallel_for(parts.size(), threads, [&](std::size_t part) {
        for (unsigned level = 0; level < cut; level++)
            std::ranges::copy(parts[part].of_level(level),
                              out.begin() + static_cast<std::ptrdiff_t>(places[part][level]));
    });
    return out;
}

std::vector<NodeAt> consistency_proof_nodes(const TreeLayout& layout, std::uint64_t old_leaves) {
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
