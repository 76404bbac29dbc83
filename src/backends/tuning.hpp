#pragma once

#include <cstdint>

namespace merklize::backends {

/// Sets a value of mkz_tuning that the caller left open, which is 0.
inline void fill(std::uint32_t& value, std::uint32_t from) noexcept {
    if (value == 0) value = from;
}

}  // namespace merklize::backends
