#include "backends/cuda/queue.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "backends/cuda/memory.hpp"

namespace merklize::cuda {
namespace {

// Waits by polling: it spins first, then yields, then sleeps for a fraction of the time waited. The driver's own
// blocking wait is slower at both ends. On an H200 (driver 580) an event for it takes 13 us longer to record, which
// delays the next kernel, and the waiter wakes up 180 to 280 us late.
void wait_for(Device& device, CUevent event) {
    using namespace std::chrono;
    constexpr microseconds busy(50), awake(2000), longest_sleep(1000);
    const BesideCaptures beside;
    const auto start = steady_clock::now();
    for (;;) {
        const CUresult state = driver().cuEventQuery(event);
        if (state != CUDA_ERROR_NOT_READY) return device.check(state, "cuEventQuery");
        const auto waited = steady_clock::now() - start;
        if (waited > awake) {
            std::this_thread::sleep_for(std::min<steady_clock::duration>(waited / 32, longest_sleep));
        } else if (waited > busy) {
            std::this_thread::yield();
        }
    }
}

// prepare(stream) checks the ranges and returns what calls the driver.
template <class Prepare>
mkz_status copy(mkz_stream* stream, std::uint64_t bytes, mkz_event** event, const char* what,
                Prepare prepare) noexcept {
    return guarded([&] {
        Stream& s = of(stream);
        const Current current(s.device);
        const auto enqueue = prepare(s);
        Command command(s, event);
        if (bytes != 0) s.device.check(enqueue(), what);
        command.end();
    });
}

// The address of the first row.
CUdeviceptr rows_of(mkz_memory* memory, Stream& stream, std::uint64_t offset, const mkz_rows& rows, const char* doing) {
    return of(memory).range(stream, offset, rows.n == 0 ? 0 : (rows.n - 1) * rows.stride + rows.bytes, doing);
}

}  // namespace

Mark::Mark(Device& device, CUstream stream) : device_(device), event_(device.events.take(false, device.name)) {
    const CUresult recorded = driver().cuEventRecord(event_, stream);
    if (recorded == CUDA_SUCCESS) return;
    device_.events.give(event_, false);
    device_.check(recorded, "cuEventRecord");
}

bool Mark::done() const {
    const BesideCaptures beside;
    return driver().cuEventQuery(event_) == CUDA_SUCCESS;
}

std::shared_ptr<const Mark> StreamUse::mark() {
    const std::lock_guard lock(mutex_);
    if (open_) return std::make_shared<const Mark>(device_, handle_);
    if (!last_) throw Failure(MKZ_INTERNAL, device_.name + ": a stream was closed without a last mark");
    return last_;
}

void StreamUse::close() noexcept {
    const std::lock_guard lock(mutex_);
    open_ = false;
    try {
        last_ = std::make_shared<const Mark>(device_, handle_);
    } catch (const std::exception&) {}
}

bool StreamUse::is_over() {
    const std::lock_guard lock(mutex_);
    return !open_ && last_ && last_->done();
}

Event::Event(Device& device_, bool timed_) : device(device_), timed(timed_) {
    end = device.events.take(timed, device.name);
    if (!timed) return;
    try {
        start = device.events.take(timed, device.name);
    } catch (...) {
        device.events.give(end, timed);
        throw;
    }
}

Event::~Event() {
    device.events.give(end, timed);
    if (start != nullptr) device.events.give(start, timed);
}

mkz_status stream_open(std::uint32_t device, void* native, std::uint32_t timed, mkz_stream** stream) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        const Current current(d);
        const bool owned = native == nullptr;
        CUstream handle = owned ? d.streams.take(d.name) : static_cast<CUstream>(native);
        try {
            *stream = reinterpret_cast<mkz_stream*>(new Stream(d, handle, owned, timed != 0));
        } catch (...) {
            if (owned) d.streams.give(handle);
            throw;
        }
    });
}

// Commands that are still queued go on. A stream with nothing left to do is kept for the next caller. Any other stream
// is destroyed; the driver frees it when its work has ended. So no new stream inherits old work.
void stream_close(mkz_stream* stream) noexcept {
    if (stream == nullptr || forked()) return;
    const std::unique_ptr<Stream> closed(&of(stream));
    (void)guarded([&] {
        const Current current(closed->device);
        if (closed->use.use_count() > 1) closed->use->close();  // else no block remembers the stream
        if (!closed->owned) return;
        const BesideCaptures beside;
        if (driver().cuStreamQuery(closed->handle) == CUDA_SUCCESS) {
            closed->device.streams.give(closed->handle);
        } else {
            driver().cuStreamDestroy(closed->handle);
        }
    });
}

mkz_status stream_synchronize(mkz_stream* stream) noexcept {
    return guarded([&] {
        Stream& s = of(stream);
        const Current current(s.device);
        const BesideCaptures beside;
        const CUresult state = driver().cuStreamQuery(s.handle);
        if (state != CUDA_ERROR_NOT_READY) return s.device.check(state, "cuStreamQuery");
        const Event here(s.device, false);
        s.device.check(driver().cuEventRecord(here.end, s.handle), "cuEventRecord");
        wait_for(s.device, here.end);
    });
}

mkz_status stream_wait(mkz_stream* stream, mkz_event* event) noexcept {
    return guarded([&] {
        Stream& s = of(stream);
        const Current current(s.device);
        s.device.check(driver().cuStreamWaitEvent(s.handle, of(event).end, 0), "cuStreamWaitEvent");
    });
}

mkz_status stream_capturing(mkz_stream* stream, std::uint32_t* capturing) noexcept {
    return guarded([&] {
        Stream& s = of(stream);
        const Current current(s.device);
        CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
        const CUresult result = driver().cuStreamIsCapturing(s.handle, &status);
        if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) {
            throw Failure(MKZ_INVALID_ARGUMENT,
                          s.device.name +
                              ": the call is for CUDA's default stream while another stream of this context is "
                              "being captured; give the stream that is captured");
        }
        s.device.check(result, "cuStreamIsCapturing");
        s.capturing = status != CU_STREAM_CAPTURE_STATUS_NONE;
        *capturing = s.capturing ? 1 : 0;
    });
}

mkz_status copy_to_device(mkz_stream* stream, mkz_memory* to, std::uint64_t offset, const void* from,
                          std::uint64_t bytes, mkz_event** event) noexcept {
    return copy(stream, bytes, event, "cuMemcpyHtoDAsync", [&](Stream& s) {
        const CUdeviceptr target = of(to).range(s, offset, bytes, "copy_to_device");
        return [=, &s] { return driver().cuMemcpyHtoDAsync(target, from, bytes, s.handle); };
    });
}

mkz_status copy_to_host(mkz_stream* stream, void* to, mkz_memory* from, std::uint64_t offset, std::uint64_t bytes,
                        mkz_event** event) noexcept {
    return copy(stream, bytes, event, "cuMemcpyDtoHAsync", [&](Stream& s) {
        const CUdeviceptr source = of(from).range(s, offset, bytes, "copy_to_host");
        return [=, &s] { return driver().cuMemcpyDtoHAsync(to, source, bytes, s.handle); };
    });
}

mkz_status copy_on_device(mkz_stream* stream, mkz_memory* to, std::uint64_t to_offset, mkz_memory* from,
                          std::uint64_t from_offset, std::uint64_t bytes, mkz_event** event) noexcept {
    return copy(stream, bytes, event, "cuMemcpyDtoDAsync", [&](Stream& s) {
        const CUdeviceptr target = of(to).range(s, to_offset, bytes, "copy_on_device");
        const CUdeviceptr source = of(from).range(s, from_offset, bytes, "copy_on_device");
        backends::require_apart(s.device.name, target, source, bytes);
        return [=, &s] { return driver().cuMemcpyDtoDAsync(target, source, bytes, s.handle); };
    });
}

mkz_status copy_rows_to_device(mkz_stream* stream, mkz_memory* to, std::uint64_t offset, const void* from,
                               const mkz_rows* rows, mkz_event** event) noexcept {
    return copy(stream, rows->n, event, "cuMemcpy2DAsync", [&](Stream& s) {
        const CUDA_MEMCPY2D rectangle{.srcMemoryType = CU_MEMORYTYPE_HOST,
                                      .srcHost = from,
                                      .srcPitch = rows->host_stride,
                                      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                      .dstDevice = rows_of(to, s, offset, *rows, "copy_rows_to_device"),
                                      .dstPitch = rows->stride,
                                      .WidthInBytes = rows->bytes,
                                      .Height = rows->n};
        return [rectangle, &s] { return driver().cuMemcpy2DAsync(&rectangle, s.handle); };
    });
}

mkz_status event_record(mkz_stream* stream, mkz_event** event) noexcept {
    return guarded([&] {
        const Current current(of(stream).device);
        Command(of(stream), event).end();
    });
}

mkz_status event_wait(mkz_event* event) noexcept {
    return guarded([&] {
        const Current current(of(event).device);
        wait_for(of(event).device, of(event).end);
    });
}

mkz_status event_query(mkz_event* event, std::uint32_t* done) noexcept {
    return guarded([&] {
        const Current current(of(event).device);
        const BesideCaptures beside;
        const CUresult state = driver().cuEventQuery(of(event).end);
        if (state != CUDA_ERROR_NOT_READY) of(event).device.check(state, "cuEventQuery");
        *done = state == CUDA_SUCCESS ? 1 : 0;
    });
}

mkz_status event_span(mkz_event* first, mkz_event* last, double* seconds) noexcept {
    return guarded([&] {
        const Event& from = of(first);
        const Event& to = of(last);
        *seconds = -1;
        if (!from.timed || !to.timed) return;
        const Current current(from.device);
        float milliseconds = 0;
        from.device.check(driver().cuEventElapsedTime(&milliseconds, from.start, to.end), "cuEventElapsedTime");
        *seconds = 1e-3 * static_cast<double>(milliseconds);
    });
}

void* event_native(mkz_event* event) noexcept {
    return event == nullptr ? nullptr : reinterpret_cast<Event*>(event)->end;
}

void event_release(mkz_event* event) noexcept {
    if (event != nullptr && !forked()) delete &of(event);
}

}  // namespace merklize::cuda
