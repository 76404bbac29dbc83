#include "runtime/indices.hpp"

#include <algorithm>
#include <array>
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

// By digits, the lowest first: proofs and updates of a hundred thousand leaves would spend most of their time comparing.
void radix_sort(std::vector<Given>& given, std::uint64_t largest) {
    constexpr int digit_bits = 8;
    constexpr std::size_t digits = std::size_t{1} << digit_bits;
    std::vector<Given> sorted(given.size());
    for (int shift = 0; shift < static_cast<int>(std::bit_width(largest)); shift += digit_bits) {
        const auto digit = [shift](std::uint64_t index) { return index >> shift & (digits - 1); };
        std::array<std::size_t, digits> next{};
        for (const Given& each : given) next[digit(each.index)]++;
        std::exclusive_scan(next.begin(), next.end(), next.begin(), std::size_t{0});
        for (const Given& each : given) sorted[next[digit(each.index)]++] = each;
        given.swap(sorted);
    }
}

}  // namespace

void require_index(std::uint64_t index, std::uint64_t n_leaves, std::string_view what) {
    if (index < n_leaves) return;
    invalid(what, "leaf index must be below " + std::to_string(n_leaves) + ", got " + std::to_string(index));
}

Ascending ascending(std::span<const std::uint64_t> indices, std::uint64_t n_leaves, std::string_view what) {
    Ascending out;
    if (indices.empty()) return out;
    const std::uint64_t largest = std::ranges::max(indices);
    require_index(largest, n_leaves, what);
    out.given_at.resize(indices.size());
    std::iota(out.given_at.begin(), out.given_at.end(), std::size_t{0});
    out.indices.assign(indices.begin(), indices.end());
    if (!std::ranges::is_sorted(indices)) {
        std::vector<Given> given(indices.size());
        for (std::size_t i = 0; i < given.size(); i++) given[i] = {indices[i], i};
        radix_sort(given, largest);
        for (std::size_t i = 0; i < given.size(); i++) {
            out.indices[i] = given[i].index;
            out.given_at[i] = given[i].at;
        }
    }
    if (const auto twice = std::ranges::adjacent_find(out.indices); twice != out.indices.end())
        invalid(what, "leaf index " + std::to_string(*twice) + " is there twice");
    return out;
}

}  // namespace merklize::runtime
