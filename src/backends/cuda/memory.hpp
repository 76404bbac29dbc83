#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/cuda/queue.hpp"
#include "backends/memory_limit.hpp"

namespace merklize::cuda {

/// Keeps released device memory for later allocations of the same size, because 2 GiB take 0.6 ms to allocate and free
/// (H200, driver 580), half as long as building a tree in them. A block is given out again only when every command that
/// used it has ended; then it needs no order with any stream, as if it were new.
class BlockCache {
public:
    struct Block {
        CUdeviceptr address = 0;
        std::uint64_t bytes = 0;
        std::vector<std::shared_ptr<const Mark>> marks{};  // all must be done
        bool used_elsewhere = false;                       // by commands that no mark covers: it can only be freed
    };

    explicit BlockCache(Device& device);

    /// At least `bytes`. The context must be current, here and below.
    Block take(std::uint64_t bytes);
    /// Keeps the block, and frees the oldest ones if too many are kept.
    void give(Block block) noexcept;
    /// Keeps a block that nothing uses, without a call of the driver.
    void give_idle(Block block) noexcept;
    /// Waits for everything that runs on the device, then frees the block.
    void free(const Block& block) noexcept;
    /// Blocks in use and kept ones count together; kept ones are freed first.
    void limit(std::uint64_t bytes) noexcept;
    std::uint64_t bytes_in_use() noexcept;

private:
    bool take_kept(std::uint64_t bytes, Block& taken);
    /// Frees the oldest blocks until at most so much is left, and the limit is kept.
    void shrink(std::uint64_t most_bytes, std::size_t most_blocks) noexcept;

    Device& device_;
    backends::MemoryLimit limit_;  // of all blocks, in use and kept
    std::mutex mutex_;
    std::vector<Block> kept_;  // oldest first
    std::uint64_t kept_bytes_ = 0;
};

/// A block of memory, the library's or the caller's.
struct Memory {
    Memory(Device& device_, CUdeviceptr address_, std::uint64_t bytes_)
        : device(device_), address(address_), bytes(bytes_) {}

    /// The device address, for a command of `stream`. The block's release will wait for that command.
    CUdeviceptr used_by(Stream& stream);
    /// The same for a range of the block; throws a Failure if the range is not inside.
    CUdeviceptr range(Stream& stream, std::uint64_t offset, std::uint64_t length, const char* doing);
    /// Makes the graph into which the stream is captured an owner of the block. `mutex` must be held.
    /// returns  false if the capture has ended
    bool share_with_graph(const Stream& stream);

    Device& device;
    const CUdeviceptr address;
    const std::uint64_t bytes;      // as asked for
    std::uint64_t block_bytes = 0;  // as allocated; 0: not owned
    std::atomic<int> owners{1};     // the handle, and graphs that use the block
    std::mutex mutex{};             // guards what follows
    std::uint64_t capture = 0;      // the capture whose graph came last
    std::vector<std::shared_ptr<const Mark>>
        marks{};                  // after the commands that were enqueued when the handle went, if graphs use the block
    bool used_elsewhere = false;  // by commands that no mark covers
    std::vector<std::shared_ptr<StreamUse>> uses{};
};

inline Memory& of(mkz_memory* memory) { return backends::object_of<Memory>(memory, "cuda", "block of memory"); }

}  // namespace merklize::cuda
