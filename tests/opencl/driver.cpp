// Memory, copies, streams and events of the OpenCL driver.
#include <algorithm>
#include <cstring>
#include <thread>

#include "table.hpp"

namespace {

using namespace table;

constexpr std::uint64_t gibi = std::uint64_t{1} << 30;

// Takes long enough to be seen running.
void start_slow(mkz_stream* stream, const Memory& memory, std::uint32_t rounds, mkz_event** event = nullptr) {
    need(launch(stream, kernel(program(), "slow"), 4, 64, event, memory, rounds));
}
constexpr std::size_t slow_words = 256;
constexpr std::uint32_t slow_rounds = 3'000'000;

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

TEST("opencl-facts: the device says what it is") {
    driver();
    CHECK_EQ(backend().abi, MKZ_BACKEND_ABI);
    CHECK(backend().device_count() > device());
    mkz_device_facts device_facts{};
    need(backend().device_facts(device(), &device_facts));
    const mkz_driver_facts f = facts();
    std::cout << "  " << label() << ", " << device_facts.vendor << ", " << device_facts.driver << ", "
              << device_facts.isa << ", " << device_facts.units << " units, " << device_facts.memory_bytes
              << " bytes\n  compiler " << f.compiler << "\n  unified " << f.unified << ", cpu " << f.is_cpu
              << ", group " << f.max_group_size << ", local " << f.local_bytes << ", block " << f.max_allocation
              << '\n';
    CHECK(std::strlen(device_facts.name) > 0);
    CHECK(std::strlen(device_facts.vendor) > 0);
    CHECK(std::strlen(device_facts.driver) > 0);
    CHECK(std::string_view(device_facts.isa).starts_with("OpenCL C "));
    CHECK(device_facts.units > 0);
    CHECK(device_facts.memory_bytes >= f.max_allocation);
    CHECK_EQ(f.language, MKZ_LANGUAGE_OPENCL);
    CHECK(f.max_group_size >= 64);
    CHECK(f.local_bytes >= 16384);
    CHECK(f.max_allocation >= 128 << 20);
    CHECK(std::strlen(f.compiler) > 20);
    CHECK(std::strstr(f.compiler, " #") != nullptr);
    mkz_driver_facts none;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "opencl:1000: no such device", driver().facts(1000, &none));
}

TEST("opencl-facts: tuning fills what is 0 and nothing else") {
    driver();
    mkz_policy policy{};
    backend().tune(device(), MKZ_KERNEL_MERGE_SUBTREES, MKZ_HASH_blake3, 1 << 20, 1, &policy);
    CHECK(policy.levels_per_launch >= 1 && policy.levels_per_launch <= 9);
    CHECK(policy.group_size >= 1 && policy.group_size <= facts().max_group_size);
    CHECK(policy.lanes >= 1 && policy.lanes <= 16);
    CHECK(policy.constants >= MKZ_CONSTANTS_literal && policy.constants <= MKZ_CONSTANTS_local);
    policy = {3, 5, 1, MKZ_CONSTANTS_local, 0, 0, 0, 0};
    backend().tune(device(), MKZ_KERNEL_HASH_ROWS, MKZ_HASH_blake3, 1, 1, &policy);
    CHECK_EQ(policy.levels_per_launch, 3u);
    CHECK_EQ(policy.group_size, 5u);
    CHECK_EQ(policy.lanes, 1u);
    CHECK_EQ(policy.constants, std::uint32_t{MKZ_CONSTANTS_local});
}

TEST("opencl-memory: bytes come back as they went, at any offset") {
    const Stream stream = open_stream();
    for (const std::uint64_t bytes : {1ull, 31ull, 4096ull, 4097ull, 3ull << 20}) {
        std::vector<unsigned char> in(bytes), out(bytes);
        for (std::uint64_t i = 0; i < bytes; i++) in[i] = static_cast<unsigned char>(i * 37 + bytes);
        const Memory a = allocate(bytes + 100), b = allocate(bytes + 7);
        need(driver().copy_to_device(stream, a, 93, in.data(), bytes, nullptr));
        need(driver().copy_on_device(stream, b, 5, a, 93, bytes, nullptr));
        need(driver().copy_to_host(stream, out.data(), b, 5, bytes, nullptr));
        need(driver().stream_synchronize(stream));
        CHECK_EQ(in, out);
    }
    // Within one block, side by side.
    const Memory both = upload(stream, iota(64));
    need(driver().copy_on_device(stream, both, 128, both, 0, 128, nullptr));
    const Words words = read(stream, both, 64);
    for (std::uint32_t i = 0; i < 64; i++) CHECK_EQ(words[i], i % 32);
}

TEST("opencl-memory: copies outside a block are refused, empty ones are nothing") {
    const Stream stream = open_stream();
    const Memory memory = allocate(100);
    char host[200] = {};
    const auto refused = [&](std::uint64_t offset, std::uint64_t bytes) {
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "100 bytes",
                      driver().copy_to_device(stream, memory, offset, host, bytes, nullptr));
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, label(),
                      driver().copy_to_host(stream, host, memory, offset, bytes, nullptr));
    };
    refused(0, 101);
    refused(100, 1);
    refused(101, 0);
    refused(50, 51);
    refused(UINT64_MAX, 2);
    refused(2, UINT64_MAX);
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "overlap", driver().copy_on_device(stream, memory, 10, memory, 0, 11, nullptr));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", driver().copy_to_device(stream, nullptr, 0, host, 1, nullptr));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", driver().copy_to_device(nullptr, memory, 0, host, 1, nullptr));
    need(driver().copy_to_device(stream, memory, 100, host, 0, nullptr));
    Event event;
    need(driver().copy_to_host(stream, host, memory, 0, 0, event.slot()));
    need(driver().event_wait(event));
}

TEST("opencl-memory: what does not fit is out_of_memory with the sizes") {
    driver();
    Memory memory;
    for (const std::uint64_t bytes : {std::uint64_t{1} << 60, UINT64_MAX}) {
        CHECK_REFUSED(MKZ_OUT_OF_MEMORY, std::to_string(bytes), driver().allocate(device(), bytes, memory.slot()));
        CHECK_REFUSED(MKZ_OUT_OF_MEMORY, label(), driver().allocate(device(), bytes, memory.slot()));
        CHECK_REFUSED(MKZ_OUT_OF_MEMORY, std::to_string(facts().max_allocation),
                      driver().allocate(device(), bytes, memory.slot()));
    }
    std::cout << "  " << backend().last_error() << '\n';
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "at least 1 byte", driver().allocate(device(), 0, memory.slot()));
    void* host = nullptr;
    CHECK_REFUSED(MKZ_OUT_OF_MEMORY, std::to_string(UINT64_MAX), driver().allocate_host(device(), UINT64_MAX, &host));
}

TEST("opencl-memory: host memory for fast copies") {
    const Stream stream = open_stream();
    std::vector<char*> all;
    for (const std::uint64_t bytes : {1ull, 4096ull, 100'000ull}) {
        void* host = nullptr;
        need(driver().allocate_host(device(), bytes, &host));
        CHECK_EQ(reinterpret_cast<std::uintptr_t>(host) % 4096, 0u);
        auto* begin = static_cast<char*>(host);
        CHECK_EQ(driver().is_pinned(device(), begin), 1u);
        CHECK_EQ(driver().is_pinned(device(), begin + bytes - 1), 1u);
        std::memset(begin, static_cast<int>(bytes % 100), bytes);
        const Memory memory = allocate(bytes);
        need(driver().copy_to_device(stream, memory, 0, begin, bytes, nullptr));
        need(driver().stream_synchronize(stream));
        std::memset(begin, 0, bytes);
        need(driver().copy_to_host(stream, begin, memory, 0, bytes, nullptr));
        need(driver().stream_synchronize(stream));
        CHECK_EQ(begin[0], static_cast<char>(bytes % 100));
        CHECK_EQ(begin[bytes - 1], static_cast<char>(bytes % 100));
        all.push_back(begin);
    }
    int ordinary = 0;
    CHECK_EQ(driver().is_pinned(device(), &ordinary), facts().unified);
    for (char* host : all) driver().release_host(device(), host);
    driver().release_host(device(), nullptr);
}

TEST("opencl-memory: host bytes as a block are the kernels' own") {
    const Stream stream = open_stream();
    Memory memory;
    Words words = iota(5000);
    if (facts().unified == 0) {
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "memory of its own",
                      driver().wrap_host(device(), words.data(), 4, memory.slot()));
        return;
    }
    const std::uint64_t n = words.size();
    need(driver().wrap_host(device(), words.data(), 4 * n, memory.slot()));
    for (std::uint32_t round = 1; round <= 3; round++) {
        // The host writes, the device adds, the host reads: each hand-over moves nothing.
        words[round] = 1000;
        need(driver().copy_to_device(stream, memory, 0, words.data(), 4 * n, nullptr));
        need(launch(stream, kernel(program(), "add"), 25, 200, nullptr, memory, std::uint32_t{1}, n));
        Event event;
        need(driver().copy_to_host(stream, words.data(), memory, 0, 4 * n, event.slot()));
        need(driver().event_wait(event));
        need(driver().stream_synchronize(stream));
        CHECK_EQ(words[0], round);
        CHECK_EQ(words[round], 1001u);
        CHECK_EQ(words[n - 1], n - 1 + round);
    }
    // To other bytes it is a copy.
    CHECK_EQ(read(stream, memory, 2, 4 * (n - 2))[1], n - 1 + 3);
    // A part of it.
    words[100] = 7;
    need(driver().copy_to_device(stream, memory, 400, &words[100], 4, nullptr));
    need(launch(stream, kernel(program(), "add"), 25, 200, nullptr, memory, std::uint32_t{1}, n));
    need(driver().copy_to_host(stream, &words[100], memory, 400, 4, nullptr));
    need(driver().stream_synchronize(stream));
    CHECK_EQ(words[100], 8u);
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", driver().wrap_host(device(), nullptr, 4, memory.slot()));
}

TEST("opencl-memory: released while commands use it") {
    const Stream stream = open_stream();
    const std::uint64_t n = slow_words;
    const Memory result = allocate(4 * n);
    for (int i = 0; i < 20; i++) {
        Memory memory = allocate(4 * n);
        start_slow(stream, memory, 100'000);
        need(driver().copy_on_device(stream, result, 0, memory, 0, 4 * n, nullptr));
    }
    CHECK_EQ(read(stream, result, n), slow_result(100'000));
}

TEST("opencl-memory: sizes over 4 GiB") {
    if (std::getenv("MERKLIZE_LARGE_TESTS") == nullptr) return;
    const std::uint64_t bytes = std::min<std::uint64_t>(facts().max_allocation, 4 * gibi + 4096);
    std::cout << "  a block of " << bytes << " bytes" << std::endl;
    const Stream stream = open_stream(true);
    Words words = iota(bytes / 4);
    const Memory a = allocate(bytes);
    Event to, from;
    need(driver().copy_to_device(stream, a, 0, words.data(), bytes, to.slot()));
    need(driver().stream_synchronize(stream));
    std::ranges::fill(words, 0);
    need(driver().copy_to_host(stream, words.data(), a, 0, bytes, from.slot()));
    need(driver().event_wait(from));
    CHECK_EQ(words, iota(bytes / 4));
    double seconds = 0;
    need(driver().event_span(to, from, &seconds));
    CHECK(seconds > 0);
    std::cout << "  there and back in " << seconds << " s" << std::endl;
    const std::uint64_t groups = (std::uint64_t{1} << 32) / 64 + 1, n = 64 * groups;
    need(launch(stream, kernel(program(), "last"), groups, 64, nullptr, a, n));
    CHECK_EQ(read(stream, a, 2)[0], static_cast<std::uint32_t>(n - 1));
    CHECK_EQ(read(stream, a, 2)[1], 1u);
}

TEST("opencl-stream: a stream waits for an event of another") {
    const Stream a = open_stream(), b = open_stream();
    const Memory memory = allocate(4 * slow_words);
    const Words expected = slow_result(slow_rounds);
    for (int i = 0; i < 5; i++) {
        Words zeros(slow_words), out(slow_words);
        need(driver().copy_to_device(a, memory, 0, zeros.data(), 4 * slow_words, nullptr));
        Event written, read;
        start_slow(a, memory, slow_rounds, written.slot());
        need(driver().stream_wait(b, written));
        need(driver().copy_to_host(b, out.data(), memory, 0, 4 * slow_words, read.slot()));
        need(driver().event_wait(read));
        CHECK_EQ(out, expected);
        need(driver().stream_synchronize(a));
        need(driver().stream_wait(b, written));  // long done
        written.reset();
        need(driver().stream_synchronize(b));
    }
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", driver().stream_wait(a, nullptr));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", driver().stream_synchronize(nullptr));
}

TEST("opencl-stream: commands of one stream run in order") {
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

TEST("opencl-stream: closed with work queued") {
    const Memory memory = allocate(4 * slow_words);
    Event event;
    {
        const Stream stream = open_stream(true);
        start_slow(stream, memory, slow_rounds, event.slot());
    }
    need(driver().event_wait(event));
    const Stream other = open_stream();
    CHECK_EQ(read(other, memory, slow_words), slow_result(slow_rounds));
}

TEST("opencl-event: queries and spans") {
    const Stream stream = open_stream(true);
    const Memory memory = allocate(4 * slow_words);
    Words words(slow_words);
    Event kernel_event, copy_event;
    start_slow(stream, memory, slow_rounds, kernel_event.slot());
    need(driver().copy_to_host(stream, words.data(), memory, 0, 4 * slow_words, copy_event.slot()));
    std::uint32_t done = 0;
    int asked = 0;
    for (; done == 0; asked++) {
        need(driver().event_query(copy_event, &done));
        std::this_thread::yield();
    }
    std::cout << "  asked " << asked << " times\n";
    CHECK_EQ(words, slow_result(slow_rounds));
    need(driver().event_wait(copy_event));
    double kernel_seconds = -5, copy_seconds = -5, all_seconds = -5;
    need(driver().event_span(kernel_event, kernel_event, &kernel_seconds));
    need(driver().event_span(copy_event, copy_event, &copy_seconds));
    need(driver().event_span(kernel_event, copy_event, &all_seconds));
    std::cout << "  kernel " << kernel_seconds << " s, copy " << copy_seconds << " s, both " << all_seconds << " s\n";
    CHECK(kernel_seconds > 0);
    CHECK(copy_seconds >= 0);
    CHECK(all_seconds >= kernel_seconds);
    CHECK(all_seconds < 3600);

    const Stream untimed = open_stream(false);
    Event no_times;
    start_slow(untimed, memory, 10, no_times.slot());
    need(driver().event_wait(no_times));
    need(driver().event_span(no_times, no_times, &all_seconds));
    CHECK(all_seconds < 0);
}

TEST("opencl-stream: eight threads, a stream each, and all on one") {
    const Stream shared = open_stream();
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

TEST("opencl-misuse: null is taken by what frees, refused by what uses") {
    const mkz_driver& d = driver();
    d.release(device(), nullptr);
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
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", d.wrap(device(), nullptr, 1, memory.slot()));
}
