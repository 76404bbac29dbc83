#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "merklize/device.hpp"
#include "queue/device.hpp"
#include "queue/timeline.hpp"

namespace merklize::runtime {

/// What a Stream refers to: a queue of a device, the library's or the caller's.
class StreamState {
public:
    /// native  the caller's queue, or null for a queue of the library's own
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

/// Whether commands on the stream are captured into a graph.
bool is_capturing(const QueueDevice& device, mkz_stream* stream);

/// What an Event refers to: a driver's event, and the checks that its call enqueued.
class EventState {
public:
    EventState(std::shared_ptr<QueueDevice> device, Device handle, std::shared_ptr<const CommandEvent> event,
               bool is_captured, std::vector<Check> checks = {})
        : device_(std::move(device)),
          handle_(std::move(handle)),
          event_(std::move(event)),
          is_captured_(is_captured),
          checks_(std::move(checks)) {}
    ~EventState();
    EventState(const EventState&) = delete;
    EventState& operator=(const EventState&) = delete;

    const Device& handle() const noexcept { return handle_; }
    QueueDevice& device() const noexcept { return *device_; }
    mkz_event* event() const noexcept { return event_->get(); }
    bool is_captured() const noexcept { return is_captured_; }
    void wait() const;
    bool query() const;
    void check() const;

private:
    void require_reachable() const;

    std::shared_ptr<QueueDevice> device_;
    Device handle_;
    std::shared_ptr<const CommandEvent> event_;
    bool is_captured_;
    std::vector<Check> checks_;
};

}  // namespace merklize::runtime
