// The caller's own sycl::queue as a stream, and USM as a block.
#include <sycl/sycl.hpp>

#include "fixture.hpp"

namespace {

using namespace table;

// The device that the driver calls device(): the one that its memory is of.
sycl::device sycl_device() {
    const Memory memory = allocate(256);
    for (const sycl::platform& platform : sycl::platform::get_platforms()) {
        const sycl::context context = platform.khr_get_default_context();
        void* address = driver().native(memory);
        if (sycl::get_pointer_type(address, context) == sycl::usm::alloc::device)
            return sycl::get_pointer_device(address, context);
    }
    throw std::runtime_error("the driver's memory is of no platform's default context");
}

}  // namespace

TEST("sycl-queue: a caller's queue keeps the order of both sides' commands") {
    const sycl::device theirs = sycl_device();
    for (const bool in_order : {true, false}) {
        sycl::queue queue = in_order ? sycl::queue(theirs, sycl::property::queue::in_order())
                                     : sycl::queue(theirs, sycl::property_list{});
        const Stream stream = open_stream(true, &queue);
        const std::uint64_t n = 1000;
        auto* words = sycl::malloc_shared<std::uint32_t>(n, queue);
        Memory memory;
        need(driver().wrap(device(), words, 4 * n, memory.slot()));
        std::uint32_t expected = 0;
        for (std::uint32_t i = 1; i <= 100; i++) {
            // The caller's commands come before ours. In a caller's out-of-order queue, barriers around ours order
            // them.
            if (i % 20 == 1) {
                queue.fill(words, i, n);
                expected = i;
            }
            need(launch(stream, kernel(program(), "add"), 5, 200, nullptr, memory, i, n));
            expected += i;
        }
        Event event;
        need(launch(stream, kernel(program(), "add"), 5, 200, event.slot(), memory, std::uint32_t{1}, n));
        need(driver().event_wait(event));
        CHECK_EQ(words[0], expected + 1);
        CHECK_EQ(words[n - 1], expected + 1);
        // The queue was made without profiling, so it has no times.
        double seconds = 5;
        need(driver().event_span(event, event, &seconds));
        CHECK(seconds < 0);
        need(driver().stream_synchronize(stream));
        memory.reset();
        sycl::free(words, queue);
    }
}

TEST("sycl-queue: one of another context is refused") {
    const sycl::device theirs = sycl_device();
    sycl::queue queue(sycl::context(theirs), theirs);
    Stream stream;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "another context", driver().stream_open(device(), &queue, 0, stream.slot()));
}

TEST("sycl-queue: times where the queue has them") {
    sycl::queue queue(sycl_device(), sycl::property::queue::enable_profiling());
    const Stream stream = open_stream(true, &queue);
    const Memory memory = allocate(4 * 256);
    Event event;
    need(launch(stream, kernel(program(), "slow"), 4, 64, event.slot(), memory, std::uint32_t{100'000}));
    need(driver().event_wait(event));
    double seconds = 0;
    need(driver().event_span(event, event, &seconds));
    CHECK(seconds > 0);
}

TEST("sycl-memory: a caller's USM is a block, any other pointer is not") {
    const Stream stream = open_stream();
    const Memory ours = upload(stream, iota(100));
    Memory theirs;
    // A part of a block, as a caller's own allocation.
    need(driver().wrap(device(), static_cast<char*>(driver().native(ours)) + 40, 80, theirs.slot()));
    CHECK_EQ(driver().alignment(theirs), 8u);
    CHECK_EQ(read(stream, theirs, 20), iota(20, 10));
    theirs.reset();
    CHECK_EQ(read(stream, ours, 100)[99], 99u);
    int ordinary = 0;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "not USM", driver().wrap(device(), &ordinary, 4, theirs.slot()));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", driver().wrap(device(), nullptr, 4, theirs.slot()));
}
