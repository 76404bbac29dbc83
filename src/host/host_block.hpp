#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace merklize::runtime {

/// Bytes of memory that this process can ever have: the machine's memory and swap space, or its container's limit.
std::uint64_t host_memory() noexcept;

/// Makes the pages of memory that is about to be written, by all threads: large ones, where the system gives them. A
/// page that is made by the first write to it costs 0.5 us, and a copy from a device waits for it. Smaller memory than
/// 64 MiB, and a system that cannot make pages ahead, are left alone.
void make_pages(std::span<std::byte> memory, unsigned threads);

/// Host memory for the nodes of a tree: aligned to 4096 bytes, undefined content, in huge pages where the system gives
/// them.
/// errors  out_of_memory, at once if the block is larger than host_memory()
class HostBlock {
public:
    HostBlock() noexcept = default;
    explicit HostBlock(std::uint64_t bytes);
    ~HostBlock();
    HostBlock(HostBlock&& other) noexcept;
    HostBlock& operator=(HostBlock&& other) noexcept;

    /// Zeroes a range; whole pages of zeros take no memory.
    void clear(std::uint64_t first, std::uint64_t bytes) noexcept;

    void* data() const noexcept { return data_; }
    std::uint64_t size() const noexcept { return bytes_; }

private:
    void* data_ = nullptr;
    std::uint64_t bytes_ = 0;
};

}  // namespace merklize::runtime
