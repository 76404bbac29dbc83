#include "formats/xet_ends.hpp"

#include <algorithm>

namespace merklize::runtime {
namespace {

constexpr std::uint64_t gear[256] = {
#include "formats/xet_constants.inc"
};

constexpr std::uint64_t limit = std::uint64_t{1} << 48;  // the top 16 bits are 0 below it

constexpr std::uint64_t next(std::uint64_t h, std::byte byte) noexcept {
    return (h << 1) + gear[static_cast<std::uint8_t>(byte)];
}

// h after the 63 bytes before `at`, or after as many as there are. Fewer make no candidate that counts: a chunk has 8192 bytes.
std::uint64_t warm(std::span<const std::byte> data, std::size_t at) noexcept {
    std::uint64_t h = 0;
    for (std::size_t i = at - std::min(at, xet_memory - 1); i < at; i++) h = next(h, data[i]);
    return h;
}

}  // namespace

void find_xet_candidates(std::span<const std::byte> data, std::size_t first, std::size_t last,
                         std::vector<std::size_t>& out) {
    // One h is a chain of a shift and an addition, 2 cycles a byte. Four of them, over four quarters, run side by side: what bounds
    // them is then the number of instructions.
    constexpr std::size_t quarters = 4;
    const std::size_t each = (last - first) / quarters;
    std::vector<std::size_t> found[quarters];
    std::uint64_t h[quarters];
    const std::byte* at[quarters];
    for (std::size_t q = 0; q < quarters; q++) {
        h[q] = warm(data, first + q * each);
        at[q] = data.data() + first + q * each;
    }
    std::uint64_t h0 = h[0], h1 = h[1], h2 = h[2], h3 = h[3];
    for (std::size_t i = 0; i < each; i++) {
        h0 = next(h0, at[0][i]);
        h1 = next(h1, at[1][i]);
        h2 = next(h2, at[2][i]);
        h3 = next(h3, at[3][i]);
        if (std::min(std::min(h0, h1), std::min(h2, h3)) < limit) [[unlikely]] {
            const std::uint64_t now[] = {h0, h1, h2, h3};
            for (std::size_t q = 0; q < quarters; q++)
                if (now[q] < limit) found[q].push_back(first + q * each + i);
        }
    }
    for (std::size_t i = first + quarters * each; i < last; i++) {
        h3 = next(h3, data[i]);
        if (h3 < limit) found[3].push_back(i);
    }
    for (const auto& one : found) out.insert(out.end(), one.begin(), one.end());
}

std::vector<std::size_t> xet_ends(std::size_t bytes, std::span<const std::size_t> candidates, bool is_last) {
    std::vector<std::size_t> ends;
    auto candidate = candidates.begin();
    for (std::size_t start = 0; start < bytes; start = ends.back()) {
        candidate =
            std::find_if(candidate, candidates.end(), [&](std::size_t i) { return i + 1 >= start + xet_least; });
        std::size_t end = start + xet_most;
        if (candidate != candidates.end()) end = std::min(end, *candidate + 1);
        if (end > bytes) {
            if (!is_last) break;
            end = bytes;
        }
        ends.push_back(end);
    }
    return ends;
}

}  // namespace merklize::runtime
