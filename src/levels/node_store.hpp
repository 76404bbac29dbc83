#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "host/forks.hpp"
#include "host/host_block.hpp"
#include "levels/heap.hpp"
#include "merklize/buffer.hpp"
#include "merklize/digest.hpp"

namespace merklize::runtime {

/// The nodes of a heap, in a block of the host or in a buffer of a device. Nodes on a device are copied to the host
/// once they are asked for.
class NodeStore {
public:
    /// The nodes are on the device if it has its own memory and they fit there, else on the host.
    NodeStore(const Device& device, std::uint64_t slots);

    /// Whether the device has memory of its own that so many slots can fit in. If it is full now, they still go to the
    /// host.
    static bool is_for_device(const Device& device, std::uint64_t slots);

    bool on_device() const noexcept { return device_ != nullptr; }
    const Buffer& buffer() const { return *device_; }
    Place place() const { return on_device() ? place_of(*device_) : host_place(host_.data()); }
    std::uint64_t slots() const noexcept { return slots_; }
    /// The nodes on the host. The first call copies them from the device. Safe to call from several threads.
    const Digest* host() const;
    /// Nodes of the caller that a change reads: as given, or copied to `room` if they lie here, where a change writes
    /// or changed() frees them.
    std::span<const Digest> apart(std::span<const Digest> given, std::vector<Digest>& room) const;
    /// Drops the copy on the host, because the nodes on the device have changed.
    void changed();
    /// Writes zeros to the unused slots.
    void clear_gaps(const TreeLayout& layout, Run& run);
    void read(std::uint64_t first, std::span<Digest> out) const;

private:
    std::uint64_t slots_;
    mutable HostBlock host_{};
    std::unique_ptr<Buffer> device_{};
    std::unique_ptr<ProcessMutex> copying_ = std::make_unique<ProcessMutex>();
};

}  // namespace merklize::runtime
