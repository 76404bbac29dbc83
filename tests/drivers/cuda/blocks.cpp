// CUDA's blocks of memory: blocks that are kept after their release, that commands still use at their release, and the
// caller's own.
#include <algorithm>
#include <chrono>
#include <thread>

#include "backends/cuda/device.hpp"
#include "backends/cuda/library.hpp"
#include "fixture.hpp"
#include "late.hpp"

namespace {

using namespace table;

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

}  // namespace

TEST("cuda-blocks: out of memory says how much there is") {
    const std::uint64_t all = device_facts().memory_bytes;
    Memory block;
    for (const std::uint64_t bytes : {all - 1, 2 * all, UINT64_MAX - 5, UINT64_MAX}) {
        CHECK_REFUSED(MKZ_OUT_OF_MEMORY, std::to_string(bytes) + " bytes",
                      driver().allocate(device(), bytes, block.slot()));
        CHECK(std::string(backend().last_error()).find(" free of ") != std::string::npos);
        CHECK(std::string(backend().last_error()).starts_with(label()));
    }
    const Stream stream = open_stream();
    CHECK_EQ(read(stream, upload(stream, {3}), 1)[0], 3u);
}

TEST("cuda-blocks: page-locked host memory is none of the device's") {
    void* host = nullptr;
    need(driver().allocate_host(device(), mib, &host));
    const Memory block = allocate(mib);
    CHECK_EQ(driver().is_pinned(device(), driver().native(block)), 0u);
    Memory wrapped;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "host memory", driver().wrap(device(), host, mib, wrapped.slot()));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "memory of its own", driver().wrap_host(device(), host, mib, wrapped.slot()));
    driver().release_host(device(), host);
}

// Released blocks are kept for the next one of their size, and given up when memory is short.
TEST("cuda-blocks: kept blocks are used again, and given up when memory is short") {
    const mkz_device_facts facts = device_facts();
    const auto free_bytes = [] {
        std::size_t free = 0, total = 0;
        const merklize::cuda::Current current(merklize::cuda::device_of(0));
        CHECK_EQ(merklize::cuda::driver().cuMemGetInfo(&free, &total), 0);
        return free;
    };
    const std::uint64_t size = std::min(facts.memory_bytes / 8, std::uint64_t{free_bytes() / 4});
    allocate(size);
    const std::size_t before = free_bytes();
    allocate(size);
    CHECK_EQ(free_bytes(), before);
    if (before > facts.memory_bytes / 2) {
        allocate(facts.memory_bytes / 3);  // more than the limit of kept memory
        CHECK(free_bytes() >= before);
    }
    for (int i = 0; i < 4; i++) {
        const Memory a = allocate(size / 2), b = allocate(size / 2);
    }
    const Memory nearly_all = allocate(free_bytes() + size / 2);
}

// By the driver's own figure of free memory.
TEST("cuda-blocks: in use and kept, no more is taken than a limit allows") {
    const auto free_bytes = [] {
        std::size_t free = 0, total = 0;
        const merklize::cuda::Current current(merklize::cuda::device_of(0));
        CHECK_EQ(merklize::cuda::driver().cuMemGetInfo(&free, &total), 0);
        return free;
    };
    constexpr std::uint64_t limit = 256 * mib, rounding = 4 * mib;
    need(driver().limit_memory(device(), 1));  // gives up all kept blocks
    const std::uint64_t in_use = driver().memory_in_use(device());
    const std::size_t before = free_bytes();
    need(driver().limit_memory(device(), in_use + limit));
    std::uint64_t most = 0;
    for (std::uint64_t size = 10 * mib; size <= 120 * mib; size += 22 * mib) {
        {
            const Memory a = allocate(size), b = allocate(size + 4 * mib);
            most = std::max<std::uint64_t>(most, before - free_bytes());
        }
        most = std::max<std::uint64_t>(most, before - free_bytes());
    }
    CHECK(most >= 200 * mib && most <= limit + rounding);
    need(driver().limit_memory(device(), in_use + 20 * mib));
    CHECK(free_bytes() + 20 * mib + rounding >= before);
    need(driver().limit_memory(device(), 0));
}

TEST("cuda-blocks: a block is released while commands use it") {
    const Stream stream = open_stream();
    const Stream other = open_stream();
    constexpr std::uint64_t size = 40 * mib;  // a size that no other test uses
    Memory block = allocate(size);
    void* const address = driver().native(block);
    block.reset();
    block = allocate(size);
    CHECK(driver().native(block) == address);
    block.reset();
    // First with the stream open, then with the stream closed before the block is released.
    for (const bool close_first : {false, true}) {
        Stream busy = open_stream();
        block = allocate(size);
        Event end;
        late(busy, block, 77, 200, end.slot());
        Memory result = allocate(4);
        need(driver().copy_on_device(busy, result, 0, block, 0, 4, nullptr));
        if (close_first) busy.reset();
        std::uint32_t done = 0;
        need(driver().event_query(end, &done));
        const bool pending = done == 0;
        CHECK(pending || close_first);  // compute-sanitizer waits when a stream closes
        const auto start = std::chrono::steady_clock::now();
        block.reset();
        const Memory next = allocate(size);
        CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(100));
        need(driver().event_query(end, &done));
        CHECK(!pending || done == 0);
        need(launch(other, kernel(program(), "fill"), 1, 32, nullptr, next, 5u, std::uint64_t{1}));
        CHECK_EQ(read(other, next, 1)[0], 5u);
        if (close_first) {
            need(driver().event_wait(end));
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            CHECK_EQ(read(other, result, 1)[0], 77u);
        } else {
            CHECK_EQ(read(busy, result, 1)[0], 77u);
        }
    }
    // When the last command on the block has ended, the block can be allocated again.
    block = allocate(size);
    const Memory second = allocate(size);
    CHECK(driver().native(block) == address || driver().native(second) == address);
}

TEST("cuda-blocks: a block used by a thread's own default stream is released") {
    const Stream stream = open_stream(false, reinterpret_cast<void*>(std::uintptr_t{2}));
    Memory block = allocate(4);
    Event end;
    late(stream, block, 1, 50, end.slot());
    block.reset();
    std::uint32_t done = 0;
    need(driver().event_query(end, &done));
    CHECK_EQ(done, 1u);  // another thread cannot wait for that stream, so release() waited
}

TEST("cuda-blocks: the caller's memory as a block") {
    const Stream stream = open_stream();
    const Memory block = allocate(4096);
    void* const address = driver().native(block);
    Memory wrapped, empty;
    need(driver().wrap(device(), static_cast<std::uint8_t*>(address) + 1024, 1024, wrapped.slot()));
    CHECK(driver().native(wrapped) == static_cast<std::uint8_t*>(address) + 1024);
    Words numbers = iota(256);
    write(stream, wrapped, numbers);
    need(launch(stream, kernel(program(), "add"), 1, 256, nullptr, wrapped, std::uint32_t{1}, std::uint64_t{256}));
    CHECK_EQ(read(stream, wrapped, 256)[255], 256u);
    wrapped.reset();
    CHECK_EQ(read(stream, block, 256, 1024)[7], 8u);
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "host memory", driver().wrap(device(), numbers.data(), 1024, wrapped.slot()));
    need(driver().wrap(device(), nullptr, 0, empty.slot()));
}
