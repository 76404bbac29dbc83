#pragma once

#include <cstdint>
#include <string>

#include "backends/opencl/device.hpp"

namespace merklize::opencl {

/// A block: a whole cl_mem, the library's or the caller's.
struct Memory {
    Memory(Device& device, Handle<cl_mem> handle, std::uint64_t bytes, char* host = nullptr)
        : device(device), handle(std::move(handle)), bytes(bytes), host(host) {}

    Device& device;
    backends::MemoryLimit::Counted counted{};  // of a block of allocate(); given back after the cl_mem
    Handle<cl_mem> handle;
    std::uint64_t bytes;
    char* host;  // the address of the block's own bytes, if it is host memory

    /// Throws if `count` bytes from `offset` on are not all in the block, or if it is of another device.
    void require(const Device& on, std::uint64_t offset, std::uint64_t count, const char* doing) const;
    /// Whether `other` is the host's address of `offset`.
    bool is_own(const void* other, std::uint64_t offset) const { return host != nullptr && other == host + offset; }
};

Memory& of(mkz_memory* memory);

}  // namespace merklize::opencl
