#include "runtime/plan.hpp"

#include <algorithm>

namespace merklize::runtime {

std::vector<Launch> plan_tree(const TreeLayout& layout, const std::function<unsigned(std::uint64_t n)>& levels_above) {
    std::vector<Launch> launches;
    for (unsigned level = 0; level < layout.height() && layout.whole_nodes(level) > 1;) {
        const std::uint64_t n = layout.whole_nodes(level);
        const unsigned levels =
            std::min({levels_above(n), layout.height() - level, static_cast<unsigned>(std::bit_width(n)) - 1});
        std::uint64_t first = n >> levels << levels;
        launches.push_back({level, levels, 0, first});
        // What is left is less than one such subtree: smaller ones, a bit of the count each.
        for (unsigned smaller = levels - 1; smaller >= 1 && first < n; smaller--) {
            const std::uint64_t count = std::uint64_t{1} << smaller;
            if ((n & count) == 0) continue;
            launches.push_back({level, smaller, first, count});
            first += count;
        }
        level += levels;
    }
    return launches;
}

}  // namespace merklize::runtime
