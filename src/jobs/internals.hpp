#pragma once

#include <memory>
#include <utility>

#include "merklize/buffer.hpp"
#include "merklize/device.hpp"

namespace merklize::runtime {

/// Gives the library what the handles of the public headers refer to. This struct is their only friend.
struct Internals {
    static const DeviceState& of(const Device& device) noexcept { return *device.state_; }
    static StreamState& of(const Stream& stream) noexcept { return *stream.state_; }
    static const std::shared_ptr<EventState>& of(const Event& event) noexcept { return event.state_; }
    static const std::shared_ptr<Block>& of(const ConstBuffer& buffer) noexcept { return buffer.block_; }

    static Device device(std::shared_ptr<const DeviceState> state) { return Device(std::move(state)); }
    static Event event(std::shared_ptr<EventState> state) { return Event(std::move(state)); }
    /// The same bytes as a writable buffer. The caller must know that they may be written.
    static Buffer writable(const ConstBuffer& buffer) { return Buffer(buffer); }
    /// All memory of a CUDA device, from address 0 on: for views of many arrays whose owners give their addresses.
    /// Unlike wrap(), it does not ask the driver about each array.
    static ConstBuffer all_memory(const Device& device);
    /// Bytes of such a view.
    static ConstBuffer part_of(const ConstBuffer& all, std::uint64_t first, std::uint64_t bytes) noexcept {
        ConstBuffer part = all;
        part.offset_ = first;
        part.bytes_ = bytes;
        return part;
    }
};

inline const DeviceState& state_of(const Device& device) noexcept { return Internals::of(device); }

}  // namespace merklize::runtime
