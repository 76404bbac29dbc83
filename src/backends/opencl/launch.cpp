#include <string>

#include "backends/opencl/memory.hpp"
#include "backends/opencl/program.hpp"
#include "backends/opencl/stream.hpp"

namespace merklize::opencl {
namespace {

[[noreturn]] void refuse(const Function& function, const std::string& text) {
    function.device.refuse(MKZ_INVALID_ARGUMENT, "kernel " + *function.name + ": " + text);
}

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
        if (function == nullptr) s.device.refuse(MKZ_INVALID_ARGUMENT, "the kernel is null");
        auto& f = *reinterpret_cast<Function*>(function);
        if (&s.device != &f.device)
            s.device.refuse(MKZ_INVALID_ARGUMENT, "kernel " + *f.name + " is of " + f.device.label);
        if (n_arguments != f.n_arguments) {
            refuse(f, "it takes " + std::to_string(f.n_arguments) + " arguments, not " + std::to_string(n_arguments));
        }
        if (group_size == 0 || group_size > f.max_group_size) {
            refuse(f, "groups of " + std::to_string(group_size) + " items; here it takes 1 to " +
                          std::to_string(f.max_group_size));
        }
        if (groups > s.device.max_items / group_size) {
            refuse(f, std::to_string(groups) + " groups of " + std::to_string(group_size) +
                          " items are more than the device can count");
        }
        const Doing doing{"", groups, f.name, group_size};
        const std::size_t items = groups * group_size, group = group_size;
        // Queuing takes a copy of the arguments.
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
