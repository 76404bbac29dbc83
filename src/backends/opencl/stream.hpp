#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "backends/opencl/device.hpp"

namespace merklize::opencl {

/// What a command does, for its error texts, which may come long after it was enqueued.
struct Doing {
    const char* what;                             // of a copy
    std::uint64_t count;                          // bytes or groups
    std::shared_ptr<const std::string> kernel{};  // null: a copy
    std::uint32_t group_size = 0;

    std::string text() const;
};

struct Command {
    Handle<cl_event> event;
    Doing doing;

    /// Negative: the code of its failure; 0: done; positive: not yet. Never throws.
    cl_int status() const noexcept;
};

/// A queue, the library's or the caller's.
class Stream {
public:
    /// is_ordered  the queue itself keeps commands in order
    Stream(Device& device, Handle<cl_command_queue> queue, bool is_ordered)
        : device(device), queue(std::move(queue)), is_ordered(is_ordered) {}

    /// Queues the `n` commands of one operation: enqueue(i, n_wait, wait_list, &event) -> code of `function`.
    /// event  null, or where to put the operation's event
    template <class Enqueue>
    void submit(const Doing& doing, const char* function, std::uint64_t n, mkz_event** event, Enqueue&& enqueue);
    /// Waits for everything, and throws the first failure since the last time.
    void synchronize();
    /// A barrier in the queue: later commands wait for `wait`, or for everything before the barrier if `wait` is null.
    void barrier(const cl_event* wait);

    Device& device;
    const Handle<cl_command_queue> queue;
    const bool is_ordered;

private:
    void watch(const Command& command);
    void flush();

    // Commands stay here until they have ended, so that a failure is seen even if the caller holds no event of the
    // command.
    std::mutex mutex_;
    std::deque<Command> running_;
    std::optional<Command> failed_;
    cl_int failed_code_ = CL_SUCCESS;
};

/// One operation. Copies can be several commands.
struct Event {
    Event(Device& device, const Doing& doing) : device(device), first{{}, doing}, last{{}, doing} {}

    Device& device;
    Command first, last;
};

Stream& of(mkz_stream* stream);

template <class Enqueue>
void Stream::submit(const Doing& doing, const char* function, std::uint64_t n, mkz_event** event, Enqueue&& enqueue) {
    auto operation = event == nullptr ? nullptr : std::make_unique<Event>(device, doing);
    if (!is_ordered) barrier(nullptr);
    Command last{{}, doing};
    for (std::uint64_t i = 0; i < n; i++) {
        // In an out-of-order queue each part waits for the previous one, so that the operation ends with its last part.
        cl_event made = nullptr, before = last.event.get();
        const bool waits = before != nullptr && !is_ordered;
        const cl_int code = enqueue(i, waits ? 1u : 0u, waits ? &before : nullptr, &made);
        if (code != CL_SUCCESS) device.fail(function, code, doing.text());
        last.event = Handle(made);
        watch(last);
        if (operation != nullptr && i == 0) operation->first.event = last.event;
    }
    if (!is_ordered) barrier(nullptr);
    flush();
    if (operation == nullptr) return;
    operation->last.event = std::move(last.event);
    *event = reinterpret_cast<mkz_event*>(operation.release());
}

}  // namespace merklize::opencl
