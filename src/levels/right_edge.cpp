#include "levels/right_edge.hpp"

#include <bit>
#include <cstdint>
#include <string>

#include "host/invalid.hpp"

namespace merklize::runtime {

std::vector<Digest> edge_above(const TreeLayout& layout, Merges& merges, std::span<const Digest> peaks) {
    std::vector<Digest> edge;
    std::size_t next = 0;
    for (unsigned level = 0; level < layout.height(); level++) {
        const bool has_peak = layout.whole_nodes(level) % 2 != 0;
        if (has_peak && !edge.empty()) {
            edge.push_back(merges.merge(peaks[next++], edge.back()));
        } else if (has_peak || !edge.empty()) {
            edge.push_back(merges.above_odd_node(has_peak ? peaks[next++] : edge.back(), level));
        }
    }
    return edge;
}

std::optional<Digest> build_edge(const LevelAt& leaves, const Place& nodes, const TreeLayout& layout, Merges& merges,
                                 Run& run) {
    if (!layout.has_edge(layout.height())) return std::nullopt;
    std::vector<std::uint64_t> slots;
    for (unsigned level = 1; level < layout.height(); level++) {
        const std::uint64_t whole = layout.whole_nodes(level);
        if (whole % 2 != 0) slots.push_back(layout.level_offset(level) + whole - 1);
    }
    const bool leaf_peak = layout.n_leaves % 2 != 0;
    std::vector<Digest> peaks(slots.size() + (leaf_peak ? 1 : 0));
    if (leaf_peak) {
        const std::uint64_t last = leaves.first + layout.n_leaves - 1;
        gather_nodes(leaves.place, {&last, 1}, peaks.data(), run);
    }
    gather_nodes(nodes, slots, peaks.data() + (leaf_peak ? 1 : 0), run);

    const std::vector<Digest> edge = edge_above(layout, merges, peaks);
    unsigned level = layout.height() + 1 - static_cast<unsigned>(edge.size());
    slots.clear();
    for (; level <= layout.height(); level++)
        slots.push_back(layout.level_offset(level) + layout.level_size(level) - 1);
    scatter_nodes(nodes, slots, edge.data(), run);
    return edge.back();
}

void require_unambiguous(const TreeLayout& layout,
                         const std::function<void(unsigned level, std::uint64_t first, std::span<Digest> out)>& read) {
    for (unsigned level = 0; level < layout.height(); level++) {
        const std::uint64_t n = layout.level_size(level);
        if (n % 2 != 0) continue;
        std::array<Digest, 2> last;
        read(level, n - 2, last);
        if (last[0] != last[1]) continue;
        invalid_call("the last two of the " + std::to_string(n) + " nodes of level " + std::to_string(level) +
                     " are equal, so a list without those below the last has the same root (CVE-2012-2459)");
    }
}

void require_no_look(const TreeForm& form) {
    if (is_looked_at(form))
        invalid_call(
            "of this form two lists of leaves may have one root (CVE-2012-2459); MerkleTree without dropped "
            "levels, tree files and merkle_root_file() look for that");
}

}  // namespace merklize::runtime
