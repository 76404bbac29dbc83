#include "proofs/shape.hpp"

namespace merklize::runtime {

bool are_indices(std::span<const std::uint64_t> indices, std::uint64_t n_leaves) noexcept {
    if (indices.empty() || indices.back() >= n_leaves) return false;
    for (std::size_t i = 1; i < indices.size(); i++) {
        if (indices[i] <= indices[i - 1]) return false;
    }
    return true;
}

std::optional<std::uint64_t> siblings_of(std::uint64_t n_leaves, TreeRule rule, std::uint64_t index) noexcept {
    if (!is_tree(n_leaves, rule) || index >= n_leaves) return std::nullopt;
    const TreeLayout layout{n_leaves};
    std::uint64_t count = 0;
    for (unsigned level = 0; level < layout.height(); level++)
        count += in_proof(sibling_of(index >> level, layout, level, rule));
    return count;
}

std::optional<std::uint64_t> siblings_of(std::uint64_t n_leaves, TreeRule rule,
                                         std::span<const std::uint64_t> indices) {
    if (!is_tree(n_leaves, rule) || !are_indices(indices, n_leaves)) return std::nullopt;
    const TreeLayout layout{n_leaves};
    std::vector<std::uint64_t> positions(indices.begin(), indices.end());
    std::uint64_t count = 0;
    for (unsigned level = 0; level < layout.height(); level++)
        climb(positions, layout, level, rule, [&](Sibling sibling, std::size_t) { count += in_proof(sibling); });
    return count;
}

std::optional<std::uint64_t> consistency_nodes(std::uint64_t old_leaves, std::uint64_t new_leaves) noexcept {
    if (!is_tree(new_leaves, TreeRule::left_full) || old_leaves == 0 || old_leaves > new_leaves) return std::nullopt;
    if (old_leaves == new_leaves) return 0;
    std::uint64_t count = begins_with_old_root(old_leaves) ? 0 : 1;
    walk_consistency(old_leaves, new_leaves, [&](bool) { count++; });
    return count;
}

}  // namespace merklize::runtime
