#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace merklize::runtime {

/// errors  invalid_argument
void require_index(std::uint64_t index, std::uint64_t n_leaves);

/// The leaf indices first, first + 1, ... last - 1.
/// errors  invalid_argument (none, or beyond the leaves)
std::vector<std::uint64_t> index_range(std::uint64_t first, std::uint64_t last, std::uint64_t n_leaves);

/// Sorts leaf indices in ascending order. They must be distinct.
/// errors  invalid_argument (an index that occurs twice or is beyond the leaves)
/// cost    linear
std::vector<std::uint64_t> ascending(std::span<const std::uint64_t> indices, std::uint64_t n_leaves, unsigned threads);

/// The same by one thread. Each index keeps its place among the given ones.
struct Ascending {
    std::vector<std::uint64_t> indices;
    std::vector<std::size_t> given_at;
};
Ascending ascending_from(std::span<const std::uint64_t> indices, std::uint64_t n_leaves);

}  // namespace merklize::runtime
