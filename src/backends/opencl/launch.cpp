#include <string>

#include "backends/checks.hpp"
#include "backends/opencl/memory.hpp"
#include "backends/opencl/program.hpp"
#include "backends/opencl/stream.hpp"

namespace merklize::opencl {
namespace {

void set_argument(const Function& function, cl_uint i, const mkz_argument& argument) {
    cl_int code = CL_SUCCESS;
    if (argument.bytes != 0) {
        code = api().clSetKernelArg(function.handle.get(), i, argument.bytes, argument.value);
    } else {
        cl_mem block = nullptr;
        if (argument.value != nullptr) {
            const auto& memory = *static_cast<const Memory*>(argument.value);
            memory.require(function.device, 0, 0, "launch");
            block = memory.handle.get();
        }
        code = api().clSetKernelArg(function.handle.get(), i, sizeof(cl_mem), static_cast<const void*>(&block));
    }
    if (code == CL_SUCCESS) return;
    const mkz_status status = status_of(code);
    function.device.fail(status == MKZ_INTERNAL ? MKZ_INVALID_ARGUMENT : status, "clSetKernelArg", code,
                         "setting argument " + std::to_string(i) + " of " + *function.name + " to " +
                             (argument.bytes == 0 ? "a block" : std::to_string(argument.bytes) + " bytes"));
}

}  // namespace

mkz_status launch(mkz_stream* stream, mkz_function* function, std::uint64_t groups, std::uint32_t group_size,
                  std::uint32_t n_arguments, const mkz_argument* arguments, mkz_event** event) noexcept {
    return guarded([&] {
        Stream& s = of(stream);
        auto& f = backends::object_of<Function>(function, "opencl", "kernel");
        if (&s.device != &f.device)
            s.device.refuse(MKZ_INVALID_ARGUMENT, "kernel " + *f.name + " is of " + f.device.label);
        backends::require_arguments(s.device.label, *f.name, n_arguments, f.n_arguments);
        backends::require_group(s.device.label, *f.name, group_size, f.max_group_size);
        backends::require_groups(s.device.label, *f.name, groups, s.device.max_items / group_size);
        const Doing doing{"", groups, f.name, group_size};
        const std::size_t items = groups * group_size, group = group_size;
        // Until enqueuing has copied the arguments, they are state of the kernel.
        const std::lock_guard lock(f.mutex);
        if (groups == 0) {
            if (event == nullptr) return;
            s.submit(doing, "clEnqueueMarkerWithWaitList", 1, event,
                     [&](std::uint64_t, cl_uint n_wait, const cl_event* wait, cl_event* made) {
                         return api().clEnqueueMarkerWithWaitList(s.queue.get(), n_wait, wait, made);
                     });
            return;
        }
        for (cl_uint i = 0; i < n_arguments; i++) set_argument(f, i, arguments[i]);
        s.submit(doing, "clEnqueueNDRangeKernel", 1, event,
                 [&](std::uint64_t, cl_uint n_wait, const cl_event* wait, cl_event* made) {
                     return api().clEnqueueNDRangeKernel(s.queue.get(), f.handle.get(), 1, nullptr, &items, &group,
                                                         n_wait, wait, made);
                 });
    });
}

}  // namespace merklize::opencl
