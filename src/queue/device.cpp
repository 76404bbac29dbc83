#include "queue/device.hpp"

#include <algorithm>
#include <span>

#include "hashes/hash_info.hpp"
#include "host/forks.hpp"
#include "jobs/registry.hpp"

namespace merklize::runtime {

// get: the driver's way to this memory.
template <class Get>
std::shared_ptr<Block> Block::make(std::shared_ptr<QueueDevice> device, std::uint64_t bytes, Get get) {
    std::shared_ptr<Block> block(new Block(std::move(device), bytes));
    const QueueDevice& d = *block->device_;
    d.require_own_process();
    d.check(get(d.driver(), d.index(), &block->memory_));
    return block;
}

std::shared_ptr<Block> Block::allocate(std::shared_ptr<QueueDevice> device, std::uint64_t bytes) {
    const auto get = [&](const mkz_driver& driver, std::uint32_t index, mkz_memory** memory) {
        return driver.allocate(index, bytes, memory);
    };
    try {
        return make(device, bytes, get);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory || !device->free_kept()) throw;
    }
    return make(std::move(device), bytes, get);
}

std::shared_ptr<Block> Block::wrap(std::shared_ptr<QueueDevice> device, void* native, std::uint64_t bytes) {
    auto block =
        make(std::move(device), bytes, [&](const mkz_driver& driver, std::uint32_t index, mkz_memory** memory) {
            return driver.wrap(index, native, bytes, memory);
        });
    block->wrapped_ = native;
    return block;
}

std::shared_ptr<Block> Block::wrap_host(std::shared_ptr<QueueDevice> device, void* host, std::uint64_t bytes) {
    return make(std::move(device), bytes, [&](const mkz_driver& driver, std::uint32_t index, mkz_memory** memory) {
        return driver.wrap_host(index, host, bytes, memory);
    });
}

Block::~Block() {
    if (device_->is_own_process()) device_->driver().release(device_->index(), memory_);
}

QueueDevice::QueueDevice(const mkz_backend& backend, std::uint32_t index, std::string id)
    : backend_(backend), index_(index), id_(std::move(id)), process_(forks()), programs_(*this) {
    check(driver().facts(index_, &facts_));
}

bool QueueDevice::is_own_process() const noexcept { return forks() == process_; }

void QueueDevice::require_own_process() const {
    if (is_own_process()) return;
    throw Error(ErrorCode::unavailable, id_ +
                                            ": this process was forked after its parent had opened the device; start "
                                            "workers by spawn or forkserver, or open the device only in the child");
}

mkz_memory* QueueDevice::constants(Hash hash) {
    const std::span<const std::uint64_t> table = constants_of(hash);
    if (table.empty()) return any_block();
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Block>& kept = constants_[info(hash).id];
    if (kept) return kept->memory();
    kept = block_of(std::as_bytes(table));
    return kept->memory();
}

std::shared_ptr<Block> QueueDevice::block_of(std::span<const std::byte> bytes) {
    auto block = Block::allocate(shared_from_this(), bytes.size());
    mkz_stream* stream = nullptr;
    check(driver().stream_open(index_, nullptr, 0, &stream));
    mkz_status status = driver().copy_to_device(stream, block->memory(), 0, bytes.data(), bytes.size(), nullptr);
    if (status == MKZ_OK) status = driver().stream_synchronize(stream);
    driver().stream_close(stream);
    check(status);
    return block;
}

const Block& QueueDevice::zeros() {
    const std::lock_guard lock(mutex_);
    if (!zeros_) zeros_ = block_of(std::vector<std::byte>(zeros_bytes));
    return *zeros_;
}

mkz_memory* QueueDevice::any_block() {
    const std::lock_guard lock(mutex_);
    if (!any_block_) any_block_ = Block::allocate(shared_from_this(), 8);
    return any_block_->memory();
}

void QueueDevice::set_memory_limit(std::uint64_t bytes) {
    require_own_process();
    {
        const std::lock_guard lock(mutex_);
        check(driver().limit_memory(index_, bytes));
        memory_limit_ = bytes;
    }
    if (bytes != 0) free_kept();
}

bool QueueDevice::free_kept() noexcept {
    const bool has_tables = tables_.free_kept();
    return scratch_.free_kept() || has_tables;
}

mkz_stream* QueueDevice::borrow_stream(bool timed) {
    {
        const std::lock_guard lock(mutex_);
        if (auto& free = streams_[timed]; !free.empty()) {
            mkz_stream* stream = free.back();
            free.pop_back();
            return stream;
        }
    }
    mkz_stream* stream = nullptr;
    check(driver().stream_open(index_, nullptr, timed, &stream));
    return stream;
}

void QueueDevice::give_back(mkz_stream* stream, bool timed) noexcept {
    try {
        const std::lock_guard lock(mutex_);
        streams_[timed].push_back(stream);
    } catch (...) {
        driver().stream_close(stream);
    }
}

Pinned QueueDevice::borrow_pinned(std::uint64_t bytes) {
    {
        const std::lock_guard lock(mutex_);
        for (auto it = pinned_.begin(); it != pinned_.end(); ++it) {
            if (it->size != bytes) continue;
            const Pinned found = *it;
            pinned_.erase(it);
            return found;
        }
    }
    Pinned pinned{nullptr, bytes};
    check(driver().allocate_host(index_, bytes, &pinned.bytes));
    return pinned;
}

void QueueDevice::give_back(Pinned pinned) noexcept {
    // Enough for a call with three staged operands and for some short lists. Not more, because the whole system lacks
    // pinned memory.
    constexpr std::size_t most_kept = 16;
    try {
        const std::lock_guard lock(mutex_);
        if (pinned_.size() < most_kept) {
            pinned_.push_back(pinned);
            return;
        }
    } catch (...) {}
    driver().release_host(index_, pinned.bytes);
}

std::shared_ptr<QueueDevice> open_device(const mkz_backend& backend, std::uint32_t index, std::string id) {
    return std::make_shared<QueueDevice>(backend, index, std::move(id));
}

}  // namespace merklize::runtime
