#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "jobs/jobs.hpp"
#include "merklize/buffer.hpp"
#include "merklize/error.hpp"
#include "queue/programs.hpp"
#include "queue/scratch.hpp"
#include "queue/tables.hpp"
#include "seams/backend.h"

namespace merklize::runtime {

class QueueDevice;

/// A block of memory on the device, the library's or the caller's. Enqueued commands keep it alive (driver.h: release).
class Block {
public:
    static std::shared_ptr<Block> allocate(std::shared_ptr<QueueDevice> device, std::uint64_t bytes);
    static std::shared_ptr<Block> wrap(std::shared_ptr<QueueDevice> device, void* native, std::uint64_t bytes);
    static std::shared_ptr<Block> wrap_host(std::shared_ptr<QueueDevice> device, void* host, std::uint64_t bytes);
    ~Block();
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    mkz_memory* memory() const noexcept { return memory_; }
    std::uint64_t size() const noexcept { return bytes_; }
    /// The caller's handle, if the block wraps the caller's memory; else null.
    const void* wrapped() const noexcept { return wrapped_; }
    const std::shared_ptr<QueueDevice>& device() const noexcept { return device_; }
    /// The place at `offset` in the block, for a launch.
    Place at(std::uint64_t offset) const noexcept { return {memory_, offset, true}; }

private:
    Block(std::shared_ptr<QueueDevice> device, std::uint64_t bytes) : device_(std::move(device)), bytes_(bytes) {}
    template <class Get>
    static std::shared_ptr<Block> make(std::shared_ptr<QueueDevice> device, std::uint64_t bytes, Get get);

    std::shared_ptr<QueueDevice> device_;
    mkz_memory* memory_ = nullptr;
    std::uint64_t bytes_;
    const void* wrapped_ = nullptr;
};

/// The place of a buffer's bytes, for jobs on its device: buffer.cpp.
Place place_of(const ConstBuffer& buffer);

/// Where a buffer's bytes are, to compare memory: offsets are comparable if the blocks are equal. Addresses of all
/// devices and of the host have one order, and their block is null; in OpenCL the block is the cl_mem. The buffer must
/// not be empty: buffer.cpp.
struct Address {
    const void* block;
    std::uint64_t offset;
};
Address address_of(const ConstBuffer& buffer);

/// Pinned host memory, which is copied at the link's speed.
struct Pinned {
    void* bytes = nullptr;
    std::uint64_t size = 0;
};

/// An opened device with queues and programs: what all calls on the device share. Lives as long as the process.
class QueueDevice : public std::enable_shared_from_this<QueueDevice> {
public:
    /// id  for error texts
    QueueDevice(const mkz_backend& backend, std::uint32_t index, std::string id);

    const mkz_driver& driver() const noexcept { return *backend_.driver; }
    const mkz_backend& backend() const noexcept { return backend_; }
    std::uint32_t index() const noexcept { return index_; }
    const mkz_driver_facts& facts() const noexcept { return facts_; }
    const std::string& id() const noexcept { return id_; }
    Programs& programs() noexcept { return programs_; }

    /// Throws unavailable in a child of fork(): drivers' threads and locks stay with the parent.
    void require_own_process() const;
    bool is_own_process() const noexcept;

    /// Throws the error of a status, with the driver's text.
    void check(mkz_status status) const {
        if (status != MKZ_OK) throw Error(static_cast<ErrorCode>(status), backend_.last_error());
    }

    /// A hash's table for kernels that read it from global memory (core/entry.h, `constants`); any block if the hash
    /// has no table.
    mkz_memory* constants(Hash hash);
    /// Some block, as an argument whose bytes the kernel does not touch.
    mkz_memory* any_block();
    /// A block of zeros_bytes zeros.
    const Block& zeros();
    static constexpr std::uint64_t zeros_bytes = 64 << 10;

    /// Working memory for calls that return before their work has ended.
    ScratchPool& scratch() noexcept { return scratch_; }
    FlagPool& flags() noexcept { return flags_; }
    /// Tables of extensions, which later calls use, too.
    KeptTables& tables() noexcept { return tables_; }
    /// Frees the memory that is kept for later calls, to make room.  returns  false if there is none
    bool free_kept() noexcept;

    /// Bounds the memory of all blocks, and frees what is kept for later calls.  bytes: 0: no limit
    void set_memory_limit(std::uint64_t bytes);
    std::uint64_t memory_limit() const noexcept { return memory_limit_; }

    /// A queue of the library's own, for one call at a time.  timed: events of the queue record times
    mkz_stream* borrow_stream(bool timed);
    void give_back(mkz_stream* stream, bool timed) noexcept;
    /// Pinned memory of `bytes` bytes, for one call at a time.
    Pinned borrow_pinned(std::uint64_t bytes);
    void give_back(Pinned pinned) noexcept;
    /// Whether a byte of the host lies in pinned memory, no matter who pinned it.
    bool is_pinned(const void* host) const noexcept {
        const auto ask = driver().is_pinned;
        return ask != nullptr && ask(index_, host) != 0;
    }

private:
    // A new block with these bytes. The copy is complete when it returns.
    std::shared_ptr<Block> block_of(std::span<const std::byte> bytes);

    const mkz_backend& backend_;
    std::uint32_t index_;
    std::string id_;
    const unsigned process_;  // its forks()
    mkz_driver_facts facts_{};
    Programs programs_;

    std::mutex mutex_;
    std::vector<mkz_stream*> streams_[2];                        // guarded by mutex_; not timed, timed
    std::vector<Pinned> pinned_;                                 // guarded by mutex_
    std::map<std::uint32_t, std::shared_ptr<Block>> constants_;  // guarded by mutex_; by hash
    std::shared_ptr<Block> any_block_;                           // guarded by mutex_
    std::shared_ptr<Block> zeros_;                               // guarded by mutex_
    std::atomic<std::uint64_t> memory_limit_{0};                 // set under mutex_, as the driver's is
    ScratchPool scratch_;
    FlagPool flags_;
    KeptTables tables_;
};

}  // namespace merklize::runtime
