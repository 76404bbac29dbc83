#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/cuda/queue.hpp"

namespace merklize::cuda {

/// Device memory that was released, kept for the next allocation of its size: 2 GiB take 0.6 ms to get and to free (H200, driver
/// 580), half as long as building a tree in them. A block is given out again only when every command that used it has ended; then
/// it needs no order with any stream, as if it were new.
class BlockCache {
public:
    struct Block {
        CUdeviceptr address = 0;
        std::uint64_t bytes = 0;
        std::vector<std::shared_ptr<const Mark>> marks{};  // all must be done
        bool used_elsewhere = false;                       // by commands that no mark can tell of: it can only be freed
    };

    explicit BlockCache(Device& device);

    /// At least `bytes`. The context must be current, here and below.
    Block take(std::uint64_t bytes);
    /// Keeps the block; frees the oldest ones if that is too much.
    void give(Block block) noexcept;
    /// Keeps a block that nothing uses, without a call of the driver.
    void give_idle(Block block) noexcept;
    /// Waits for everything that runs on the device, then frees the block.
    void free(const Block& block) noexcept;

private:
    bool take_kept(std::uint64_t bytes, Block& taken);
    /// Frees the oldest blocks until at most this is left.
    void shrink(std::uint64_t most_bytes, std::size_t most_blocks) noexcept;

    Device& device_;
    std::mutex mutex_;
    std::vector<Block> kept_;  // oldest first
    std::uint64_t kept_bytes_ = 0;
};

/// A block, of this library or of the caller.
struct Memory {
    Memory(Device& device_, CUdeviceptr address_, std::uint64_t bytes_)
        : device(device_), address(address_), bytes(bytes_) {}

    /// The device address for a command of `stream`, which the block's release will wait for.
    CUdeviceptr used_by(Stream& stream);
    /// The same for bytes of it; throws a Failure if they are not all inside.
    CUdeviceptr range(Stream& stream, std::uint64_t offset, std::uint64_t length, const char* doing);
    /// Has the graph that the stream is captured into own the block, too. With `mutex` held.
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
        marks{};                  // of what was enqueued when the handle went, if graphs use the block
    bool used_elsewhere = false;  // by commands that no mark can tell of
    std::vector<std::shared_ptr<StreamUse>> uses{};
};

inline Memory& of(mkz_memory* memory) { return backends::object_of<Memory>(memory, "cuda", "block of memory"); }

}  // namespace merklize::cuda
