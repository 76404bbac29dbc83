#include "backends/sycl/stream.hpp"

#include <array>

#include "backends/checks.hpp"

namespace merklize::sycl_plugin {
namespace {

Event& of(mkz_event* event) { return backends::object_of<Event>(event, "sycl", "event"); }

::sycl::queue own_queue(Device& device, bool timed, const std::shared_ptr<AsyncErrors>& errors) {
    const auto handler = [errors](const ::sycl::exception_list& failures) {
        for (const std::exception_ptr& failure : failures) errors->keep(failure);
    };
    namespace property = ::sycl::property::queue;
    return timed ? ::sycl::queue(device.context(), device.device, handler,
                                 {property::in_order{}, property::enable_profiling{}})
                 : ::sycl::queue(device.context(), device.device, handler, {property::in_order{}});
}

// A copy. If there are no bytes, or they are in their place already, only an event is enqueued.
void copy(Stream& s, const char* what, void* to, const void* from, std::uint64_t bytes, std::span<Memory* const> uses,
          mkz_event** event) {
    const bool moves = bytes != 0 && to != from;
    if (!moves && event == nullptr) return;
    s.submit(std::string(what) + " " + std::to_string(bytes) + " bytes", MKZ_INTERNAL, uses, event,
             [&](::sycl::queue& queue) {
                 return moves ? queue.memcpy(to, from, bytes) : queue.ext_oneapi_submit_barrier();
             });
}

}  // namespace

void Event::wait() {
    attempt(device, doing, MKZ_INTERNAL, [&] {
        if (errors == nullptr) {
            command.wait();
            return;
        }
        command.wait_and_throw();
        errors->raise();
    });
}

Stream& of(mkz_stream* stream) { return backends::object_of<Stream>(stream, "sycl", "stream"); }

mkz_status stream_open(std::uint32_t device, void* native, std::uint32_t timed, mkz_stream** stream) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        std::unique_ptr<Stream> made;
        if (native == nullptr) {
            const auto errors = std::make_shared<AsyncErrors>();
            made = attempt(d, "opening a stream", MKZ_INTERNAL,
                           [&] { return std::make_unique<Stream>(d, own_queue(d, timed != 0, errors), errors); });
        } else {
            const auto& theirs = *static_cast<const ::sycl::queue*>(native);
            if (theirs.get_device() != d.device) d.refuse(MKZ_INVALID_ARGUMENT, "the sycl::queue is of another device");
            d.join_context(theirs.get_context());
            made = std::make_unique<Stream>(d, theirs, nullptr);
        }
        *stream = reinterpret_cast<mkz_stream*>(made.release());
    });
}

void stream_close(mkz_stream* stream) noexcept { delete reinterpret_cast<Stream*>(stream); }

mkz_status stream_synchronize(mkz_stream* stream) noexcept {
    return guarded([&] {
        Stream& s = of(stream);
        attempt(s.device, "waiting for a stream", MKZ_INTERNAL, [&] {
            if (s.errors == nullptr) {
                s.queue.wait();
                return;
            }
            s.queue.wait_and_throw();
            s.errors->raise();
        });
    });
}

mkz_status stream_wait(mkz_stream* stream, mkz_event* event) noexcept {
    return guarded([&] {
        Stream& s = of(stream);
        const Event& e = of(event);
        if (&s.device != &e.device) s.device.refuse(MKZ_INVALID_ARGUMENT, "the event is of " + e.device.label);
        attempt(s.device, "ordering two streams", MKZ_INTERNAL,
                [&] { s.queue.ext_oneapi_submit_barrier({e.command}); });
    });
}

mkz_status copy_to_device(mkz_stream* stream, mkz_memory* to, std::uint64_t offset, const void* from,
                          std::uint64_t bytes, mkz_event** event) noexcept {
    return guarded([&] {
        Stream& s = of(stream);
        Memory& target = of(to);
        target.require(s.device, offset, bytes, "copy_to_device");
        copy(s, "copying to the device", target.data + offset, from, bytes, std::array{&target}, event);
    });
}

mkz_status copy_to_host(mkz_stream* stream, void* to, mkz_memory* from, std::uint64_t offset, std::uint64_t bytes,
                        mkz_event** event) noexcept {
    return guarded([&] {
        Stream& s = of(stream);
        Memory& source = of(from);
        source.require(s.device, offset, bytes, "copy_to_host");
        copy(s, "copying to the host", to, source.data + offset, bytes, std::array{&source}, event);
    });
}

mkz_status copy_on_device(mkz_stream* stream, mkz_memory* to, std::uint64_t to_offset, mkz_memory* from,
                          std::uint64_t from_offset, std::uint64_t bytes, mkz_event** event) noexcept {
    return guarded([&] {
        Stream& s = of(stream);
        Memory& target = of(to);
        Memory& source = of(from);
        target.require(s.device, to_offset, bytes, "copy_on_device");
        source.require(s.device, from_offset, bytes, "copy_on_device");
        char* const a = target.data + to_offset;
        char* const b = source.data + from_offset;
        backends::require_apart(s.device.label, reinterpret_cast<std::uintptr_t>(a),
                                reinterpret_cast<std::uintptr_t>(b), bytes);
        copy(s, "copying on the device", a, b, bytes, std::array{&target, &source}, event);
    });
}

mkz_status event_record(mkz_stream* stream, mkz_event** event) noexcept {
    return guarded([&] {
        of(stream).submit("marking a place in a stream", MKZ_INTERNAL, {}, event,
                          [](::sycl::queue& queue) { return queue.ext_oneapi_submit_barrier(); });
    });
}

mkz_status event_wait(mkz_event* event) noexcept {
    return guarded([&] { of(event).wait(); });
}

mkz_status event_query(mkz_event* event, std::uint32_t* done) noexcept {
    return guarded([&] {
        Event& e = of(event);
        const auto status = e.command.get_info<::sycl::info::event::command_execution_status>();
        *done = status == ::sycl::info::event_command_status::complete ? 1 : 0;
        if (*done != 0) e.wait();
    });
}

mkz_status event_span(mkz_event* first, mkz_event* last, double* seconds) noexcept {
    return guarded([&] {
        const Event& from = of(first);
        const Event& to = of(last);
        *seconds = -1;
        if (!from.is_timed || !to.is_timed) return;
        namespace profiling = ::sycl::info::event_profiling;
        *seconds = attempt(from.device, "reading the times of " + from.doing, MKZ_INTERNAL, [&] {
            const auto start = from.command.get_profiling_info<profiling::command_start>();
            const auto end = to.command.get_profiling_info<profiling::command_end>();
            return 1e-9 * static_cast<double>(static_cast<std::int64_t>(end - start));
        });
    });
}

void* event_native(mkz_event* event) noexcept {
    return event == nullptr ? nullptr : static_cast<void*>(&reinterpret_cast<Event*>(event)->command);
}

void event_release(mkz_event* event) noexcept { delete reinterpret_cast<Event*>(event); }

}  // namespace merklize::sycl_plugin
