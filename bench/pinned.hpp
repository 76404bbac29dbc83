#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <merklize/merklize.hpp>

#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "queue/device.hpp"

namespace bench {

/// Pinned host memory, which every device copies at the speed of its link.
class PinnedBytes {
public:
    PinnedBytes(const merklize::Device& device, std::uint64_t bytes)
        : queue_(*merklize::runtime::state_of(device).opened()), bytes_(queue_.borrow_pinned(bytes)) {}
    PinnedBytes(const PinnedBytes&) = delete;
    PinnedBytes& operator=(const PinnedBytes&) = delete;
    ~PinnedBytes() { queue_.driver().release_host(queue_.index(), bytes_.bytes); }

    std::span<std::byte> bytes() const { return {static_cast<std::byte*>(bytes_.bytes), bytes_.size}; }

private:
    merklize::runtime::QueueDevice& queue_;
    merklize::runtime::Pinned bytes_;
};

}  // namespace bench
