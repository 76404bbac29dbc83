#include "levels/plan.hpp"

#include <algorithm>

namespace merklize::runtime {

std::vector<Launch> plan_tree(const TreeLayout& layout, const std::function<unsigned(std::uint64_t n)>& levels_above,
                              std::uint64_t first_leaf) {
    std::vector<Launch> launches;
    for (unsigned level = 0; level < layout.height() && layout.whole_nodes(level) > 1;) {
        const std::uint64_t n = layout.whole_nodes(level), there = first_leaf >> level;
        const unsigned levels =
            std::min({levels_above(n - there), layout.height() - level, static_cast<unsigned>(std::bit_width(n)) - 1});
        std::uint64_t first = there >> levels << levels;
        const auto add = [&](unsigned above, std::uint64_t count) {
            if (count != 0) launches.push_back({level, above, first, count});
            first += count;
        };
        add(levels, ((n - first) >> levels) << levels);
        // The rest is less than one such subtree. It is cut into smaller ones, one for each bit of the count.
        for (unsigned above = levels - 1; above >= 1; above--) add(above, (n - first) >> above << above);
        level += levels;
    }
    return launches;
}

}  // namespace merklize::runtime
