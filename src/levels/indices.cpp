#include "levels/indices.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "host/invalid.hpp"
#include "host/threads.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

struct Given {
    std::uint64_t index;
    std::size_t at;
};

std::uint64_t index_of(std::uint64_t index) { return index; }
std::uint64_t index_of(const Given& given) { return given.index; }

// A radix sort by the lowest bits, lowest digit first. A comparison sort would take most of the time of proofs and
// updates of 100,000 leaves.
// room  for as many items
template <class Item>
void radix_sort(std::span<Item> items, std::span<Item> room, int bits) {
    const int most = items.size() < 4096 ? 8 : 12;
    const int passes = (bits + most - 1) / most, digit_bits = passes == 0 ? 0 : (bits + passes - 1) / passes;
    std::span<Item> from = items, to = room;
    std::vector<std::size_t> next;
    for (int pass = 0; pass < passes; pass++) {
        const auto digit = [&](const Item& item) {
            return index_of(item) >> pass * digit_bits & ((std::size_t{1} << digit_bits) - 1);
        };
        next.assign(std::size_t{1} << digit_bits, 0);
        for (const Item& item : from) next[digit(item)]++;
        std::exclusive_scan(next.begin(), next.end(), next.begin(), std::size_t{0});
        for (const Item& item : from) to[next[digit(item)]++] = item;
        std::swap(from, to);
    }
    if (passes % 2 != 0) std::ranges::copy(from, to.begin());
}

// The same by several threads. Each puts a piece of the indices into buckets by their highest bits; then the buckets
// are sorted.
void parallel_sort(std::span<const std::uint64_t> indices, std::span<std::uint64_t> sorted, int bits,
                   unsigned threads) {
    constexpr int bucket_bits = 8;
    constexpr std::size_t n_buckets = std::size_t{1} << bucket_bits;
    const int shift = std::max(0, bits - bucket_bits);
    const std::size_t n = indices.size(), pieces = std::min<std::size_t>(threads, 64);
    const auto piece = [&](std::size_t k) {
        return indices.subspan(n * k / pieces, n * (k + 1) / pieces - n * k / pieces);
    };
    std::vector<std::array<std::size_t, n_buckets>> places(pieces);
    parallel_for(pieces, threads, [&](std::size_t k) {
        std::array<std::size_t, n_buckets> count{};
        for (const std::uint64_t index : piece(k)) count[index >> shift]++;
        places[k] = count;
    });
    std::array<std::size_t, n_buckets + 1> begin{};
    for (std::size_t bucket = 0, place = 0; bucket < n_buckets; bucket++) {
        for (auto& of_piece : places) place += std::exchange(of_piece[bucket], place);
        begin[bucket + 1] = place;
    }
    parallel_for(pieces, threads, [&](std::size_t k) {
        std::array<std::size_t, n_buckets> next = places[k];
        for (const std::uint64_t index : piece(k)) sorted[next[index >> shift]++] = index;
    });
    const auto room = std::make_unique_for_overwrite<std::uint64_t[]>(n);
    constexpr std::size_t at_once = 8;
    parallel_for(n_buckets / at_once, threads, [&](std::size_t first) {
        for (std::size_t bucket = first * at_once; bucket < (first + 1) * at_once; bucket++) {
            const std::size_t at = begin[bucket], count = begin[bucket + 1] - at;
            radix_sort(sorted.subspan(at, count), std::span(room.get() + at, count), shift);
        }
    });
}

// The largest index. Throws if there is no such leaf.
std::uint64_t largest_of(std::span<const std::uint64_t> indices, std::uint64_t n_leaves) {
    const std::uint64_t largest = std::ranges::max(indices);
    require_index(largest, n_leaves);
    return largest;
}

void require_distinct(std::span<const std::uint64_t> sorted) {
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        invalid_call("leaf index " + std::to_string(*twice) + " is there twice");
}

}  // namespace

void require_index(std::uint64_t index, std::uint64_t n_leaves) {
    if (index < n_leaves) return;
    if (n_leaves == 0) invalid_call("the tree has no leaves, got leaf index " + std::to_string(index));
    invalid_call("leaf index must be below " + std::to_string(n_leaves) + ", got " + std::to_string(index));
}

std::vector<std::uint64_t> index_range(std::uint64_t first, std::uint64_t last, std::uint64_t n_leaves) {
    if (first >= last || last > n_leaves) {
        invalid_call("[first, last) must be a range of at least one leaf within " + std::to_string(n_leaves) +
                     " leaves, got [" + std::to_string(first) + ", " + std::to_string(last) + ")");
    }
    std::vector<std::uint64_t> indices(last - first);
    std::iota(indices.begin(), indices.end(), first);
    return indices;
}

std::vector<std::uint64_t> ascending(std::span<const std::uint64_t> indices, std::uint64_t n_leaves, unsigned threads) {
    constexpr std::size_t fewest = 32768;  // indices that several threads sort
    if (indices.empty()) return {};
    const auto bits = static_cast<int>(std::bit_width(largest_of(indices, n_leaves)));
    std::vector<std::uint64_t> sorted(indices.begin(), indices.end());
    if (!std::ranges::is_sorted(indices)) {
        if (threads > 1 && indices.size() >= fewest) {
            parallel_sort(indices, sorted, bits, threads);
        } else {
            std::vector<std::uint64_t> room(sorted.size());
            radix_sort<std::uint64_t>(sorted, room, bits);
        }
    }
    require_distinct(sorted);
    return sorted;
}

Ascending ascending_from(std::span<const std::uint64_t> indices, std::uint64_t n_leaves) {
    if (indices.empty()) return {};
    const auto bits = static_cast<int>(std::bit_width(largest_of(indices, n_leaves)));
    std::vector<Given> given(indices.size()), room(indices.size());
    for (std::size_t i = 0; i < given.size(); i++) given[i] = {indices[i], i};
    if (!std::ranges::is_sorted(indices)) radix_sort<Given>(given, room, bits);
    Ascending out{std::vector<std::uint64_t>(given.size()), std::vector<std::size_t>(given.size())};
    for (std::size_t i = 0; i < given.size(); i++) {
        out.indices[i] = given[i].index;
        out.given_at[i] = given[i].at;
    }
    require_distinct(out.indices);
    return out;
}

}  // namespace merklize::runtime
