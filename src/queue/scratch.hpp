#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "jobs/executor.hpp"
#include "seams/driver.h"

namespace merklize::runtime {

class Block;
class CommandEvent;
class QueueDevice;

/// Working memory of calls that return before their work has ended. A block that earlier calls of the same stream still
/// use is leased again at once, because a stream runs its commands in order. A block of another stream is leased only
/// when its last call has ended. The host never waits.
class ScratchPool {
public:
    /// At least `bytes` bytes for commands that are enqueued on `stream` from now on. Their content is undefined.
    std::shared_ptr<Block> take(QueueDevice& device, mkz_stream* stream, std::uint64_t bytes);
    /// Keeps a block for later calls.
    /// last  event on `stream` after the last command that uses the block
    void give(mkz_stream* stream, std::shared_ptr<Block> block, std::shared_ptr<const CommandEvent> last) noexcept;
    /// Frees all idle blocks to make room. Commands already enqueued may still use them. Returns false if there were
    /// none.
    bool free_kept() noexcept;

private:
    struct Kept {
        mkz_stream* stream;  // only compared, because it may be gone
        std::shared_ptr<Block> block;
        std::shared_ptr<const CommandEvent> last;
    };
    std::mutex mutex_;
    std::vector<Kept> kept_;  // guarded by mutex_; oldest first
};

/// The working memory of one call. A block whose lease was dropped is leased again at once, because the call's main
/// stream runs its commands in order. Used by the call's thread; its leases keep it alive.
class CallScratch final : public Lease::Lessor, public std::enable_shared_from_this<CallScratch> {
public:
    /// stream    the call's main one
    /// uses_pool whether blocks come from the device's ScratchPool, and go back there after end()
    CallScratch(std::shared_ptr<QueueDevice> device, mkz_stream* stream, bool uses_pool)
        : device_(std::move(device)), stream_(stream), uses_pool_(uses_pool) {}

    Lease take(std::uint64_t bytes);
    /// Frees the blocks whose leases were dropped.
    void free_returned() noexcept { returned_.clear(); }
    /// The call has enqueued its last command.
    /// last  event on the call's stream after that command
    void end(std::shared_ptr<const CommandEvent> last) noexcept;
    void take_back(std::shared_ptr<const void> memory) noexcept override;

private:
    std::shared_ptr<QueueDevice> device_;
    mkz_stream* stream_;
    bool uses_pool_;
    std::shared_ptr<const CommandEvent> last_{};
    std::vector<std::shared_ptr<Block>> returned_{};
};

/// Where the device notes whether a call found a word that is not below the modulus: 0 or 1, on the device, and on the
/// host once the call's event is reached.
struct Flag {
    std::shared_ptr<Block> block{};
    std::uint32_t* host = nullptr;  // pinned
    bool is_clear = false;          // the device's word is 0
};

/// The flags of a device, each for one call at a time.
class FlagPool {
public:
    Flag take(QueueDevice& device);
    /// The call ends when `last` is reached. Null: never, because a graph keeps the flag.
    void give(QueueDevice& device, Flag flag, std::shared_ptr<const CommandEvent> last) noexcept;

private:
    struct Pending {
        Flag flag;
        std::shared_ptr<const CommandEvent> last;
    };
    std::mutex mutex_;
    std::vector<Flag> idle_;         // guarded by mutex_
    std::vector<Pending> pending_;   // guarded by mutex_; oldest first
    std::uint32_t* next_ = nullptr;  // guarded by mutex_: pinned words that no flag uses yet
    std::uint32_t* end_ = nullptr;   // guarded by mutex_
};

}  // namespace merklize::runtime
