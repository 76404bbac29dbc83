#include "backends/opencl/stream.hpp"

#include "backends/checks.hpp"

namespace merklize::opencl {
namespace {

Event& of(mkz_event* event) { return backends::object_of<Event>(event, "opencl", "event"); }

// Only a failed allocation can be the caller's fault. Any other code, CL_OUT_OF_RESOURCES included, may mean that a
// kernel crashed.
[[noreturn]] void fail_later(const Device& device, cl_int code, const Doing& doing) {
    throw Failure(code == CL_MEM_OBJECT_ALLOCATION_FAILURE ? MKZ_OUT_OF_MEMORY : MKZ_INTERNAL,
                  device.label + ": " + code_text(code) + " while " + doing.text());
}

void require_success(const Event& event) {
    for (const Command* command : {&event.first, &event.last}) {
        const cl_int status = command->status();
        if (status < 0) fail_later(event.device, status, command->doing);
    }
}

mkz_stream* as_stream(std::unique_ptr<Stream> stream) { return reinterpret_cast<mkz_stream*>(stream.release()); }

Handle<cl_command_queue> own_queue(Device& device, bool timed) {
    cl_int code = CL_SUCCESS;
    cl_command_queue made =
        api().clCreateCommandQueue(device.context(), device.id, timed ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    if (code != CL_SUCCESS) device.fail("clCreateCommandQueue", code, "opening a stream");
    return Handle(made);
}

template <class T>
T info_of(const Device& device, cl_command_queue queue, cl_uint what) {
    T value{};
    const cl_int code = api().clGetCommandQueueInfo(queue, what, sizeof(T), static_cast<void*>(&value), nullptr);
    if (code != CL_SUCCESS)
        device.fail(MKZ_INVALID_ARGUMENT, "clGetCommandQueueInfo", code, "wrapping a cl_command_queue");
    return value;
}

}  // namespace

std::string Doing::text() const {
    if (kernel == nullptr) return std::string(what) + " " + std::to_string(count) + " bytes";
    return "running " + *kernel + " with " + std::to_string(count) + " groups of " + std::to_string(group_size) +
           " items";
}

cl_int Command::status() const noexcept {
    if (!event) return CL_COMPLETE;
    cl_int status = CL_COMPLETE;
    const cl_int code =
        api().clGetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    return code == CL_SUCCESS ? status : code;
}

Stream& of(mkz_stream* stream) { return backends::object_of<Stream>(stream, "opencl", "stream"); }

void Stream::watch(const Command& command) {
    const std::lock_guard lock(mutex_);
    while (!running_.empty()) {
        const cl_int status = running_.front().status();
        if (status > 0) break;
        if (status < 0 && !failed_) {
            failed_ = running_.front();
            failed_code_ = status;
        }
        running_.pop_front();
    }
    running_.push_back(command);
}

void Stream::flush() {
    const cl_int code = api().clFlush(queue.get());
    if (code != CL_SUCCESS) device.fail(MKZ_INTERNAL, "clFlush", code, "starting queued commands");
}

void Stream::barrier(const cl_event* wait) {
    const cl_int code = api().clEnqueueBarrierWithWaitList(queue.get(), wait == nullptr ? 0 : 1, wait, nullptr);
    if (code != CL_SUCCESS) device.fail("clEnqueueBarrierWithWaitList", code, "ordering commands");
}

void Stream::synchronize() {
    const cl_int code = api().clFinish(queue.get());
    std::optional<Command> failed;
    cl_int failed_code = CL_SUCCESS;
    {
        const std::lock_guard lock(mutex_);
        failed.swap(failed_);
        failed_code = failed_code_;
        // Commands that other threads enqueued after clFinish() began may still run.
        std::deque<Command> running;
        for (Command& command : running_) {
            const cl_int status = command.status();
            if (status > 0) {
                running.push_back(std::move(command));
            } else if (status < 0 && !failed) {
                failed = std::move(command);
                failed_code = status;
            }
        }
        running_.swap(running);
    }
    if (failed) fail_later(device, failed_code, failed->doing);
    if (code != CL_SUCCESS) device.fail(MKZ_INTERNAL, "clFinish", code, "waiting for a stream");
}

mkz_status stream_open(std::uint32_t device, void* native, std::uint32_t timed, mkz_stream** stream) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        if (native == nullptr) {
            *stream = as_stream(std::make_unique<Stream>(d, own_queue(d, timed != 0), true));
            return;
        }
        auto* theirs = static_cast<cl_command_queue>(native);
        if (info_of<cl_device_id>(d, theirs, CL_QUEUE_DEVICE) != d.id) {
            d.refuse(MKZ_INVALID_ARGUMENT, "the cl_command_queue is of another device");
        }
        const bool is_ordered =
            (info_of<cl_bitfield>(d, theirs, CL_QUEUE_PROPERTIES) & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
        d.join_context(info_of<cl_context>(d, theirs, CL_QUEUE_CONTEXT), "cl_command_queue");
        *stream = as_stream(std::make_unique<Stream>(d, Handle<cl_command_queue>::share(theirs), is_ordered));
    });
}

void stream_close(mkz_stream* stream) noexcept { delete reinterpret_cast<Stream*>(stream); }

mkz_status stream_synchronize(mkz_stream* stream) noexcept {
    return guarded([&] { of(stream).synchronize(); });
}

mkz_status stream_wait(mkz_stream* stream, mkz_event* event) noexcept {
    return guarded([&] {
        Stream& s = of(stream);
        const Event& e = of(event);
        if (&s.device != &e.device) s.device.refuse(MKZ_INVALID_ARGUMENT, "the event is of " + e.device.label);
        cl_event wait = e.last.event.get();
        s.barrier(&wait);
    });
}

mkz_status event_record(mkz_stream* stream, mkz_event** event) noexcept {
    return guarded([&] {
        Stream& s = of(stream);
        s.submit({"marking", 0}, "clEnqueueMarkerWithWaitList", 1, event,
                 [&](std::uint64_t, cl_uint n_wait, const cl_event* wait, cl_event* made) {
                     return api().clEnqueueMarkerWithWaitList(s.queue.get(), n_wait, wait, made);
                 });
    });
}

mkz_status event_wait(mkz_event* event) noexcept {
    return guarded([&] {
        const Event& e = of(event);
        cl_event wait = e.last.event.get();
        const cl_int code = api().clWaitForEvents(1, &wait);
        require_success(e);
        if (code != CL_SUCCESS) e.device.fail(MKZ_INTERNAL, "clWaitForEvents", code, e.last.doing.text());
    });
}

mkz_status event_query(mkz_event* event, std::uint32_t* done) noexcept {
    return guarded([&] {
        const Event& e = of(event);
        *done = e.last.status() <= 0 ? 1 : 0;
        require_success(e);
    });
}

mkz_status event_span(mkz_event* first, mkz_event* last, double* seconds) noexcept {
    return guarded([&] {
        const Event& from = of(first);
        const Event& to = of(last);
        cl_ulong start = 0, end = 0;
        const auto time = [](const Command& command, cl_uint which, cl_ulong& t) {
            return api().clGetEventProfilingInfo(command.event.get(), which, sizeof t, &t, nullptr);
        };
        cl_int code = time(from.first, CL_PROFILING_COMMAND_START, start);
        if (code == CL_SUCCESS) code = time(to.last, CL_PROFILING_COMMAND_END, end);
        *seconds = code == CL_SUCCESS ? 1e-9 * static_cast<double>(static_cast<std::int64_t>(end - start)) : -1;
        if (code != CL_SUCCESS && code != CL_PROFILING_INFO_NOT_AVAILABLE) {
            from.device.fail(MKZ_INTERNAL, "clGetEventProfilingInfo", code, from.first.doing.text());
        }
    });
}

void* event_native(mkz_event* event) noexcept {
    return event == nullptr ? nullptr : static_cast<void*>(reinterpret_cast<Event*>(event)->last.event.get());
}

void event_release(mkz_event* event) noexcept { delete reinterpret_cast<Event*>(event); }

}  // namespace merklize::opencl
