#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "backends/sycl/device.hpp"
#include "backends/sycl/memory.hpp"

namespace merklize::sycl_plugin {

/// One command.
struct Event {
    Device& device;
    ::sycl::event command;
    bool is_timed;
    std::shared_ptr<AsyncErrors> errors;
    std::string doing;  // for texts of errors

    /// Waits for the command, and throws how it failed.
    void wait();
};

/// A queue, the library's or the caller's. The library's are in-order, so that the runtime leaves the order to the
/// device's own queue and passes no list of events with each command. A caller's out-of-order queue gets barriers
/// instead.
class Stream {
public:
    Stream(Device& device, ::sycl::queue queue, std::shared_ptr<AsyncErrors> errors)
        : device(device), queue(std::move(queue)), errors(std::move(errors)) {}

    /// Enqueues one command: enqueue(queue) -> sycl::event. refused: the status for errors that SYCL calls invalid.
    /// event  null, or where to put the command's event
    template <class Enqueue>
    void submit(const std::string& doing, mkz_status refused, std::span<Memory* const> uses, mkz_event** event,
                Enqueue&& enqueue);

    Device& device;
    ::sycl::queue queue;
    const std::shared_ptr<AsyncErrors> errors;  // null: the caller's queue has a handler of its own
    const bool is_ordered = queue.is_in_order();
    const bool is_timed = queue.has_property<::sycl::property::queue::enable_profiling>();
};

Stream& of(mkz_stream* stream);

template <class Enqueue>
void Stream::submit(const std::string& doing, mkz_status refused, std::span<Memory* const> uses, mkz_event** event,
                    Enqueue&& enqueue) {
    attempt(device, doing, refused, [&] {
        if (!is_ordered) queue.ext_oneapi_submit_barrier();
        const ::sycl::event command = enqueue(queue);
        if (!is_ordered) queue.ext_oneapi_submit_barrier();
        for (Memory* memory : uses) memory->used_by(*this, command);
        if (event == nullptr) return;
        auto made = std::make_unique<Event>(Event{device, command, is_timed, errors, doing});
        *event = reinterpret_cast<mkz_event*>(made.release());
    });
}

}  // namespace merklize::sycl_plugin
