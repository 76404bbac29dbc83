#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "backends/checks.hpp"
#include "backends/cuda/device.hpp"
#include "backends/cuda/library.hpp"
#include "seams/driver.h"

namespace merklize::cuda {

// The handles of driver.h are pointers to this backend's own types. Every backend has types of its own, so none may
// define the structs that driver.h declares.

/// A point in a stream's order: it is done when everything enqueued before it has ended.
class Mark {
public:
    /// Records it now. The context must be current.
    Mark(Device& device, CUstream stream);
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;
    ~Mark() { device_.events.give(event_, false); }

    /// Also false if the driver cannot tell: in a failed context, and for a stream that is being captured.
    bool done() const;

private:
    Device& device_;
    CUevent event_;
};

/// What blocks of memory remember about a stream that used them; it outlives the stream.
class StreamUse {
public:
    StreamUse(Device& device, CUstream handle) : device_(device), handle_(handle) {}

    /// A mark after all commands of the stream: recorded now, or when the stream was closed. Throws if it cannot be
    /// recorded.
    std::shared_ptr<const Mark> mark();
    /// The handle is not used from here on.
    void close() noexcept;
    /// True if the stream is closed and all its commands have ended.
    bool is_over();

private:
    Device& device_;
    const CUstream handle_;
    std::mutex mutex_;
    bool open_ = true;
    std::shared_ptr<const Mark> last_{};  // null although closed: the mark could not be recorded
};

struct Stream {
    Stream(Device& device_, CUstream handle_, bool owned_, bool timed_)
        : device(device_),
          handle(handle_),
          owned(owned_),
          timed(timed_),
          use(std::make_shared<StreamUse>(device_, handle_)) {}

    /// The handle means another stream in every thread, so another thread cannot wait for it.
    bool per_thread() const { return reinterpret_cast<std::uintptr_t>(handle) == CU_STREAM_PER_THREAD; }

    Device& device;
    const CUstream handle;
    const bool owned;
    const bool timed;
    const std::shared_ptr<StreamUse> use;
    std::atomic<bool> capturing{false};  // as stream_capturing() found it last
};

/// One command: its end, and its start if the stream is timed.
struct Event {
    Event(Device& device_, bool timed_);
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event();

    Device& device;
    const bool timed;
    CUevent start = nullptr;
    CUevent end = nullptr;
};

inline Stream& of(mkz_stream* stream) { return backends::object_of<Stream>(stream, "cuda", "stream"); }
inline Event& of(mkz_event* event) { return backends::object_of<Event>(event, "cuda", "event"); }

/// Records the event of a command, if the caller wants one. The command must be enqueued between the constructor and
/// end(). The context must be current.
class Command {
public:
    Command(Stream& stream, mkz_event** wanted) : stream_(stream), wanted_(wanted) {
        if (wanted == nullptr) return;
        event_ = std::make_unique<Event>(stream.device, stream.timed);
        if (event_->start != nullptr) record(event_->start);
    }
    void end() {
        if (!event_) return;
        record(event_->end);
        *wanted_ = reinterpret_cast<mkz_event*>(event_.release());
    }

private:
    void record(CUevent event) { stream_.device.check(driver().cuEventRecord(event, stream_.handle), "cuEventRecord"); }

    Stream& stream_;
    mkz_event** wanted_;
    std::unique_ptr<Event> event_{};
};

mkz_status stream_capturing(mkz_stream* stream, std::uint32_t* capturing) noexcept;
mkz_status copy_rows_to_device(mkz_stream* stream, mkz_memory* to, std::uint64_t offset, const void* from,
                               const mkz_rows* rows, mkz_event** event) noexcept;

}  // namespace merklize::cuda
