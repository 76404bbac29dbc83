#include "runtime/plan.hpp"

#include <algorithm>
#include <bit>

namespace merklize::runtime {

std::vector<Launch> plan_tree(const TreeLayout& layout, const TreePolicy& policy) {
    std::vector<Launch> launches;
    for (unsigned level = 0; level < layout.height();) {
        const unsigned levels = std::min<unsigned>(policy.levels_per_launch, layout.height() - level);
        launches.push_back({level, levels});
        level += levels;
    }
    return launches;
}

}  // namespace merklize::runtime
