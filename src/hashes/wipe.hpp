#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

namespace merklize::runtime {

/// Zeroes memory that held a secret; the compiler may not drop it as a dead store.
inline void wipe(void* memory, std::size_t bytes) noexcept {
    std::memset(memory, 0, bytes);
    __asm__ volatile("" : : "r"(memory) : "memory");
}

/// Bytes that the destructor wipes. Growth would leave copies behind, so reserve() first.
struct WipedBytes : std::vector<std::byte> {
    using vector::vector;
    WipedBytes(const WipedBytes&) = delete;
    WipedBytes& operator=(const WipedBytes&) = delete;
    ~WipedBytes() { wipe(data(), size()); }
};

}  // namespace merklize::runtime
