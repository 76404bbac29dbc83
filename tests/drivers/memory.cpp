// Every driver, through its C table: facts of devices, blocks of their memory, host memory, copies.
#include <algorithm>
#include <cstring>
#include <random>

#include "fixture.hpp"

namespace {

using namespace table;

constexpr std::uint64_t gibi = std::uint64_t{1} << 30;

std::vector<std::uint8_t> random_bytes(std::size_t n) {
    std::mt19937_64 random(n);
    std::vector<std::uint8_t> bytes(n);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
}

}  // namespace

TEST("facts: the device says what it is") {
    const mkz_device_facts its = device_facts();
    const mkz_driver_facts f = facts();
    std::cout << "  " << label() << ' ' << its.name << ", " << its.vendor << ", " << its.driver << ", " << its.isa
              << ", " << its.units << " units, " << its.memory_bytes << " bytes\n  compiler " << f.compiler
              << "\n  unified " << f.unified << ", cpu " << f.is_cpu << ", group " << f.max_group_size << ", local "
              << f.local_bytes << ", block " << f.max_allocation << '\n';
    CHECK_EQ(backend().abi, MKZ_BACKEND_ABI);
    CHECK(backend().device_count() > device());
    CHECK(std::strlen(its.name) > 0 && std::strlen(its.vendor) > 0 && std::strlen(its.driver) > 0);
    CHECK(std::string_view(its.isa).starts_with(fixture().isa));
    CHECK(its.units > 0);
    CHECK(its.memory_bytes >= f.max_allocation);
    CHECK_EQ(f.language, fixture().language);
    CHECK(f.unified == 0 || fixture().may_be_unified);
    CHECK(f.max_group_size >= 64);
    CHECK(f.local_bytes >= 16384);
    CHECK(f.max_allocation >= 128 << 20);
    CHECK(std::strlen(f.compiler) > 20);
    CHECK(std::strstr(f.compiler, fixture().compiler) != nullptr);
    mkz_device_facts none{};
    mkz_driver_facts nothing;
    const std::string there_is_none = std::string(backend().name) + ":1000: no such device; there are ";
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, there_is_none, backend().device_facts(1000, &none));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, there_is_none, driver().facts(1000, &nothing));
}

TEST("facts: tuning fills what is 0 and nothing else") {
    driver();
    const auto tune = [](mkz_policy policy) {
        backend().tune(device(), MKZ_KERNEL_MERGE_SUBTREES, MKZ_HASH_blake3, 1 << 20, 1, &policy);
        return policy;
    };
    const mkz_policy all = tune({});
    CHECK(all.levels_per_launch >= 1 && all.levels_per_launch <= 9);
    CHECK(all.group_size >= 1 && all.group_size <= facts().max_group_size);
    CHECK(all.lanes >= 1 && all.lanes <= 16);
    CHECK(all.constants >= MKZ_CONSTANTS_literal && all.constants <= MKZ_CONSTANTS_local);
    mkz_policy some{};
    some.group_size = 64;
    some.constants = MKZ_CONSTANTS_global;
    some = tune(some);
    CHECK(some.levels_per_launch >= 1 && some.levels_per_launch <= 9);
    CHECK_EQ(some.group_size, 64u);
    CHECK(some.lanes >= 1);
    CHECK_EQ(some.constants, std::uint32_t{MKZ_CONSTANTS_global});
    mkz_policy none = {3, 5, 1, MKZ_CONSTANTS_local, 0, 0, 0, 0};
    backend().tune(device(), MKZ_KERNEL_HASH_ROWS, MKZ_HASH_blake3, 1, 1, &none);
    CHECK_EQ(none.levels_per_launch, 3u);
    CHECK_EQ(none.group_size, 5u);
    CHECK_EQ(none.lanes, 1u);
    CHECK_EQ(none.constants, std::uint32_t{MKZ_CONSTANTS_local});
}

TEST("memory: bytes come back as they went, at any offset") {
    const Stream stream = open_stream();
    for (const std::uint64_t n : {1ull, 31ull, 4096ull, 4097ull, 3ull << 20, (3ull << 20) + 17}) {
        const auto in = random_bytes(n);
        std::vector<std::uint8_t> out(n);
        const Memory a = allocate(n + 100), b = allocate(n + 7);
        CHECK_EQ(driver().alignment(a), 256u);
        need(driver().copy_to_device(stream, a, 93, in.data(), n, nullptr));
        need(driver().copy_on_device(stream, b, 5, a, 93, n, nullptr));
        need(driver().copy_to_host(stream, out.data(), b, 5, n, nullptr));
        need(driver().stream_synchronize(stream));
        CHECK_EQ(in, out);
        if (n < 20000) continue;
        const auto middle = read<std::uint8_t>(stream, b, 1000, 5 + 12345);
        CHECK(std::equal(middle.begin(), middle.end(), in.begin() + 12345));
    }
    // Within one block, side by side.
    const Memory both = upload(stream, iota(64));
    need(driver().copy_on_device(stream, both, 128, both, 0, 128, nullptr));
    const Words words = read(stream, both, 64);
    for (std::uint32_t i = 0; i < 64; i++) CHECK_EQ(words[i], i % 32);
}

TEST("memory: rows of a matrix") {
    if (driver().copy_rows_to_device == nullptr) return;
    const Stream stream = open_stream();
    constexpr std::uint64_t n = 1000, bytes = 301, host_stride = 523, stride = 319, first = 93;
    const auto in = random_bytes(n * host_stride);
    void* host = nullptr;
    need(driver().allocate_host(device(), n * host_stride, &host));
    auto* const pinned = static_cast<std::uint8_t*>(host);
    std::vector<std::uint8_t> pageable(n * host_stride);
    const Memory there = allocate(first + n * stride);
    for (std::uint8_t* const at : {pinned, pageable.data()}) {
        std::copy(in.begin(), in.end(), at);
        const mkz_rows rows{.n = n, .bytes = bytes, .host_stride = host_stride, .stride = stride};
        Event up;
        std::vector<std::uint8_t> out(first + n * stride);
        need(driver().copy_to_device(stream, there, 0, out.data(), out.size(), nullptr));
        need(driver().copy_rows_to_device(stream, there, first, at, &rows, up.slot()));
        need(driver().copy_to_host(stream, out.data(), there, 0, out.size(), nullptr));
        need(driver().stream_synchronize(stream));
        std::uint64_t wrong = 0;
        for (std::uint64_t i = 0; i < n * stride; i++) {
            const std::uint64_t row = i / stride, at_row = i % stride;
            wrong += out[first + i] != (at_row < bytes ? in[row * host_stride + at_row] : 0);
        }
        CHECK_EQ(wrong, 0u);
    }
    for (const std::uint64_t too_far : {first + stride - bytes + 1, first + n * stride}) {
        const mkz_rows rows{.n = n, .bytes = bytes, .host_stride = host_stride, .stride = stride};
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "copy_rows_to_device: ",
                      driver().copy_rows_to_device(stream, there, too_far, pinned, &rows, nullptr));
    }
    driver().release_host(device(), host);
}

TEST("memory: copies outside a block are refused, empty ones are nothing") {
    const Stream stream = open_stream();
    const Memory memory = allocate(100), other = allocate(200);
    char host[200] = {};
    const std::pair<std::uint64_t, std::uint64_t> outside[] = {
        {0, 101}, {100, 1}, {101, 0}, {50, 51}, {UINT64_MAX, 1}, {UINT64_MAX, 2}, {2, UINT64_MAX}};
    for (const auto& [offset, bytes] : outside) {
        const std::string range =
            std::to_string(bytes) + " bytes at " + std::to_string(offset) + " are not in a block of 100 bytes";
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "copy_to_device: " + range,
                      driver().copy_to_device(stream, memory, offset, host, bytes, nullptr));
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, label(),
                      driver().copy_to_host(stream, host, memory, offset, bytes, nullptr));
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "copy_to_host: " + range,
                      driver().copy_to_host(stream, host, memory, offset, bytes, nullptr));
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "copy_on_device: " + range,
                      driver().copy_on_device(stream, memory, offset, other, 0, bytes, nullptr));
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, bytes > 200 ? " are not in a block of " : range,
                      driver().copy_on_device(stream, other, 0, memory, offset, bytes, nullptr));
    }
    for (const std::uint64_t from : {0, 20}) {
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "the two ranges of 11 bytes overlap: they begin 10 bytes apart",
                      driver().copy_on_device(stream, memory, 10, memory, from, 11, nullptr));
    }
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "the block of memory is null",
                  driver().copy_to_device(stream, nullptr, 0, host, 1, nullptr));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "the stream is null",
                  driver().copy_to_device(nullptr, memory, 0, host, 1, nullptr));
    need(driver().copy_to_device(stream, memory, 100, host, 0, nullptr));
    need(driver().copy_to_device(stream, memory, 99, host, 1, nullptr));
    Event event;
    need(driver().copy_to_host(stream, host, memory, 0, 0, event.slot()));
    need(driver().event_wait(event));
}

TEST("memory: what does not fit is out_of_memory with the sizes") {
    const std::uint64_t all = device_facts().memory_bytes, most = facts().max_allocation;
    Memory memory;
    for (const std::uint64_t bytes : {most + 1, 2 * all, std::uint64_t{1} << 60, UINT64_MAX - 5, UINT64_MAX}) {
        CHECK_REFUSED(MKZ_OUT_OF_MEMORY, "allocating " + std::to_string(bytes) + " bytes",
                      driver().allocate(device(), bytes, memory.slot()));
        CHECK_REFUSED(MKZ_OUT_OF_MEMORY, label(), driver().allocate(device(), bytes, memory.slot()));
        CHECK_REFUSED(MKZ_OUT_OF_MEMORY, std::to_string(most), driver().allocate(device(), bytes, memory.slot()));
    }
    std::cout << "  " << backend().last_error() << '\n';
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "at least 1 byte", driver().allocate(device(), 0, memory.slot()));
    void* host = nullptr;
    CHECK_REFUSED(MKZ_OUT_OF_MEMORY, "allocating " + std::to_string(UINT64_MAX) + " bytes of host memory",
                  driver().allocate_host(device(), UINT64_MAX, &host));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "at least 1 byte", driver().allocate_host(device(), 0, &host));
    const Stream stream = open_stream();
    CHECK_EQ(read(stream, upload(stream, iota(5)), 5), iota(5));
}

TEST("memory: a limit refuses what would exceed it, and nothing else") {
    constexpr std::uint64_t mib = 1 << 20;
    const mkz_driver& d = driver();
    const std::uint64_t before = d.memory_in_use(device());
    Memory first = allocate(4 * mib), second;
    CHECK_EQ(d.memory_in_use(device()), before + 4 * mib);
    need(d.limit_memory(device(), before + 10 * mib));
    need(d.allocate(device(), 6 * mib, second.slot()));
    second.reset();
    const std::string text = "allocating " + std::to_string(8 * mib) + " bytes: the device's memory limit is " +
                             std::to_string(before + 10 * mib) + " bytes, of which " +
                             std::to_string(before + 4 * mib) + " are in use";
    CHECK_REFUSED(MKZ_OUT_OF_MEMORY, text, d.allocate(device(), 8 * mib, second.slot()));
    CHECK_REFUSED(MKZ_OUT_OF_MEMORY, label(), d.allocate(device(), 8 * mib, second.slot()));
    CHECK_EQ(d.memory_in_use(device()), before + 4 * mib);
    // Memory of the host, and of the caller, does not count.
    void* host = nullptr;
    need(d.allocate_host(device(), 16 * mib, &host));
    d.release_host(device(), host);
    need(d.wrap(device(), d.native(first), 4 * mib, second.slot()));
    CHECK_EQ(d.memory_in_use(device()), before + 4 * mib);
    second.reset();
    // Blocks of changing sizes, released in between: what a driver keeps of them makes room. CUDA's pages are 2 MiB.
    for (std::uint64_t size = 2 * mib; size <= 6 * mib; size += 2 * mib) {
        need(d.allocate(device(), size, second.slot()));
        CHECK_EQ(d.memory_in_use(device()), before + 4 * mib + size);
        second.reset();
    }
    // A lower limit than what is in use: that stays, and nothing comes.
    need(d.limit_memory(device(), 1));
    CHECK_REFUSED(MKZ_OUT_OF_MEMORY, "memory limit is 1 bytes", d.allocate(device(), 4 * mib, second.slot()));
    const Stream stream = open_stream();
    write(stream, first, iota(5));
    CHECK_EQ(read(stream, first, 5), iota(5));
    first.reset();
    CHECK_REFUSED(MKZ_OUT_OF_MEMORY, "memory limit", d.allocate(device(), 4 * mib, second.slot()));
    CHECK_EQ(d.memory_in_use(device()), before);
    need(d.limit_memory(device(), 0));
    need(d.allocate(device(), 8 * mib, second.slot()));
}

TEST("memory: host memory for fast copies") {
    const Stream stream = open_stream();
    std::vector<char*> all;
    for (const std::uint64_t bytes : {1ull, 4096ull, 5000ull, 100'000ull, 1ull << 20}) {
        void* host = nullptr;
        need(driver().allocate_host(device(), bytes, &host));
        CHECK_EQ(reinterpret_cast<std::uintptr_t>(host) % (facts().unified ? 4096 : 256), 0u);
        auto* begin = static_cast<char*>(host);
        CHECK_EQ(driver().is_pinned(device(), begin), 1u);
        CHECK_EQ(driver().is_pinned(device(), begin + bytes - 1), 1u);
        const auto in = random_bytes(bytes);
        std::memcpy(begin, in.data(), bytes);
        const Memory memory = allocate(bytes);
        need(driver().copy_to_device(stream, memory, 0, begin, bytes, nullptr));
        need(driver().stream_synchronize(stream));
        CHECK_EQ(read<std::uint8_t>(stream, memory, bytes), in);
        std::memset(begin, 0, bytes);
        need(driver().copy_to_host(stream, begin, memory, 0, bytes, nullptr));
        need(driver().stream_synchronize(stream));
        CHECK(std::memcmp(begin, in.data(), bytes) == 0);
        all.push_back(begin);
    }
    const std::vector<std::uint8_t> ordinary(1 << 20);
    CHECK_EQ(driver().is_pinned(device(), ordinary.data()), facts().unified);
    for (char* host : all) driver().release_host(device(), host);
    driver().release_host(device(), nullptr);
}

TEST("memory: host bytes as a block are the kernels' own") {
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
        // The host writes, the device adds, the host reads. The copies in between move no bytes.
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
    // A copy to other host memory is a real one.
    CHECK_EQ(read(stream, memory, 2, 4 * (n - 2))[1], n - 1 + 3);
    // A part of the memory.
    words[100] = 7;
    need(driver().copy_to_device(stream, memory, 400, &words[100], 4, nullptr));
    need(launch(stream, kernel(program(), "add"), 25, 200, nullptr, memory, std::uint32_t{1}, n));
    need(driver().copy_to_host(stream, &words[100], memory, 400, 4, nullptr));
    need(driver().stream_synchronize(stream));
    CHECK_EQ(words[100], 8u);
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", driver().wrap_host(device(), nullptr, 4, memory.slot()));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "at least 1 byte",
                  driver().wrap_host(device(), words.data(), 0, memory.slot()));
}

TEST("memory: released while commands use it") {
    const Stream stream = open_stream();
    const Memory result = allocate(4 * slow_words);
    for (int i = 0; i < 20; i++) {
        Memory memory = allocate(4 * slow_words);
        start_slow(stream, memory, 100'000);
        need(driver().copy_on_device(stream, result, 0, memory, 0, 4 * slow_words, nullptr));
    }
    CHECK_EQ(read(stream, result, slow_words), slow_result(100'000));
}

TEST("memory: sizes over 4 GiB") {
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

TEST("memory: null is taken by what frees, refused by what uses") {
    const mkz_driver& d = driver();
    d.release(device(), nullptr);
    d.release_host(device(), nullptr);
    d.stream_close(nullptr);
    d.event_release(nullptr);
    d.program_release(nullptr);
    CHECK(d.native(nullptr) == nullptr);
    CHECK(d.event_native(nullptr) == nullptr);
    std::uint32_t done = 0;
    double seconds = 0;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "the event is null", d.event_wait(nullptr));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "the event is null", d.event_query(nullptr, &done));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "the event is null", d.event_span(nullptr, nullptr, &seconds));
    Event event;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "the stream is null", d.event_record(nullptr, event.slot()));
    Memory memory;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "no such device", d.allocate(1000, 1, memory.slot()));
    if (fixture().wraps_null) {
        need(d.wrap(device(), nullptr, 0, memory.slot()));
    } else {
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", d.wrap(device(), nullptr, 1, memory.slot()));
    }
}
