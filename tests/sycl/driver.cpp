// Memory, copies, streams and events of the SYCL driver.
#include <algorithm>
#include <cstring>
#include <thread>

#include "table.hpp"

namespace {

using namespace table;

constexpr std::size_t slow_words = 256;
constexpr std::uint32_t slow_rounds = 3'000'000;

// Takes long enough to be seen running.
void start_slow(mkz_stream* stream, const Memory& memory, std::uint32_t rounds, mkz_event** event = nullptr) {
    need(launch(stream, kernel(program(), "slow"), 4, 64, event, memory, rounds));
}

Words slow_result(std::uint32_t rounds) {
    // The generator's steps compose: x -> a x + c.
    std::uint32_t a = 1, c = 0;
    for (std::uint32_t i = 0; i < rounds; i++) {
        a *= 1664525;
        c = c * 1664525 + 1013904223;
    }
    Words all(slow_words);
    for (std::uint32_t i = 0; i < slow_words; i++) all[i] = (a * i + c) | 1;
    return all;
}

}  // namespace

TEST("sycl-facts: the device says what it is") {
    driver();
    CHECK_EQ(backend().abi, MKZ_BACKEND_ABI);
    CHECK_EQ(std::string_view(backend().name), "sycl");
    mkz_device_facts its{};
    need(backend().device_facts(device(), &its));
    const mkz_driver_facts f = facts();
    std::cout << "  " << its.name << ", " << its.vendor << ", " << its.driver << ", " << its.isa << ", " << its.units
              << " units\n  compiler " << f.compiler << "\n  unified " << f.unified << ", group " << f.max_group_size
              << ", local " << f.local_bytes << ", block " << f.max_allocation << '\n';
    CHECK(std::strlen(its.name) > 0 && std::strlen(its.vendor) > 0 && std::strlen(its.driver) > 0);
    CHECK(std::string_view(its.isa).starts_with("SYCL, "));
    CHECK(its.units > 0);
    CHECK_EQ(f.language, MKZ_LANGUAGE_SYCL);
    CHECK(f.max_group_size >= 64 && f.local_bytes >= 16384 && f.max_allocation >= 128 << 20);
    CHECK(std::strstr(f.compiler, " #") != nullptr);
    mkz_driver_facts none;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "sycl:1000: no such device", driver().facts(1000, &none));
}

TEST("sycl-memory: bytes come back as they went, at any offset") {
    const Stream stream = open_stream();
    for (const std::uint64_t bytes : {1ull, 31ull, 4096ull, 4097ull, 3ull << 20}) {
        std::vector<unsigned char> in(bytes), out(bytes);
        for (std::uint64_t i = 0; i < bytes; i++) in[i] = static_cast<unsigned char>(i * 37 + bytes);
        const Memory a = allocate(bytes + 100), b = allocate(bytes + 7);
        CHECK_EQ(driver().alignment(a), 256u);
        need(driver().copy_to_device(stream, a, 93, in.data(), bytes, nullptr));
        need(driver().copy_on_device(stream, b, 5, a, 93, bytes, nullptr));
        need(driver().copy_to_host(stream, out.data(), b, 5, bytes, nullptr));
        need(driver().stream_synchronize(stream));
        CHECK_EQ(in, out);
    }
}

TEST("sycl-memory: copies outside a block are refused, empty ones are nothing") {
    const Stream stream = open_stream();
    const Memory memory = allocate(100);
    char host[200] = {};
    const std::pair<std::uint64_t, std::uint64_t> wrong[] = {{0, 101}, {100, 1}, {101, 0}, {UINT64_MAX, 2}};
    for (const auto& [offset, bytes] : wrong) {
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "100 bytes",
                      driver().copy_to_device(stream, memory, offset, host, bytes, nullptr));
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "sycl:" + std::to_string(device()) + " (",
                      driver().copy_to_host(stream, host, memory, offset, bytes, nullptr));
    }
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "overlap", driver().copy_on_device(stream, memory, 10, memory, 0, 11, nullptr));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", driver().copy_to_device(stream, nullptr, 0, host, 1, nullptr));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", driver().copy_to_device(nullptr, memory, 0, host, 1, nullptr));
    Event event;
    need(driver().copy_to_host(stream, host, memory, 0, 0, event.slot()));
    need(driver().event_wait(event));
}

TEST("sycl-memory: what does not fit is out_of_memory with the sizes") {
    Memory memory;
    for (const std::uint64_t bytes : {std::uint64_t{1} << 60, UINT64_MAX}) {
        CHECK_REFUSED(MKZ_OUT_OF_MEMORY, std::to_string(bytes), driver().allocate(device(), bytes, memory.slot()));
        CHECK_REFUSED(MKZ_OUT_OF_MEMORY, std::to_string(facts().max_allocation),
                      driver().allocate(device(), bytes, memory.slot()));
    }
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "at least 1 byte", driver().allocate(device(), 0, memory.slot()));
    void* host = nullptr;
    CHECK_REFUSED(MKZ_OUT_OF_MEMORY, std::to_string(UINT64_MAX), driver().allocate_host(device(), UINT64_MAX, &host));
}

TEST("sycl-memory: host memory, for fast copies and as a block") {
    const Stream stream = open_stream();
    void* host = nullptr;
    need(driver().allocate_host(device(), 5000, &host));
    CHECK_EQ(reinterpret_cast<std::uintptr_t>(host) % 4096, 0u);
    CHECK_EQ(driver().is_pinned(device(), host), 1u);
    driver().release_host(device(), host);
    Memory memory;
    Words words = iota(5000);
    const std::uint64_t n = words.size();
    if (facts().unified == 0) {
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "memory of its own",
                      driver().wrap_host(device(), words.data(), 4, memory.slot()));
        return;
    }
    need(driver().wrap_host(device(), words.data(), 4 * n, memory.slot()));
    for (std::uint32_t round = 1; round <= 3; round++) {
        // The host writes, the device adds, the host reads: each hand-over moves nothing.
        words[round] = 1000;
        need(driver().copy_to_device(stream, memory, 0, words.data(), 4 * n, nullptr));
        need(launch(stream, kernel(program(), "add"), 25, 200, nullptr, memory, std::uint32_t{1}, n));
        Event event;
        need(driver().copy_to_host(stream, words.data(), memory, 0, 4 * n, event.slot()));
        need(driver().event_wait(event));
        CHECK_EQ(words[0], round);
        CHECK_EQ(words[round], 1001u);
        CHECK_EQ(words[n - 1], n - 1 + round);
    }
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", driver().wrap_host(device(), nullptr, 4, memory.slot()));
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

TEST("sycl-memory: released while commands use it") {
    const Stream stream = open_stream();
    const Memory result = allocate(4 * slow_words);
    for (int i = 0; i < 20; i++) {
        Memory memory = allocate(4 * slow_words);
        start_slow(stream, memory, 100'000);
        need(driver().copy_on_device(stream, result, 0, memory, 0, 4 * slow_words, nullptr));
    }
    CHECK_EQ(read(stream, result, slow_words), slow_result(100'000));
}

TEST("sycl-stream: a stream waits for an event of another") {
    const Stream a = open_stream(), b = open_stream();
    const Memory memory = allocate(4 * slow_words);
    const Words expected = slow_result(slow_rounds);
    for (int i = 0; i < 5; i++) {
        const Words zeros(slow_words);
        Words out(slow_words);
        need(driver().copy_to_device(a, memory, 0, zeros.data(), 4 * slow_words, nullptr));
        Event written, read;
        start_slow(a, memory, slow_rounds, written.slot());
        need(driver().stream_wait(b, written));
        need(driver().copy_to_host(b, out.data(), memory, 0, 4 * slow_words, read.slot()));
        need(driver().event_wait(read));
        CHECK_EQ(out, expected);
        need(driver().stream_wait(b, written));  // long done
        written.reset();
        need(driver().stream_synchronize(b));
    }
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", driver().stream_wait(a, nullptr));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", driver().stream_synchronize(nullptr));
}

TEST("sycl-stream: commands of one stream run in order") {
    const Stream stream = open_stream();
    const std::uint64_t n = 1000;
    const Memory memory = upload(stream, Words(n, 0));
    std::uint32_t expected = 0;
    for (std::uint32_t i = 0; i < 300; i++) {
        if (i % 10 == 0) {
            need(launch(stream, kernel(program(), "fill"), 5, 200, nullptr, memory, i, n));
            expected = i;
        }
        need(launch(stream, kernel(program(), "add"), 5, 200, nullptr, memory, i, n));
        expected += i;
    }
    CHECK_EQ(read(stream, memory, n)[0], expected);
}

TEST("sycl-event: queries and spans") {
    const Stream stream = open_stream(true);
    const Memory memory = allocate(4 * slow_words);
    Words words(slow_words);
    Event kernel_event, copy_event;
    start_slow(stream, memory, slow_rounds, kernel_event.slot());
    need(driver().copy_to_host(stream, words.data(), memory, 0, 4 * slow_words, copy_event.slot()));
    for (std::uint32_t done = 0; done == 0; std::this_thread::yield()) need(driver().event_query(copy_event, &done));
    CHECK_EQ(words, slow_result(slow_rounds));
    double of_kernel = -5, of_copy = -5, of_all = -5;
    need(driver().event_span(kernel_event, kernel_event, &of_kernel));
    need(driver().event_span(copy_event, copy_event, &of_copy));
    need(driver().event_span(kernel_event, copy_event, &of_all));
    CHECK(of_kernel > 0 && of_copy >= 0 && of_all >= of_kernel && of_all < 60);

    const Stream untimed = open_stream(false);
    Event no_times;
    start_slow(untimed, memory, 10, no_times.slot());
    need(driver().event_wait(no_times));
    need(driver().event_span(no_times, no_times, &of_all));
    CHECK(of_all < 0);
}

TEST("sycl-stream: eight threads, a stream each, and all on one") {
    const Stream shared = open_stream();
    program();
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 8; t++) {
        threads.emplace_back([&shared, t] {
            try {
                const Stream own = open_stream();
                for (std::uint32_t i = 0; i < 40; i++) {
                    mkz_stream* stream = i % 2 == 0 ? own : shared;
                    const std::uint64_t n = 100 + t;
                    const Words words = iota(n, 1000 * t + i);
                    const Memory memory = allocate(4 * n);
                    Words out(n);
                    Event event;
                    need(driver().copy_to_device(stream, memory, 0, words.data(), 4 * n, nullptr));
                    need(launch(stream, kernel(program(), "add"), 2, 64, nullptr, memory, t, n));
                    need(driver().copy_to_host(stream, out.data(), memory, 0, 4 * n, event.slot()));
                    if (i % 3 == 0) need(driver().stream_synchronize(stream));
                    need(driver().event_wait(event));
                    CHECK_EQ(out, iota(n, 1000 * t + i + t));
                }
            } catch (const std::exception& e) {
                check::fail(__FILE__, __LINE__, e.what());
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
}

TEST("sycl-misuse: null is taken by what frees, refused by what uses") {
    const mkz_driver& d = driver();
    d.release(device(), nullptr);
    d.release_host(device(), nullptr);
    d.stream_close(nullptr);
    d.event_release(nullptr);
    d.program_release(nullptr);
    CHECK(d.native(nullptr) == nullptr);
    std::uint32_t done = 0;
    double seconds = 0;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", d.event_wait(nullptr));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", d.event_query(nullptr, &done));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", d.event_span(nullptr, nullptr, &seconds));
    Memory memory;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "no such device", d.allocate(1000, 1, memory.slot()));
}
