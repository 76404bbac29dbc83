#include "trees/indices.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

[[noreturn]] void invalid(std::string_view what, const std::string& text) {
    throw Error(ErrorCode::invalid_argument, std::string(what) + ": " + text);
}

struct Given {
    std::uint64_t index;
    std::size_t at;
};

std::uint64_t index_of(std::uint64_t index) { return index; }
std::uint64_t index_of(const Given& given) { return given.index; }

// A radix sort, lowest digit first: a comparison sort would take most of the time of proofs and updates of 100,000
// leaves.
template <class Item>
void radix_sort(std::vector<Item>& items, std::uint64_t largest) {
    const int bits = static_cast<int>(std::bit_width(largest)), most = items.size() < 4096 ? 8 : 12;
    const int passes = (bits + most - 1) / most, digit_bits = passes == 0 ? 0 : (bits + passes - 1) / passes;
    std::vector<Item> sorted(items.size());
    std::vector<std::size_t> next;
    for (int pass = 0; pass < passes; pass++) {
        const auto digit = [&](const Item& item) {
            return index_of(item) >> pass * digit_bits & ((std::size_t{1} << digit_bits) - 1);
        };
        next.assign(std::size_t{1} << digit_bits, 0);
        for (const Item& item : items) next[digit(item)]++;
        std::exclusive_scan(next.begin(), next.end(), next.begin(), std::size_t{0});
        for (const Item& item : items) sorted[next[digit(item)]++] = item;
        items.swap(sorted);
    }
}

// The largest index, which must be a leaf's.
std::uint64_t largest_of(std::span<const std::uint64_t> indices, std::uint64_t n_leaves, std::string_view what) {
    const std::uint64_t largest = std::ranges::max(indices);
    require_index(largest, n_leaves, what);
    return largest;
}

void require_distinct(std::span<const std::uint64_t> sorted, std::string_view what) {
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        invalid(what, "leaf index " + std::to_string(*twice) + " is there twice");
}

}  // namespace

void require_index(std::uint64_t index, std::uint64_t n_leaves, std::string_view what) {
    if (index < n_leaves) return;
    invalid(what, "leaf index must be below " + std::to_string(n_leaves) + ", got " + std::to_string(index));
}

std::vector<std::uint64_t> ascending(std::span<const std::uint64_t> indices, std::uint64_t n_leaves,
                                     std::string_view what) {
    if (indices.empty()) return {};
    const std::uint64_t largest = largest_of(indices, n_leaves, what);
    std::vector<std::uint64_t> sorted(indices.begin(), indices.end());
    if (!std::ranges::is_sorted(sorted)) radix_sort(sorted, largest);
    require_distinct(sorted, what);
    return sorted;
}

Ascending ascending_from(std::span<const std::uint64_t> indices, std::uint64_t n_leaves, std::string_view what) {
    if (indices.empty()) return {};
    const std::uint64_t largest = largest_of(indices, n_leaves, what);
    std::vector<Given> given(indices.size());
    for (std::size_t i = 0; i < given.size(); i++) given[i] = {indices[i], i};
    if (!std::ranges::is_sorted(indices)) radix_sort(given, largest);
    Ascending out{std::vector<std::uint64_t>(given.size()), std::vector<std::size_t>(given.size())};
    for (std::size_t i = 0; i < given.size(); i++) {
        out.indices[i] = given[i].index;
        out.given_at[i] = given[i].at;
    }
    require_distinct(out.indices, what);
    return out;
}

}  // namespace merklize::runtime
