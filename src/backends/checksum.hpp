#pragma once

#include <cstddef>
#include <cstdint>

namespace merklize {

/// FNV-1a, 64 bits. Each step is a bijection of the state, so no change of a single byte goes unnoticed.
inline std::uint64_t checksum(const void* bytes, std::size_t size) noexcept {
    std::uint64_t sum = 0xcbf29ce484222325;
    for (std::size_t i = 0; i < size; i++) {
        sum = (sum ^ static_cast<const std::uint8_t*>(bytes)[i]) * 0x100000001b3;
    }
    return sum;
}

}  // namespace merklize
