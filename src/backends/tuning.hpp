#pragma once

#include <cstdint>

namespace merklize::backends {

/// Sets a value of mkz_policy that the caller left open, which is 0.
inline void fill(std::uint32_t& value, std::uint32_t from) noexcept {
    if (value == 0) value = from;
}

/// Levels a launch of a field hash's tree on a processor, level of `n` nodes: one, until there are so few that groups of 64 items would
/// leave cores idle. 2^10 leaves take 0.55 of the time so, 2^12 0.86, 2^14 0.99 (Intel's runtimes 2026.0 on 2 cores).
constexpr std::uint32_t levels_on_processors(std::uint64_t n) noexcept { return n <= std::uint64_t{1} << 12 ? 8 : 1; }

}  // namespace merklize::backends
