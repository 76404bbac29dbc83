#include "queue/scratch.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "queue/device.hpp"
#include "queue/timeline.hpp"

namespace merklize::runtime {
namespace {

bool is_done(const QueueDevice& device, const CommandEvent& event) {
    std::uint32_t done = 0;
    // A failed event counts as done; waiting for it reports the failure.
    return device.driver().event_query(event.get(), &done) != MKZ_OK || done != 0;
}

// A block that is much too large is left for a call that needs it.
bool fits(const Block& block, std::uint64_t bytes) {
    return block.size() >= bytes && block.size() <= 2 * bytes + (std::uint64_t{64} << 10);
}

}  // namespace

Lease CallScratch::take(std::uint64_t bytes) {
    std::shared_ptr<Block> block;
    const auto it = std::ranges::find_if(returned_, [&](const auto& returned) { return fits(*returned, bytes); });
    if (it != returned_.end()) {
        block = std::move(*it);
        returned_.erase(it);
    } else {
        const auto get = [&] {
            return uses_pool_ ? device_->scratch().take(*device_, stream_, bytes) : Block::allocate(device_, bytes);
        };
        try {
            block = get();
        } catch (const Error& error) {
            if (error.code() != ErrorCode::out_of_memory || returned_.empty()) throw;
            free_returned();
            block = get();
        }
    }
    const Place place = block->at(0);
    return Lease(place, std::move(block), shared_from_this());
}

void CallScratch::take_back(std::shared_ptr<const void> memory) noexcept {
    auto block = std::const_pointer_cast<Block>(std::static_pointer_cast<const Block>(std::move(memory)));
    if (uses_pool_ && last_ != nullptr) return device_->scratch().give(stream_, std::move(block), last_);
    // A large block is freed now, because the call's other memory may need the room. Drivers allow that while commands
    // use the block.
    constexpr std::uint64_t large = std::uint64_t{64} << 20;
    if (!uses_pool_ && block->size() > large) return;
    try {
        returned_.push_back(std::move(block));
    } catch (...) {}  // then the block is freed now, too
}

void CallScratch::end(std::shared_ptr<const CommandEvent> last) noexcept {
    last_ = std::move(last);
    for (std::shared_ptr<Block>& block : std::exchange(returned_, {})) take_back(std::move(block));
}

std::shared_ptr<Block> ScratchPool::take(QueueDevice& device, mkz_stream* stream, std::uint64_t bytes) {
    const auto is_fit = [&](const Kept& kept) { return fits(*kept.block, bytes); };
    Kept found{};
    {
        const std::lock_guard lock(mutex_);
        auto it = std::ranges::find_if(kept_, [&](const Kept& kept) { return kept.stream == stream && is_fit(kept); });
        if (it == kept_.end()) {
            it = std::ranges::find_if(kept_,
                                      [&](const Kept& kept) { return is_fit(kept) && is_done(device, *kept.last); });
        }
        if (it != kept_.end()) {
            found = std::move(*it);
            kept_.erase(it);
        }
    }
    if (found.block == nullptr) return Block::allocate(device.shared_from_this(), bytes);
    // The same address may be another stream by now, so it waits for the block's last event. On the same stream that
    // costs nothing.
    if (found.stream == stream) device.check(device.driver().stream_wait(stream, found.last->get()));
    return std::move(found.block);
}

void ScratchPool::give(mkz_stream* stream, std::shared_ptr<Block> block,
                       std::shared_ptr<const CommandEvent> last) noexcept {
    constexpr std::size_t most_kept = 32;
    Kept dropped{};  // destroyed outside the lock, because a driver may wait for it
    try {
        const std::lock_guard lock(mutex_);
        if (kept_.size() == most_kept) {
            dropped = std::move(kept_.front());
            kept_.erase(kept_.begin());
        }
        kept_.push_back({stream, std::move(block), std::move(last)});
    } catch (...) {}
}

bool ScratchPool::free_kept() noexcept {
    std::vector<Kept> freed;  // destroyed outside the lock, as in give()
    const std::lock_guard lock(mutex_);
    freed.swap(kept_);
    return !freed.empty();
}

Flag FlagPool::take(QueueDevice& device) {
    const std::lock_guard lock(mutex_);
    while (!pending_.empty() && is_done(device, *pending_.front().last)) {
        Flag flag = std::move(pending_.front().flag);
        pending_.erase(pending_.begin());
        // A flag that a call has set is cleared before its next use.
        flag.is_clear = std::atomic_ref(*flag.host).exchange(0) == 0;
        idle_.push_back(std::move(flag));
    }
    if (!idle_.empty()) {
        Flag flag = std::move(idle_.back());
        idle_.pop_back();
        return flag;
    }
    if (next_ == end_) {
        constexpr std::uint64_t words = 1024;
        void* page = nullptr;  // never freed
        device.check(device.driver().allocate_host(device.index(), words * sizeof *next_, &page));
        next_ = static_cast<std::uint32_t*>(page);
        end_ = next_ + words;
        std::fill(next_, end_, 0u);
    }
    Flag flag{Block::allocate(device.shared_from_this(), 256), next_, false};
    next_++;
    return flag;
}

void FlagPool::give(QueueDevice& device, Flag flag, std::shared_ptr<const CommandEvent> last) noexcept {
    if (last == nullptr || !device.is_own_process()) return;
    try {
        const std::lock_guard lock(mutex_);
        pending_.push_back({std::move(flag), std::move(last)});
    } catch (...) {}
}

}  // namespace merklize::runtime
