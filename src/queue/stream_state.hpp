#pragma once

#include <memory>

#include "merklize/device.hpp"
#include "queue/device.hpp"

namespace merklize::runtime {

/// What a Stream refers to: a queue of a device, ours or the caller's.
class StreamState {
public:
    /// native  the caller's queue, or null for one of our own
    StreamState(std::shared_ptr<QueueDevice> device, Device handle, void* native);
    ~StreamState();
    StreamState(const StreamState&) = delete;
    StreamState& operator=(const StreamState&) = delete;

    mkz_stream* stream() const noexcept { return stream_; }
    QueueDevice& device() const noexcept { return *device_; }
    const Device& handle() const noexcept { return handle_; }

private:
    std::shared_ptr<QueueDevice> device_;
    Device handle_;
    mkz_stream* stream_ = nullptr;
};

/// Whether what the stream is given becomes a part of a graph.
bool is_capturing(const QueueDevice& device, mkz_stream* stream);

}  // namespace merklize::runtime
