#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace merklize::runtime {

/// errors  invalid_argument; the text begins with `what`
void require_index(std::uint64_t index, std::uint64_t n_leaves, std::string_view what);

/// Leaf indices in ascending order, no one twice.
/// errors  invalid_argument (one twice, one beyond the leaves); the text begins with `what`
/// cost    linear
std::vector<std::uint64_t> ascending(std::span<const std::uint64_t> indices, std::uint64_t n_leaves,
                                     std::string_view what);

/// The same, with where each was among those given.
struct Ascending {
    std::vector<std::uint64_t> indices;
    std::vector<std::size_t> given_at;
};
Ascending ascending_from(std::span<const std::uint64_t> indices, std::uint64_t n_leaves, std::string_view what);

}  // namespace merklize::runtime
