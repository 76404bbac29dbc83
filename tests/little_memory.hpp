#pragma once

#include <cstdint>

#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "merklize/device.hpp"
#include "queue/device.hpp"

namespace support {

/// Bytes that the library has in use on the default device, which must have memory of its own.
inline std::uint64_t memory_in_use() {
    const auto& device = *merklize::runtime::state_of(merklize::Device()).opened();
    return device.driver().memory_in_use(device.index());
}

/// In its scope the default device has memory for so many bytes besides what is in use.
class LittleMemory {
public:
    explicit LittleMemory(std::uint64_t bytes) {
        merklize::Device().set_memory_limit(1);  // frees what is kept for later calls
        merklize::Device().set_memory_limit(memory_in_use() + bytes);
    }
    LittleMemory(const LittleMemory&) = delete;
    LittleMemory& operator=(const LittleMemory&) = delete;
    ~LittleMemory() { merklize::Device().set_memory_limit(0); }
};

}  // namespace support
