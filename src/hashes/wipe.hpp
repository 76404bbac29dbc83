#pragma once

#include <cstddef>
#include <cstring>

namespace merklize::runtime {

/// Zeroes memory that held a secret; the compiler may not drop it as a dead store.
inline void wipe(void* memory, std::size_t bytes) noexcept {
    std::memset(memory, 0, bytes);
    __asm__ volatile("" : : "r"(memory) : "memory");
}

}  // namespace merklize::runtime
