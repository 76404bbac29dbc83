#pragma once

#include <memory>
#include <utility>

#include "merklize/device.hpp"
#include "queue/device.hpp"
#include "queue/timeline.hpp"

namespace merklize::runtime {

/// What an Event refers to: a driver's event, and what else its call left behind.
class EventState {
public:
    EventState(std::shared_ptr<QueueDevice> device, Device handle, CommandEvent event, bool is_captured)
        : device_(std::move(device)), handle_(std::move(handle)), event_(std::move(event)), is_captured_(is_captured) {}
    ~EventState();
    EventState(const EventState&) = delete;
    EventState& operator=(const EventState&) = delete;

    const Device& handle() const noexcept { return handle_; }
    QueueDevice& device() const noexcept { return *device_; }
    mkz_event* event() const noexcept { return event_.get(); }
    bool is_captured() const noexcept { return is_captured_; }
    void wait() const;
    bool query() const;
    void check() const;

private:
    void require_reachable(const char* what) const;

    std::shared_ptr<QueueDevice> device_;
    Device handle_;
    CommandEvent event_;
    bool is_captured_;
};

}  // namespace merklize::runtime
