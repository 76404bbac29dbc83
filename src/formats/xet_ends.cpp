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

// h after the 63 bytes before `at`, or after all bytes before it. Fewer than 63 do not matter, because a chunk has at
// least 8192 bytes.
std::uint64_t warm(std::span<const std::byte> data, std::size_t at) noexcept {
    std::uint64_t h = 0;
    for (std::size_t i = at - std::min(at, xet_memory - 1); i < at; i++) h = next(h, data[i]);
    return h;
}

}  // namespace

void find_xet_candidates(std::span<const std::byte> data, std::size_t first, std::size_t last,
                         std::vector<std::size_t>& out) {
    // One h is a dependency chain of a shift and an addition, 2 cycles a byte. Two chains over two halves are
    // interleaved, so that the number of instructions is the bound. Eight bytes a turn: 0.20 s/GiB on a core of Zen 5;
    // one chain takes 0.27, four 0.22, and the gathers of AVX-512 0.57.
    constexpr std::size_t turn = 8;
    const std::size_t half = (last - first) / 2 / turn * turn;
    const std::byte *low = data.data() + first, *high = low + half;
    std::uint64_t h_low = warm(data, first), h_high = warm(data, first + half);
    std::vector<std::size_t> found;  // in the upper half
    for (std::size_t i = 0; i < half; i += turn) {
#pragma GCC unroll 8
        for (std::size_t k = i; k < i + turn; k++) {
            h_low = next(h_low, low[k]);
            if (h_low < limit) [[unlikely]]
                out.push_back(first + k);
            h_high = next(h_high, high[k]);
            if (h_high < limit) [[unlikely]]
                found.push_back(first + half + k);
        }
    }
    for (std::size_t i = first + 2 * half; i < last; i++) {
        h_high = next(h_high, data[i]);
        if (h_high < limit) found.push_back(i);
    }
    out.insert(out.end(), found.begin(), found.end());
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
