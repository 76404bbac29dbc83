#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "backends/sycl/device.hpp"

namespace merklize::sycl_plugin {

class Stream;

/// A block: USM of the library or of the caller, or host bytes that the device reaches.
class Memory {
public:
    enum class Owner { library, caller, host };

    Memory(Device& device, void* bytes, std::uint64_t size, Owner owner)
        : device(device), data(static_cast<char*>(bytes)), size(size), owner(owner) {}
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    /// Waits for the commands that use the block, because SYCL frees at once.
    ~Memory();

    /// Throws if `count` bytes from `offset` on are not all in the block, or if it is of another device.
    void require(const Device& on, std::uint64_t offset, std::uint64_t count, const char* doing) const;
    /// A command that uses the block was queued.
    void used_by(const Stream& stream, const ::sycl::event& command);

    Device& device;
    char* const data;
    const std::uint64_t size;
    const Owner owner;
    backends::MemoryLimit::Counted counted{};  // of a block of the library

private:
    std::mutex mutex_;
    std::map<const Stream*, ::sycl::event> last_uses_;  // commands of a stream end in order
};

Memory& of(mkz_memory* memory);

}  // namespace merklize::sycl_plugin
