#include "runtime/proof_plan.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "merklize/error.hpp"
#include "runtime/proof_shape.hpp"

namespace merklize::runtime {

std::vector<NodeAt> proof_nodes(const TreeLayout& layout, TreeRule rule, std::span<const std::uint64_t> indices) {
    std::vector<NodeAt> out;
    std::vector<std::uint64_t> positions(indices.begin(), indices.end());
    for (unsigned level = 0; level < layout.height(); level++) {
        climb(positions, layout, level, rule, [&](Sibling sibling, std::size_t i) {
            if (in_proof(sibling)) out.push_back({level, positions[i] ^ 1});
        });
    }
    return out;
}

std::vector<NodeAt> consistency_proof_nodes(const TreeLayout& layout, std::uint64_t old_leaves) {
    std::vector<NodeAt> out;
    // The root of leaves first .. last-1: the part of the tree that RFC 6962 writes MTH(D[first:last]).
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
    if (first != 0) out.push_back(root_of(first, last));  // else it is the old root itself
    std::ranges::reverse(out);
    return out;
}

std::vector<std::uint64_t> ascending(std::span<const std::uint64_t> indices, std::uint64_t n_leaves,
                                     std::string_view what) {
    if (indices.empty()) throw Error(ErrorCode::invalid_argument, std::string(what) + ": no index");
    std::vector<std::uint64_t> sorted(indices.begin(), indices.end());
    std::ranges::sort(sorted);
    require_index(sorted.back(), n_leaves, what);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
        throw Error(ErrorCode::invalid_argument,
                    std::string(what) + ": index " + std::to_string(*twice) + " is there twice");
    }
    return sorted;
}

void require_index(std::uint64_t index, std::uint64_t n_leaves, std::string_view what) {
    if (index < n_leaves) return;
    throw Error(ErrorCode::invalid_argument, std::string(what) + ": index " + std::to_string(index) + " is not below " +
                                                 std::to_string(n_leaves) + ", the count of leaves");
}

}  // namespace merklize::runtime
