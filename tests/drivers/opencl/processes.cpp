// The OpenCL driver beside the caller's own OpenCL, and without a library. What needs a process of its own is in
// tests named child-..., which do nothing unless one of the others starts this program again for them.
#include "backends/opencl/api.hpp"
#include "backends/opencl/device.hpp"
#include "child.hpp"
#include "fixture.hpp"

namespace {

using namespace table;
using namespace child;
namespace cl = merklize::opencl;
using cl::api, cl::Handle, cl::cl_bitfield, cl::cl_command_queue, cl::cl_context, cl::cl_device_id, cl::cl_event,
    cl::cl_int, cl::cl_mem;

cl::Device& tested() { return cl::device_of(device()); }

Handle<cl_context> new_context() {
    cl_int code = 0;
    cl_device_id id = tested().id;
    Handle context(api().clCreateContext(nullptr, 1, &id, nullptr, nullptr, &code));
    CHECK_EQ(code, 0);
    return context;
}

Handle<cl_command_queue> new_queue(cl_context context, cl_bitfield properties) {
    cl_int code = 0;
    Handle queue(api().clCreateCommandQueue(context, tested().id, properties, &code));
    CHECK_EQ(code, 0);
    return queue;
}

// The context in use, which a caller can find out.
cl_context context_of(mkz_memory* memory) {
    cl_context context = nullptr;
    const auto handle = static_cast<cl_mem>(driver().native(memory));
    CHECK_EQ(
        api().clGetMemObjectInfo(handle, cl::CL_MEM_CONTEXT, sizeof(cl_context), static_cast<void*>(&context), nullptr),
        0);
    return context;
}

// A chain of launches and copies. Only the right order gives the right result.
void run_in_order(mkz_stream* stream) {
    const std::uint64_t n = 1000;
    const Memory a = allocate(4 * n), b = allocate(4 * n);
    std::uint32_t expected = 0;
    for (std::uint32_t i = 0; i < 100; i++) {
        if (i % 10 == 0) {
            need(launch(stream, kernel(program(), "fill"), 5, 200, nullptr, a, i, n));
            expected = i;
        }
        need(driver().copy_on_device(stream, b, 0, a, 0, 4 * n, nullptr));
        need(launch(stream, kernel(program(), "add"), 5, 200, nullptr, b, i, n));
        need(driver().copy_on_device(stream, a, 0, b, 0, 4 * n, nullptr));
        expected += i;
    }
    CHECK_EQ(read(stream, a, n), iota(n, expected));
}

}  // namespace

TEST("opencl-process: without a library there is a reason and no device") {
    if (!is_new_process()) CHECK_EQ(in_new_process("child-no-library"), 0);
}

TEST("child-no-library: reasons") {
    if (!is_new_process()) return;
    setenv("MERKLIZE_OPENCL_LIBRARY", "/nonexistent/libOpenCL.so", 1);
    const char* why = backend().why_unavailable();
    CHECK(why != nullptr);
    const std::string text = why == nullptr ? "" : why;
    std::cout << "  " << text << '\n';
    CHECK(text.starts_with("opencl: MERKLIZE_OPENCL_LIBRARY=/nonexistent/libOpenCL.so: "));
    CHECK_EQ(text.find("libOpenCL.so"), text.rfind("libOpenCL.so"));
    CHECK_EQ(backend().device_count(), 0u);
    mkz_device_facts facts{};
    CHECK_REFUSED(MKZ_UNAVAILABLE, "/nonexistent", backend().device_facts(0, &facts));
    mkz_memory* memory = nullptr;
    CHECK_REFUSED(MKZ_UNAVAILABLE, "/nonexistent", backend().driver->allocate(0, 1, &memory));
    mkz_policy policy{};
    backend().tune(0, MKZ_KERNEL_HASH_ROWS, 0, 1, 1, &policy);
    CHECK(policy.group_size > 0);
    backend().driver->release_host(0, nullptr);
}

TEST("opencl-process: a library that is none of OpenCL's is named") {
    if (!is_new_process()) CHECK_EQ(in_new_process("child-other-library"), 0);
}

TEST("child-other-library: reasons") {
    if (!is_new_process()) return;
    setenv("MERKLIZE_OPENCL_LIBRARY", "libm.so.6", 1);
    const char* why = backend().why_unavailable();
    CHECK(why != nullptr && std::string_view(why).find("clGetPlatformIDs") != std::string_view::npos);
}

TEST("opencl-process: the caller's first queue brings its context") {
    driver();
    if (!is_new_process()) CHECK_EQ(in_new_process("child-first-queue"), 0);
}

TEST("child-first-queue: everything works in its context") {
    if (!is_new_process()) return;
    driver();
    const Handle context = new_context();
    const Handle queue = new_queue(context.get(), cl::CL_QUEUE_PROFILING_ENABLE);
    const Stream stream = open_stream(true, queue.get());
    const Memory memory = allocate(4);
    CHECK(context_of(memory) == context.get());
    run_in_order(stream);
    run_in_order(open_stream());
}

TEST("opencl-foreign: the caller's queues and memory, in the context in use") {
    const Memory ours = allocate(4);
    cl_context context = context_of(ours);
    for (const cl_bitfield order : {cl_bitfield{0}, cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
        for (const cl_bitfield times : {cl_bitfield{0}, cl::CL_QUEUE_PROFILING_ENABLE}) {
            cl_int code = 0;
            const Handle queue(api().clCreateCommandQueue(context, tested().id, order | times, &code));
            if (code != 0) {
                std::cout << "  the device has no such queue: " << code << '\n';
                continue;
            }
            const Stream stream = open_stream(true, queue.get());
            run_in_order(stream);
            Words words = iota(1000);
            const Memory memory = allocate(4000);
            Event event;
            need(driver().copy_to_device(stream, memory, 0, words.data(), 4000, event.slot()));
            need(driver().event_wait(event));
            double seconds = 0;
            need(driver().event_span(event, event, &seconds));
            CHECK_EQ(seconds >= 0, times != 0);
        }
    }
    const Stream stream = open_stream();
    cl_int code = 0;
    const Words words = iota(100);
    const Handle theirs(api().clCreateBuffer(context, cl::CL_MEM_READ_WRITE, 400, nullptr, &code));
    CHECK_EQ(code, 0);
    Memory wrapped;
    need(driver().wrap(device(), theirs.get(), 400, wrapped.slot()));
    CHECK(driver().native(wrapped) == theirs.get());
    need(driver().copy_to_device(stream, wrapped, 0, words.data(), 400, nullptr));
    need(launch(stream, kernel(program(), "add"), 1, 100, nullptr, wrapped, std::uint32_t{5}, std::uint64_t{100}));
    CHECK_EQ(read(stream, wrapped, 100), iota(100, 5));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "400 bytes, not 401",
                  driver().wrap(device(), theirs.get(), 401, wrapped.slot()));
}

TEST("opencl-foreign: another context is refused with the way out") {
    const Memory ours = allocate(4);
    const Handle context = new_context();
    const Handle queue = new_queue(context.get(), 0);
    cl_int code = 0;
    const Handle memory(api().clCreateBuffer(context.get(), cl::CL_MEM_READ_WRITE, 400, nullptr, &code));
    Stream stream;
    Memory wrapped;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "CL_MEM_CONTEXT",
                  driver().stream_open(device(), queue.get(), 0, stream.slot()));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "another OpenCL context",
                  driver().wrap(device(), memory.get(), 400, wrapped.slot()));
}
