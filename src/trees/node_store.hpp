#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "host/host_block.hpp"
#include "levels/heap.hpp"
#include "merklize/buffer.hpp"
#include "merklize/digest.hpp"

namespace merklize::runtime {

/// The nodes of a heap: in a block of the host, or in a buffer of a device and then, once asked for, in a copy on the host as well.
class NodeStore {
public:
    /// With a device that has a memory of its own, where the nodes fit: there.
    NodeStore(const Device& device, std::uint64_t slots);

    /// Whether the device has a memory of its own where so many slots can fit. If that is full now, they go to the host all the same.
    static bool is_for_device(const Device& device, std::uint64_t slots);

    bool on_device() const noexcept { return device_ != nullptr; }
    const Buffer& buffer() const { return *device_; }
    Place place() const { return on_device() ? place_of(*device_) : host_place(host_.data()); }
    std::uint64_t slots() const noexcept { return slots_; }
    /// On the host. Those of a device are copied by the first call; safe from several threads.
    const Digest* host() const;
    /// What the copy held is no longer so.
    void changed();
    /// Zeros for the slots of no node.
    void clear_gaps(const TreeLayout& layout, Run& run);
    void read(std::uint64_t first, std::span<Digest> out) const;

private:
    std::uint64_t slots_;
    mutable HostBlock host_{};
    std::unique_ptr<Buffer> device_{};
    std::unique_ptr<std::once_flag> copying_ = std::make_unique<std::once_flag>();
};

}  // namespace merklize::runtime
