// How the OpenCL driver handles failures that no healthy device shows. Functions of its table are replaced for a while,
// because failed user events do not work: PoCL 3.1 aborts at one, and Intel's runtime runs the commands that wait for
// it.
#include <algorithm>

#include "backends/opencl/api.hpp"
#include "backends/opencl/device.hpp"
#include "fixture.hpp"

namespace {

using namespace table;
namespace cl = merklize::opencl;

/// Replaces a function or fact by `with` until the end of the scope.
template <class T>
class Replaced {
public:
    Replaced(T& place, T with) : place_(place), before_(std::exchange(place, with)) {}
    Replaced(const Replaced&) = delete;
    Replaced& operator=(const Replaced&) = delete;
    ~Replaced() { place_ = before_; }

private:
    T& place_;
    T before_;
};

// The table is made once and then only read, but it is no constant.
cl::Api& functions() { return const_cast<cl::Api&>(cl::api()); }

cl::cl_int code = 0;  // what replaced functions return

struct Commands {
    Stream stream = open_stream();
    Memory memory = allocate(4096);
    Words words = iota(1024);
    std::uint64_t n = 1024;

    mkz_status copy(mkz_event** event = nullptr) {
        return driver().copy_to_device(stream, memory, 0, words.data(), 4096, event);
    }
    mkz_status launch(mkz_event** event = nullptr) {
        return table::launch(stream, kernel(program(), "add"), 16, 64, event, memory, std::uint32_t{1}, n);
    }
    // After a failure everything works.
    void expect_recovered() {
        need(copy());
        need(launch());
        CHECK_EQ(read(stream, memory, 1024), iota(1024, 1));
    }
};

cl::cl_int failed_status(cl::cl_event, cl::cl_uint, std::size_t, void* value, std::size_t*) {
    *static_cast<cl::cl_int*>(value) = code;
    return 0;
}

}  // namespace

TEST("opencl-failure: memory that is not there") {
    Commands f;
    Memory memory;
    for (const cl::cl_int failure : {-4, -5, -6, -61}) {
        code = failure;
        const Replaced create(
            functions().clCreateBuffer, +[](cl::cl_context, cl::cl_bitfield, std::size_t, void*, cl::cl_int* c) {
                *c = code;
                return cl::cl_mem{};
            });
        CHECK_REFUSED(MKZ_OUT_OF_MEMORY, "(" + std::to_string(failure) + ") while allocating 12345 bytes",
                      driver().allocate(device(), 12345, memory.slot()));
        CHECK_REFUSED(MKZ_OUT_OF_MEMORY, "blocks of up to", driver().allocate(device(), 12345, memory.slot()));
    }
    // A device that allocates memory only at its first use.
    for (const cl::cl_int failure : {-4, -5, -6}) {
        code = failure;
        const Replaced write(
            functions().clEnqueueWriteBuffer,
            +[](cl::cl_command_queue, cl::cl_mem, cl::cl_bool, std::size_t, std::size_t, const void*, cl::cl_uint,
                const cl::cl_event*, cl::cl_event*) { return code; });
        const Replaced run(
            functions().clEnqueueNDRangeKernel,
            +[](cl::cl_command_queue, cl::cl_kernel, cl::cl_uint, const std::size_t*, const std::size_t*,
                const std::size_t*, cl::cl_uint, const cl::cl_event*, cl::cl_event*) { return code; });
        CHECK_REFUSED(MKZ_OUT_OF_MEMORY, "while copying to the device 4096 bytes", f.copy());
        Event event;
        CHECK_REFUSED(MKZ_OUT_OF_MEMORY, "while running add with 16 groups of 64 items", f.launch(event.slot()));
        CHECK(event == nullptr);
    }
    std::cout << "  " << backend().last_error() << '\n';
    f.expect_recovered();
}

TEST("opencl-failure: a command that fails later is told by what waits for it") {
    Commands f;
    for (const cl::cl_int failure : {-5, -14, -2, -9999}) {
        code = failure;
        Event event;
        need(f.launch(event.slot()));
        {
            const Replaced status(functions().clGetEventInfo, failed_status);
            std::uint32_t done = 0;
            CHECK_REFUSED(MKZ_INTERNAL,
                          "(" + std::to_string(failure) + ") while running add with 16 groups of 64 items",
                          driver().event_wait(event));
            CHECK_REFUSED(MKZ_INTERNAL, "running add", driver().event_query(event, &done));
            CHECK_EQ(done, 1u);
            CHECK_REFUSED(MKZ_INTERNAL, label() + ": ", driver().stream_synchronize(f.stream));
        }
        // The error is reported once.
        need(driver().stream_synchronize(f.stream));
    }
    // The same without an event of the caller, and with commands enqueued after it.
    code = -5;
    need(f.launch());
    {
        const Replaced status(functions().clGetEventInfo, failed_status);
        need(f.copy());
    }
    need(f.copy());
    CHECK_REFUSED(MKZ_INTERNAL, "CL_OUT_OF_RESOURCES (-5) while running add", driver().stream_synchronize(f.stream));
    std::cout << "  " << backend().last_error() << '\n';
    need(driver().stream_synchronize(f.stream));
    // The error of missing memory keeps its status, also if it comes late.
    code = -4;
    need(f.launch());
    {
        const Replaced status(functions().clGetEventInfo, failed_status);
        CHECK_REFUSED(MKZ_OUT_OF_MEMORY, "CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)",
                      driver().stream_synchronize(f.stream));
    }
    f.expect_recovered();
}

TEST("opencl-failure: a queue that is gone") {
    Commands f;
    need(f.copy());
    {
        code = -36;
        const auto fails = +[](cl::cl_command_queue) { return code; };
        const Replaced finish(functions().clFinish, fails);
        CHECK_REFUSED(MKZ_INTERNAL, "clFinish: CL_INVALID_COMMAND_QUEUE (-36)", driver().stream_synchronize(f.stream));
        const Replaced flush(functions().clFlush, fails);
        CHECK_REFUSED(MKZ_INTERNAL, "clFlush: CL_INVALID_COMMAND_QUEUE (-36)", f.copy());
        code = -5;
        CHECK_REFUSED(MKZ_INTERNAL, "clFinish: CL_OUT_OF_RESOURCES (-5)", driver().stream_synchronize(f.stream));
    }
    f.expect_recovered();
}

TEST("opencl-failure: no compiler, no compiled form") {
    driver();
    Program program;
    {
        const Replaced build(
            functions().clBuildProgram, +[](cl::cl_program, cl::cl_uint, const cl::cl_device_id*, const char*,
                                            cl::ProgramNotify, void*) { return cl::cl_int{-3}; });
        CHECK_REFUSED(MKZ_UNAVAILABLE, "CL_COMPILER_NOT_AVAILABLE (-3)",
                      driver().program_build(device(), kernels(), nullptr, program.slot()));
    }
    const Replaced info(
        functions().clGetProgramInfo, +[](cl::cl_program, cl::cl_uint, std::size_t, void*, std::size_t* size) {
            if (size != nullptr) *size = 0;
            return cl::cl_int{0};
        });
    CHECK_REFUSED(MKZ_UNAVAILABLE, "no compiled form",
                  driver().program_binary(table::program(), [](void*, const void*, std::uint64_t) {}, nullptr));
}

TEST("opencl-failure: a device with memory of its own gets host memory from its driver") {
    Commands f;
    const Replaced unified(cl::device_of(device()).driver_facts.unified, 0u);
    std::vector<void*> all;
    for (const std::uint64_t bytes : {1ull, 5000ull, 1ull << 20}) {
        void* host = nullptr;
        need(driver().allocate_host(device(), bytes, &host));
        all.push_back(host);
        CHECK_EQ(reinterpret_cast<std::uintptr_t>(host) % 4096, 0u);
        auto* begin = static_cast<char*>(host);
        std::fill(begin, begin + bytes, 'x');
        CHECK_EQ(driver().is_pinned(device(), begin), 1u);
        CHECK_EQ(driver().is_pinned(device(), begin + bytes - 1), 1u);
        const Memory memory = allocate(bytes);
        need(driver().copy_to_device(f.stream, memory, 0, host, bytes, nullptr));
        std::vector<char> back(bytes);
        need(driver().copy_to_host(f.stream, back.data(), memory, 0, bytes, nullptr));
        need(driver().stream_synchronize(f.stream));
        CHECK_EQ(back, std::vector<char>(bytes, 'x'));
    }
    int ordinary = 0;
    CHECK_EQ(driver().is_pinned(device(), &ordinary), 0u);
    for (void* host : all) {
        driver().release_host(device(), host);
        CHECK_EQ(driver().is_pinned(device(), host), 0u);
    }
    driver().release_host(device(), &ordinary);  // not one of its own: nothing happens
    void* host = nullptr;
    CHECK_REFUSED(MKZ_OUT_OF_MEMORY, "1152921504606846976 bytes of host memory",
                  driver().allocate_host(device(), std::uint64_t{1} << 60, &host));
    Memory memory;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "memory of its own",
                  driver().wrap_host(device(), f.words.data(), 4, memory.slot()));
}
