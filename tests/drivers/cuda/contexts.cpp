// Features of CUDA alone: its facts, the caller's streams and contexts, and times to the millisecond.
#include <cstring>
#include <thread>

#include "backends/cuda/device.hpp"
#include "backends/cuda/library.hpp"
#include "fixture.hpp"
#include "late.hpp"

namespace {

using namespace table;

std::uint32_t fill_and_read(mkz_stream* stream, std::uint32_t value) {
    const Memory block = allocate(4);
    need(launch(stream, kernel(program(), "fill"), 1, 32, nullptr, block, value, std::uint64_t{1}));
    return read(stream, block, 1)[0];
}

}  // namespace

TEST("cuda-facts: what NVIDIA's devices have") {
    const mkz_device_facts its = device_facts();
    CHECK_EQ(std::string(backend().name), "cuda");
    CHECK_EQ(std::string(its.vendor), "NVIDIA");
    CHECK(std::string(its.driver).find("CUDA ") != std::string::npos);
    const mkz_driver_facts f = facts();
    CHECK(f.unified == 0 && f.is_cpu == 0);
    CHECK_EQ(f.max_group_size, 1024u);
    CHECK_EQ(f.local_bytes, 49152u);
    CHECK_EQ(f.max_allocation, its.memory_bytes);
    CHECK(std::string(f.compiler).find(its.isa) != std::string::npos);
}

TEST("cuda-contexts: a stream of the caller's") {
    namespace cuda = merklize::cuda;
    driver();
    // These two handles are the legacy default stream and the calling thread's default stream.
    for (const std::uintptr_t handle : {1, 2}) {
        const Stream stream = open_stream(true, reinterpret_cast<void*>(handle));
        CHECK_EQ(fill_and_read(stream, 40), 40u);
    }
    cuda::CUstream created = nullptr;
    {
        const cuda::Current current(cuda::device_of(0));
        CHECK_EQ(cuda::driver().cuStreamCreate(&created, 0), 0);
    }
    {
        const Stream stream = open_stream(true, created);
        CHECK_EQ(fill_and_read(stream, 41), 41u);
    }
    {
        const Stream again = open_stream(false, created);  // closing our handle did not destroy the stream
        CHECK_EQ(fill_and_read(again, 42), 42u);
    }
    CHECK_EQ(cuda::driver().cuStreamDestroy(created), 0);
}

TEST("cuda-contexts: the caller's context comes back") {
    namespace cuda = merklize::cuda;
    driver();
    std::thread([] {
        const auto current = [] {
            cuda::CUcontext context = nullptr;
            CHECK_EQ(cuda::driver().cuCtxGetCurrent(&context), 0);
            return context;
        };
        CHECK(current() == nullptr);
        const Stream stream = open_stream();
        CHECK_EQ(fill_and_read(stream, 5), 5u);
        CHECK(current() == nullptr);
        const cuda::Current ours(cuda::device_of(0));
        CHECK_EQ(fill_and_read(stream, 6), 6u);
        CHECK(current() == cuda::device_of(0).context());
    }).join();
}

TEST("cuda-contexts: events end and have times") {
    const Stream stream = open_stream(true);
    const Memory block = allocate(4);
    Event first, last;
    late(stream, block, 1, 50, first.slot());
    std::uint32_t done = 1;
    need(driver().event_query(first, &done));
    CHECK_EQ(done, 0u);
    need(driver().copy_to_device(stream, block, 0, &done, 4, nullptr));
    late(stream, block, 2, 20, last.slot());
    double seconds = 0;
    need(driver().event_wait(last));
    need(driver().event_query(first, &done));
    CHECK_EQ(done, 1u);
    need(driver().event_span(first, first, &seconds));
    CHECK(seconds > 0.045 && seconds < 2);
    double both = 0;
    need(driver().event_span(first, last, &both));
    CHECK(both > seconds + 0.015);
}

TEST("cuda-contexts: streams wait for events of others") {
    const Stream first = open_stream();
    const Stream second = open_stream();
    const Memory value = allocate(4);
    const Memory copy = allocate(4);
    write<std::uint32_t>(first, value, {1});
    Event written;
    late(first, value, 2, 100, written.slot());
    need(driver().stream_wait(second, written));
    need(driver().copy_on_device(second, copy, 0, value, 0, 4, nullptr));
    CHECK_EQ(read(second, copy, 1)[0], 2u);
}
