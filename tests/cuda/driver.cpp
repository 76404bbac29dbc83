// The CUDA backend's C table on a device: memory, copies, streams, events.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

#include "backends/cuda/device.hpp"
#include "backends/cuda/library.hpp"
#include "table.hpp"

namespace {

using namespace table;

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

std::vector<std::uint8_t> random_bytes(std::size_t n) {
    std::mt19937_64 random(n);
    std::vector<std::uint8_t> bytes(n);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
}

void late(mkz_stream* stream, const Memory& out, std::uint32_t value, std::uint64_t milliseconds,
          mkz_event** event = nullptr) {
    need(launch(stream, kernel(program(), "late"), 1, 1, event, out, value, milliseconds * 1'000'000));
}

std::uint32_t fill_and_read(mkz_stream* stream, std::uint32_t value) {
    const Memory block = allocate(4);
    need(launch(stream, kernel(program(), "fill"), 1, 32, nullptr, block, value, std::uint64_t{1}));
    return read(stream, block, 1)[0];
}

}  // namespace

TEST("cuda: facts") {
    driver();
    mkz_device_facts device{};
    need(backend().device_facts(0, &device));
    std::cout << "  " << device.name << ", " << device.vendor << ", driver " << device.driver << ", " << device.isa
              << ", " << device.units << " units, " << device.memory_bytes << " bytes\n";
    CHECK_EQ(backend().abi, MKZ_BACKEND_ABI);
    CHECK_EQ(std::string(backend().name), "cuda");
    CHECK(backend().device_count() >= 1);
    CHECK(std::strlen(device.name) > 0);
    CHECK_EQ(std::string(device.vendor), "NVIDIA");
    CHECK(std::string(device.driver).find("CUDA ") != std::string::npos);
    CHECK(std::string(device.isa).rfind("sm_", 0) == 0);
    CHECK(device.units > 0 && device.memory_bytes > mib);

    mkz_driver_facts facts;
    need(driver().facts(table::device(), &facts));
    std::cout << "  " << facts.compiler << ", " << facts.max_group_size << " items a group, " << facts.local_bytes
              << " bytes of local memory\n";
    CHECK(facts.language == MKZ_LANGUAGE_CUDA);
    CHECK(facts.unified == 0 && facts.is_cpu == 0);
    CHECK_EQ(facts.max_group_size, 1024u);
    CHECK_EQ(facts.local_bytes, 49152u);
    CHECK_EQ(facts.max_allocation, device.memory_bytes);
    CHECK(std::string(facts.compiler).find(device.isa) != std::string::npos);
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "no device 1000", backend().device_facts(1000, &device));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "no device 1000", driver().facts(1000, &facts));
}

TEST("cuda: tuning fills what is 0 and nothing else") {
    mkz_policy policy{};
    policy.group_size = 64;
    policy.constants = MKZ_CONSTANTS_global;
    backend().tune(0, MKZ_KERNEL_MERGE_SUBTREES, MKZ_HASH_blake3, 1 << 20, 0, &policy);
    CHECK(policy.levels_per_launch >= 1 && policy.levels_per_launch <= 9);
    CHECK_EQ(policy.group_size, 64u);
    CHECK(policy.lanes >= 1);
    CHECK_EQ(policy.constants, static_cast<std::uint32_t>(MKZ_CONSTANTS_global));
}

TEST("cuda: copies with offsets") {
    const Stream stream = open_stream();
    constexpr std::size_t n = 3 * mib + 17;
    const auto bytes = random_bytes(n);
    const Memory a = allocate(n + 100);
    const Memory b = allocate(n + 100);
    write(stream, a, bytes, 33);
    need(driver().copy_on_device(stream, b, 7, a, 33, n, nullptr));
    CHECK_EQ(read<std::uint8_t>(stream, b, n, 7), bytes);
    const auto middle = read<std::uint8_t>(stream, b, 1000, 7 + 12345);
    CHECK(std::equal(middle.begin(), middle.end(), bytes.begin() + 12345));
    for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1}}) {
        need(driver().copy_to_device(stream, a, n + 100 - length, bytes.data(), length, nullptr));
    }
    std::uint8_t byte = 0;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "not inside", driver().copy_to_device(stream, a, n + 100, &byte, 1, nullptr));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "not inside", driver().copy_to_host(stream, &byte, a, UINT64_MAX, 1, nullptr));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "not inside", driver().copy_on_device(stream, a, 0, b, 1, n + 100, nullptr));
}

TEST("cuda: page-locked host memory") {
    const Stream stream = open_stream();
    void* host = nullptr;
    need(driver().allocate_host(device(), mib, &host));
    CHECK_EQ(reinterpret_cast<std::uintptr_t>(host) % 4096, 0u);
    CHECK_EQ(driver().is_pinned(device(), host), 1u);
    CHECK_EQ(driver().is_pinned(device(), static_cast<std::uint8_t*>(host) + mib - 1), 1u);
    const auto bytes = random_bytes(mib);
    std::memcpy(host, bytes.data(), mib);
    CHECK_EQ(driver().is_pinned(device(), bytes.data()), 0u);
    const Memory block = allocate(mib);
    CHECK_EQ(driver().is_pinned(device(), driver().native(block)), 0u);
    need(driver().copy_to_device(stream, block, 0, host, mib, nullptr));
    CHECK_EQ(read<std::uint8_t>(stream, block, mib), bytes);
    Memory wrapped;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "host memory", driver().wrap(device(), host, mib, wrapped.slot()));
    CHECK_REFUSED(MKZ_UNAVAILABLE, "memory of its own", driver().wrap_host(device(), host, mib, wrapped.slot()));
    driver().release_host(device(), host);
    driver().release_host(device(), nullptr);
}

TEST("cuda: streams wait for events of others") {
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

TEST("cuda: a stream of the caller's") {
    namespace cuda = merklize::cuda;
    driver();
    // The legacy default stream and the calling thread's own have these two handles.
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
        const Stream again = open_stream(false, created);  // closing ours has left it alone
        CHECK_EQ(fill_and_read(again, 42), 42u);
    }
    CHECK_EQ(cuda::driver().cuStreamDestroy(created), 0);
}

TEST("cuda: the caller's context comes back") {
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

TEST("cuda: events end and have times") {
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

TEST("cuda: a stream without times") {
    const Stream stream = open_stream(false);
    const Memory block = allocate(4);
    Event event;
    late(stream, block, 1, 1, event.slot());
    need(driver().event_wait(event));
    double seconds = 0;
    need(driver().event_span(event, event, &seconds));
    CHECK(seconds < 0);
}

TEST("cuda: events of copies and of nothing") {
    const Stream stream = open_stream(true);
    const Memory block = allocate(mib);
    std::vector<std::uint8_t> bytes(mib);
    Event to, on, back, none;
    need(driver().copy_to_device(stream, block, 0, bytes.data(), mib, to.slot()));
    need(driver().copy_on_device(stream, block, 0, block, mib / 2, mib / 2, on.slot()));
    need(driver().copy_to_host(stream, bytes.data(), block, 0, mib, back.slot()));
    need(launch(stream, kernel(program(), "increase"), 0, 32, none.slot(), block, std::uint64_t{0}));
    for (const Event* event : {&to, &on, &back, &none}) {
        double seconds = -1;
        need(driver().event_wait(*event));
        need(driver().event_span(*event, *event, &seconds));
        CHECK(seconds >= 0);
    }
}

TEST("cuda: out of memory says how much there is") {
    mkz_device_facts facts{};
    driver();
    need(backend().device_facts(0, &facts));
    Memory block;
    for (const std::uint64_t bytes : {facts.memory_bytes - 1, 2 * facts.memory_bytes, UINT64_MAX - 5, UINT64_MAX}) {
        CHECK_REFUSED(MKZ_OUT_OF_MEMORY, std::to_string(bytes) + " bytes",
                      driver().allocate(device(), bytes, block.slot()));
        CHECK(std::string(backend().last_error()).find(" free of ") != std::string::npos);
        CHECK(std::string(backend().last_error()).rfind("cuda:0", 0) == 0);
    }
    const Stream stream = open_stream();
    CHECK_EQ(fill_and_read(stream, 3), 3u);
    allocate(0);
}

// Released blocks are kept for the next of their size, but not from somebody who needs the memory.
TEST("cuda: kept blocks are used again, and given up when memory is short") {
    mkz_device_facts facts{};
    driver();
    need(backend().device_facts(0, &facts));
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
        allocate(facts.memory_bytes / 3);  // more than may be kept
        CHECK(free_bytes() >= before);
    }
    for (int i = 0; i < 4; i++) {
        const Memory a = allocate(size / 2), b = allocate(size / 2);
    }
    const Memory nearly_all = allocate(free_bytes() + size / 2);
}

TEST("cuda: a block is released while commands use it") {
    const Stream stream = open_stream();
    const Stream other = open_stream();
    constexpr std::uint64_t size = 40 * mib;  // no other test's
    Memory block = allocate(size);
    void* const address = driver().native(block);
    block.reset();
    block = allocate(size);
    CHECK(driver().native(block) == address);
    block.reset();
    // Twice: with the stream open, and with it closed before the block is released.
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
    // When its last command has ended, the block is there again.
    block = allocate(size);
    const Memory second = allocate(size);
    CHECK(driver().native(block) == address || driver().native(second) == address);
}

TEST("cuda: a block used by a thread's own default stream is released") {
    const Stream stream = open_stream(false, reinterpret_cast<void*>(std::uintptr_t{2}));
    Memory block = allocate(4);
    Event end;
    late(stream, block, 1, 50, end.slot());
    block.reset();
    std::uint32_t done = 0;
    need(driver().event_query(end, &done));
    CHECK_EQ(done, 1u);  // nobody else can wait for that stream, so release() has
}

TEST("cuda: the caller's memory as a block") {
    const Stream stream = open_stream();
    const Memory block = allocate(4096);
    void* const address = driver().native(block);
    Memory wrapped, empty;
    need(driver().wrap(device(), static_cast<std::uint8_t*>(address) + 1024, 1024, wrapped.slot()));
    CHECK(driver().native(wrapped) == static_cast<std::uint8_t*>(address) + 1024);
    std::vector<std::uint32_t> numbers(256);
    std::iota(numbers.begin(), numbers.end(), 0u);
    write(stream, wrapped, numbers);
    need(launch(stream, kernel(program(), "increase"), 1, 256, nullptr, wrapped, std::uint64_t{256}));
    CHECK_EQ(read(stream, wrapped, 256)[255], 256u);
    wrapped.reset();
    CHECK_EQ(read(stream, block, 256, 1024)[7], 8u);
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "host memory", driver().wrap(device(), numbers.data(), 1024, wrapped.slot()));
    need(driver().wrap(device(), nullptr, 0, empty.slot()));
}

TEST("cuda: freeing nothing") {
    driver().release(device(), nullptr);
    driver().stream_close(nullptr);
    driver().event_release(nullptr);
    driver().program_release(nullptr);
}
