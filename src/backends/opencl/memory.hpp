#pragma once

#include <cstdint>
#include <string>

#include "backends/opencl/device.hpp"

namespace merklize::opencl {

/// A block: a whole cl_mem, ours or the caller's.
struct Memory {
    Memory(Device& device, Handle<cl_mem> handle, std::uint64_t bytes, char* host = nullptr)
        : device(device), handle(std::move(handle)), bytes(bytes), host(host) {}

    Device& device;
    Handle<cl_mem> handle;
    std::uint64_t bytes;
    char* host;  // the address of the block's own bytes, if it is host memory

    /// Throws if `count` bytes from `offset` on are not all in the block, or if it is of another device.
    void require(const Device& on, std::uint64_t offset, std::uint64_t count, const char* doing) const;
    /// Whether `other` is the host's address of `offset`.
    bool is_own(const void* other, std::uint64_t offset) const { return host != nullptr && other == host + offset; }
};

Memory& of(mkz_memory* memory);

mkz_status allocate(std::uint32_t device, std::uint64_t bytes, mkz_memory** memory) noexcept;
mkz_status allocate_host(std::uint32_t device, std::uint64_t bytes, void** host) noexcept;
void release_host(std::uint32_t device, void* host) noexcept;
std::uint32_t is_pinned(std::uint32_t device, const void* host) noexcept;
mkz_status wrap(std::uint32_t device, void* native, std::uint64_t bytes, mkz_memory** memory) noexcept;
mkz_status wrap_host(std::uint32_t device, void* host, std::uint64_t bytes, mkz_memory** memory) noexcept;
void* native(mkz_memory* memory) noexcept;
std::uint32_t alignment(mkz_memory* memory) noexcept;
void release(std::uint32_t device, mkz_memory* memory) noexcept;

}  // namespace merklize::opencl
