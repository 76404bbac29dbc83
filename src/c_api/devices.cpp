// Devices, their queues and their memory.
#include <algorithm>
#include <cstring>

#include "c_api/calls.hpp"

using namespace merklize::c_api;
using merklize::Buffer;
using merklize::Stream;

namespace {

// Cut at the end of a character of UTF-8.
template <std::size_t n>
void put(char (&out)[n], std::string_view text) {
    std::size_t length = std::min(text.size(), n - 1);
    if (length < text.size()) {
        while (length != 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) length--;
    }
    std::memset(out, 0, n);
    text.copy(out, length);
}

void put(merklize_device_info& out, const merklize::DeviceInfo& info) {
    out.memory_bytes = info.memory_bytes;
    out.units = info.units;
    put(out.id, info.id);
    put(out.backend, info.backend);
    put(out.name, info.name);
    put(out.vendor, info.vendor);
    put(out.driver, info.driver);
    put(out.isa, info.isa);
}

std::optional<Stream> optional(const merklize_stream* stream) {
    return stream != nullptr ? std::optional(stream->value) : std::nullopt;
}

}  // namespace

merklize_status merklize_device_count(size_t* count) {
    return run("merklize_device_count",
               [&](const Call& call) { call.need(count, "count") = merklize::devices().size(); });
}

merklize_status merklize_device_describe(size_t index, merklize_device_info* info) {
    return run("merklize_device_describe", [&](const Call& call) {
        merklize_device_info& out = call.need(info, "info");
        const std::vector<merklize::DeviceInfo> all = merklize::devices();
        call.require_index(index, all.size(), "devices");
        put(out, all[index]);
    });
}

merklize_status merklize_why_unavailable(const char* name, char* text, size_t capacity, size_t* length) {
    return run("merklize_why_unavailable", [&](const Call& call) {
        call.put_text(merklize::texts::masked(merklize::why_unavailable(&call.need(name, "name"))), text, capacity,
                      length);
    });
}

merklize_status merklize_device_open(const char* name, merklize_device** device) {
    return run("merklize_device_open", [&](const Call& call) {
        merklize_device*& out = call.result(device, "device");
        out = new merklize_device{merklize::Device(&call.need(name, "name"))};
    });
}

merklize_status merklize_device_get_info(const merklize_device* device, merklize_device_info* info) {
    return run("merklize_device_get_info",
               [&](const Call& call) { put(call.need(info, "info"), call.need(device, "device").value.info()); });
}

void merklize_device_free(merklize_device* device) { delete device; }

merklize_status merklize_device_set_memory_limit(const merklize_device* device, uint64_t bytes) {
    return run("merklize_device_set_memory_limit",
               [&](const Call& call) { call.need(device, "device").value.set_memory_limit(bytes); });
}

merklize_status merklize_device_get_memory_limit(const merklize_device* device, uint64_t* bytes) {
    return run("merklize_device_get_memory_limit",
               [&](const Call& call) { call.need(bytes, "bytes") = call.need(device, "device").value.memory_limit(); });
}

merklize_status merklize_stream_create(const merklize_device* device, merklize_stream** stream) {
    return run("merklize_stream_create", [&](const Call& call) {
        merklize_stream*& out = call.result(stream, "stream");
        out = new merklize_stream{Stream(call.need(device, "device").value)};
    });
}

merklize_status merklize_stream_wrap(const merklize_device* device, void* native, merklize_stream** stream) {
    return run("merklize_stream_wrap", [&](const Call& call) {
        merklize_stream*& out = call.result(stream, "stream");
        out = new merklize_stream{
            Stream::wrap(call.need(device, "device").value, &call.need(static_cast<char*>(native), "native"))};
    });
}

merklize_status merklize_stream_synchronize(merklize_stream* stream) {
    return run("merklize_stream_synchronize",
               [&](const Call& call) { call.need(stream, "stream").value.synchronize(); });
}

merklize_status merklize_stream_is_capturing(const merklize_stream* stream, int* capturing) {
    return run("merklize_stream_is_capturing", [&](const Call& call) {
        int& out = call.need(capturing, "capturing");
        out = call.need(stream, "stream").value.is_capturing() ? 1 : 0;
    });
}

merklize_status merklize_stream_record(merklize_stream* stream, merklize_event** event) {
    return run("merklize_stream_record", [&](const Call& call) {
        merklize_event*& out = call.result(event, "event");
        out = new merklize_event{call.need(stream, "stream").value.record()};
    });
}

merklize_status merklize_stream_wait(merklize_stream* stream, const merklize_event* event) {
    return run("merklize_stream_wait", [&](const Call& call) {
        const Stream& waits = call.need(stream, "stream").value;
        waits.wait(call.need(event, "event").value);
    });
}

merklize_status merklize_event_wait(const merklize_event* event) {
    return run("merklize_event_wait", [&](const Call& call) { call.need(event, "event").value.wait(); });
}

merklize_status merklize_event_query(const merklize_event* event, int* reached) {
    return run("merklize_event_query", [&](const Call& call) {
        int& out = call.need(reached, "reached");
        out = call.need(event, "event").value.query() ? 1 : 0;
    });
}

merklize_status merklize_event_check(const merklize_event* event) {
    return run("merklize_event_check", [&](const Call& call) { call.need(event, "event").value.check(); });
}

merklize_status merklize_event_native(const merklize_event* event, void** native) {
    return run("merklize_event_native", [&](const Call& call) {
        void*& out = call.need(native, "native");
        out = call.need(event, "event").value.native();
    });
}

void merklize_event_free(merklize_event* event) { delete event; }

void merklize_stream_free(merklize_stream* stream) { delete stream; }

merklize_status merklize_buffer_create(const merklize_device* device, uint64_t bytes, merklize_buffer** buffer) {
    return run("merklize_buffer_create", [&](const Call& call) {
        merklize_buffer*& out = call.result(buffer, "buffer");
        out = new merklize_buffer(Buffer(call.need(device, "device").value, bytes));
    });
}

merklize_status merklize_buffer_wrap(const merklize_device* device, void* native, uint64_t bytes,
                                     merklize_buffer** buffer) {
    return run("merklize_buffer_wrap", [&](const Call& call) {
        merklize_buffer*& out = call.result(buffer, "buffer");
        const merklize::Device& on = call.need(device, "device").value;
        if (bytes != 0) call.need(static_cast<char*>(native), "native");
        out = new merklize_buffer(Buffer::wrap(on, native, bytes));
    });
}

merklize_status merklize_buffer_wrap_const(const merklize_device* device, const void* native, uint64_t bytes,
                                           merklize_buffer** buffer) {
    return run("merklize_buffer_wrap_const", [&](const Call& call) {
        merklize_buffer*& out = call.result(buffer, "buffer");
        const merklize::Device& on = call.need(device, "device").value;
        if (bytes != 0) call.need(static_cast<const char*>(native), "native");
        out = new merklize_buffer(merklize::ConstBuffer::wrap(on, native, bytes));
    });
}

merklize_status merklize_buffer_slice(const merklize_buffer* buffer, uint64_t first, uint64_t bytes,
                                      merklize_buffer** slice) {
    return run("merklize_buffer_slice", [&](const Call& call) {
        merklize_buffer*& out = call.result(slice, "slice");
        const merklize_buffer& whole = call.need(buffer, "buffer");
        out = whole.writable ? new merklize_buffer(whole.writable->slice(first, bytes))
                             : new merklize_buffer(whole.value.slice(first, bytes));
    });
}

uint64_t merklize_buffer_size(const merklize_buffer* buffer) { return buffer != nullptr ? buffer->value.size() : 0; }

merklize_status merklize_buffer_native(const merklize_buffer* buffer, void** native, uint64_t* offset) {
    return run("merklize_buffer_native", [&](const Call& call) {
        void*& out = call.need(native, "native");
        const merklize::ConstBuffer& value = call.need(buffer, "buffer").value;
        out = const_cast<void*>(value.native());
        if (offset != nullptr) *offset = value.device().info().backend == "opencl" ? value.offset() : 0;
    });
}

merklize_status merklize_buffer_upload(merklize_buffer* buffer, uint64_t first, const void* host, size_t bytes,
                                       const merklize_stream* stream) {
    return run("merklize_buffer_upload", [&](const Call& call) {
        call.written(buffer, "buffer").slice(first, bytes).copy_from(call.bytes(host, bytes, "host"), optional(stream));
    });
}

merklize_status merklize_buffer_download(const merklize_buffer* buffer, uint64_t first, void* host, size_t bytes,
                                         const merklize_stream* stream) {
    return run("merklize_buffer_download", [&](const Call& call) {
        call.need(buffer, "buffer")
            .value.slice(first, bytes)
            .copy_to(call.bytes(static_cast<std::uint8_t*>(host), bytes, "host"), optional(stream));
    });
}

void merklize_buffer_free(merklize_buffer* buffer) { delete buffer; }
