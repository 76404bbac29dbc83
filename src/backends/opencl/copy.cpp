#include <algorithm>

#include "backends/checks.hpp"
#include "backends/opencl/memory.hpp"
#include "backends/opencl/stream.hpp"

namespace merklize::opencl {
namespace {

// Some drivers keep the size of a single copy in 32 bits.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

// enqueue(offset in the copy, bytes, n_wait, wait_list, &event) -> code
template <class Enqueue>
void copy(Stream& stream, const char* what, const char* function, std::uint64_t bytes, mkz_event** event,
          Enqueue enqueue) {
    const Doing doing{what, bytes};
    if (bytes == 0 && event == nullptr) return;
    if (bytes == 0) {
        stream.submit(doing, "clEnqueueMarkerWithWaitList", 1, event,
                      [&](std::uint64_t, cl_uint n_wait, const cl_event* wait, cl_event* made) {
                          return api().clEnqueueMarkerWithWaitList(stream.queue.get(), n_wait, wait, made);
                      });
        return;
    }
    stream.submit(doing, function, (bytes + most_bytes - 1) / most_bytes, event,
                  [&](std::uint64_t i, cl_uint n_wait, const cl_event* wait, cl_event* made) {
                      const std::uint64_t at = i * most_bytes;
                      return enqueue(at, std::min(most_bytes, bytes - at), n_wait, wait, made);
                  });
}

// A copy between a block in host memory and its own bytes: a map and an unmap. They move nothing, but make the writes
// of one side visible to the other.
void hand_over(Stream& stream, const Memory& memory, std::uint64_t offset, std::uint64_t bytes, cl_bitfield flags,
               const char* what, mkz_event** event) {
    copy(stream, what, "clEnqueueMapBuffer", bytes, event,
         [&](std::uint64_t at, std::uint64_t count, cl_uint n_wait, const cl_event* wait, cl_event* made) {
             cl_event mapped = nullptr;
             cl_int code = CL_SUCCESS;
             void* where = api().clEnqueueMapBuffer(stream.queue.get(), memory.handle.get(), CL_FALSE, flags,
                                                    offset + at, count, n_wait, wait, &mapped, &code);
             if (code != CL_SUCCESS) return code;
             const Handle<cl_event> until(mapped);
             return api().clEnqueueUnmapMemObject(stream.queue.get(), memory.handle.get(), where, 1, &mapped, made);
         });
}

}  // namespace

mkz_status copy_to_device(mkz_stream* stream, mkz_memory* to, std::uint64_t offset, const void* from,
                          std::uint64_t bytes, mkz_event** event) noexcept {
    return guarded([&] {
        Stream& s = of(stream);
        const Memory& memory = of(to);
        memory.require(s.device, offset, bytes, "copy_to_device");
        if (memory.is_own(from, offset)) {
            // The device's view of the bytes is discarded, because the host's bytes are the new ones.
            hand_over(s, memory, offset, bytes, CL_MAP_WRITE_INVALIDATE_REGION, "giving the device its own", event);
            return;
        }
        copy(s, "copying to the device", "clEnqueueWriteBuffer", bytes, event,
             [&](std::uint64_t at, std::uint64_t count, cl_uint n_wait, const cl_event* wait, cl_event* made) {
                 return api().clEnqueueWriteBuffer(s.queue.get(), memory.handle.get(), CL_FALSE, offset + at, count,
                                                   static_cast<const char*>(from) + at, n_wait, wait, made);
             });
    });
}

mkz_status copy_to_host(mkz_stream* stream, void* to, mkz_memory* from, std::uint64_t offset, std::uint64_t bytes,
                        mkz_event** event) noexcept {
    return guarded([&] {
        Stream& s = of(stream);
        const Memory& memory = of(from);
        memory.require(s.device, offset, bytes, "copy_to_host");
        if (memory.is_own(to, offset)) {
            hand_over(s, memory, offset, bytes, CL_MAP_READ, "giving the host its own", event);
            return;
        }
        copy(s, "copying to the host", "clEnqueueReadBuffer", bytes, event,
             [&](std::uint64_t at, std::uint64_t count, cl_uint n_wait, const cl_event* wait, cl_event* made) {
                 return api().clEnqueueReadBuffer(s.queue.get(), memory.handle.get(), CL_FALSE, offset + at, count,
                                                  static_cast<char*>(to) + at, n_wait, wait, made);
             });
    });
}

mkz_status copy_on_device(mkz_stream* stream, mkz_memory* to, std::uint64_t to_offset, mkz_memory* from,
                          std::uint64_t from_offset, std::uint64_t bytes, mkz_event** event) noexcept {
    return guarded([&] {
        Stream& s = of(stream);
        const Memory& target = of(to);
        const Memory& source = of(from);
        target.require(s.device, to_offset, bytes, "copy_on_device");
        source.require(s.device, from_offset, bytes, "copy_on_device");
        // Checked here, because the driver would see only the pieces.
        if (target.handle.get() == source.handle.get()) {
            backends::require_apart(s.device.label, to_offset, from_offset, bytes);
        }
        copy(s, "copying on the device", "clEnqueueCopyBuffer", bytes, event,
             [&](std::uint64_t at, std::uint64_t count, cl_uint n_wait, const cl_event* wait, cl_event* made) {
                 return api().clEnqueueCopyBuffer(s.queue.get(), source.handle.get(), target.handle.get(),
                                                  from_offset + at, to_offset + at, count, n_wait, wait, made);
             });
    });
}

}  // namespace merklize::opencl
