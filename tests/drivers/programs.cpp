// Every driver, through its C table: programs, their compiled form, launches.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "backends/sealed.hpp"
#include "fixture.hpp"

namespace {

using namespace table;

struct Key {
    std::uint64_t a;
    std::uint32_t b[6];
};

void expect_filled(mkz_program* program) {
    const Stream stream = open_stream();
    const std::uint64_t n = 300;
    const Memory memory = allocate(4 * n);
    need(launch(stream, kernel(program, "fill"), 5, 64, nullptr, memory, std::uint32_t{11}, n));
    CHECK_EQ(read(stream, memory, n), iota(n, 11));
}

}  // namespace

TEST("programs: a refused text comes back with the compiler's log") {
    driver();
    Program program;
    const auto refused = [&](std::string_view part, const std::string& text, const char* options = nullptr) {
        CHECK_REFUSED(MKZ_INTERNAL, part, driver().program_build(device(), text.c_str(), options, program.slot()));
    };
    const std::string wrong = kernel_text("wrong", "out[0] = undeclared_name;");
    refused("undeclared_name", wrong);
    refused(label(), wrong);
    refused("-DOTHER=1", wrong, "-DOTHER=1");
    std::cout << "  " << backend().last_error() << '\n';
    refused("stop here", "#error stop here");
    refused(label(), "#error stop here");
    refused("no-such-option", kernels(), "-no-such-option");
    std::string many = fixture().prelude;
    for (int i = 0; i < 3000; i++) {
        const std::string number = std::to_string(i);
        many += "KERNEL wrong_" + number + "(GLOBAL u32* out) { out[0] = unknown_" + number + "; }\n";
    }
    refused("unknown_0", many);
    CHECK(std::strlen(backend().last_error()) < 9000);
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "the text of the program is null",
                  driver().program_build(device(), nullptr, nullptr, program.slot()));
}

TEST("programs: options reach the compiler") {
    const Program program = build(kernel_text("value", "out[0] = FIRST + SECOND;").c_str(), fixture().options_of_42);
    const Stream stream = open_stream();
    const Memory memory = allocate(4);
    need(launch(stream, kernel(program, "value"), 1, 1, nullptr, memory));
    CHECK_EQ(read(stream, memory, 1)[0], 42u);
}

TEST("programs: kernels by name") {
    mkz_function *once = nullptr, *again = nullptr;
    std::uint32_t most = 0;
    mkz_program* const built = program();
    need(driver().program_function(built, "fill", &once, &most));
    need(driver().program_function(built, "fill", &again, nullptr));
    CHECK_EQ(once, again);
    CHECK(most >= 1 && most <= facts().max_group_size);
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "the program has no kernel no_such_kernel",
                  driver().program_function(built, "no_such_kernel", &once, &most));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, label(), driver().program_function(built, "no_such_kernel", &once, nullptr));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "the program is null",
                  driver().program_function(nullptr, "fill", &once, &most));
}

TEST("programs: a binary makes the same program") {
    const std::string binary = binary_of(program());
    std::cout << "  " << binary.size() << " bytes\n";
    Program loaded, again;
    need(load(binary, loaded));
    expect_filled(loaded);
    need(load(binary_of(loaded), again));
    expect_filled(again);
}

TEST("programs: a damaged binary is refused") {
    const std::string binary = binary_of(program());
    Program program;
    const auto refused = [&](const std::string& bytes, std::string_view part = "a compiled program of ") {
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, part, load(bytes, program));
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "is damaged: ", load(bytes, program));
    };
    const auto flipped = [&](std::size_t at, unsigned bit) {
        std::string damaged = binary;
        char& byte = damaged[std::min(at, binary.size() - 1)];
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ 1u << bit);
        return damaged;
    };
    // A bit of each of the first bytes, then bits anywhere.
    for (std::size_t i = 0; i < 64; i++) refused(flipped(i, 2));
    for (std::size_t i = 0; i <= 60; i++) refused(flipped(binary.size() / 60 * i, i % 8));
    for (std::size_t size = 0; size < 400; size++) refused(binary.substr(0, size));
    refused(binary.substr(0, binary.size() / 2));
    refused(binary.substr(0, binary.size() - 1));
    refused(binary + '\0');
    refused("", "too short");
    refused(std::string(1000, 'x'), "not one of this library's");
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "too short", driver().program_load(device(), nullptr, 0, program.slot()));
    expect_filled(table::program());
    need(load(binary, program));
    expect_filled(program);
}

TEST("programs: a binary of another compiler, and one that the vendor refuses") {
    namespace backends = merklize::backends;
    const std::string sealed = binary_of(program());
    const backends::Opened opened = backends::open_sealed(sealed, "test");
    const std::string other = std::string(opened.maker) + "1", nonsense(opened.binary.size(), '?');
    Program program;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "made by another compiler: " + other,
                  load(backends::seal(other, opened.binary), program));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "another compiler", load(backends::seal("", opened.binary), program));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, label(), load(backends::seal("", opened.binary), program));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "loading a compiled program",
                  load(backends::seal(opened.maker, nonsense), program));
    std::cout << "  " << backend().last_error() << '\n';
}

TEST("programs: words, structs, blocks and null as arguments, memory of a group") {
    const Stream stream = open_stream();
    const Memory out = allocate(11 * 8), in = upload(stream, {5, 6}), null;
    const std::uint64_t wide = 0x123456789abcdef0;
    const Key key{0x1122334455667788, {1, 2, 3, 4, 5, 0xffffffff}};
    // Kernels take the same arguments however their program was made, also an argument that is never read.
    const Program optioned = build(kernels(), fixture().harmless_option);
    Program loaded;
    need(load(binary_of(program()), loaded));
    for (mkz_program* made : {program(), static_cast<mkz_program*>(optioned), static_cast<mkz_program*>(loaded)}) {
        for (const bool given : {true, false, true}) {
            const Memory& block = given ? in : null;
            need(launch(stream, kernel(made, "kinds"), 1, 1, nullptr, out, 0xfedcba98u, wide, key, block, 0u));
            const auto got = read<std::uint64_t>(stream, out, 11);
            const std::vector<std::uint64_t> wanted{0xfedcba98, wide, key.a, 1,          2,
                                                    3,          4,    5,     0xffffffff, given ? 6u : 0u};
            CHECK_EQ(std::vector(got.begin(), got.end() - 1), wanted);
            if (!given) CHECK_EQ(got[10], 0u);
            if (given && fixture().native_is_address)
                CHECK_EQ(got[10], reinterpret_cast<std::uintptr_t>(driver().native(in)));
        }
        need(launch(stream, kernel(made, "kinds"), 1, 1, nullptr, out, 0u, UINT64_MAX - 1, key, nullptr, 0u));
        const auto got = read<std::uint64_t>(stream, out, 11);
        CHECK_EQ(got[0], 0u);
        CHECK_EQ(got[1], UINT64_MAX - 1);
        CHECK_EQ(got[9], 0u);

        const Memory turned = upload(stream, iota(256));
        need(launch(stream, kernel(made, "turn"), 4, 64, nullptr, turned));
        const Words words = read(stream, turned, 256);
        for (std::uint32_t i = 0; i < 256; i++) CHECK_EQ(words[i], 64 * (i / 64) + 63 - i % 64);
    }
}

TEST("programs: launches that cannot be are refused") {
    const Stream stream = open_stream();
    const Memory memory = upload(stream, Words(64, 9));
    mkz_function* fill = nullptr;
    std::uint32_t most = 0;
    need(driver().program_function(program(), "fill", &fill, &most));
    const std::uint64_t n = 64;
    const std::uint32_t first = 0;
    const auto refused = [](std::string_view part, mkz_status status) {
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, part, status);
    };
    refused("kernel fill: groups of 0 items; here it takes 1 to " + std::to_string(most),
            launch(stream, fill, 1, 0, nullptr, memory, first, n));
    for (const std::uint32_t size : {most + 1, 1u << 30}) {
        refused("kernel fill: groups of " + std::to_string(size) + " items; here it takes 1 to " + std::to_string(most),
                launch(stream, fill, 1, size, nullptr, memory, first, n));
    }
    if (fixture().notices_missing_arguments)
        refused("kernel fill: it takes 3 arguments, not 2", launch(stream, fill, 1, 64, nullptr, memory, first));
    refused("kernel fill: it takes 3 arguments, not 4", launch(stream, fill, 1, 64, nullptr, memory, first, n, n));
    refused(label(), launch(stream, fill, 1, 64, nullptr, memory, first, n, n));
    refused("kernel fill: 18446744073709551615 groups are more than the device can count",
            launch(stream, fill, UINT64_MAX, 64, nullptr, memory, first, n));
    refused("the kernel is null", launch(stream, nullptr, 1, 64, nullptr, memory, first, n));
    refused("the stream is null", launch(nullptr, fill, 1, 64, nullptr, memory, first, n));
    if (fixture().checks_argument_sizes) {
        refused("fill", launch(stream, fill, 1, 64, nullptr, memory, first, first));
        refused("fill", launch(stream, fill, 1, 64, nullptr, memory, n, n));
    }
    CHECK_EQ(read(stream, memory, 64), Words(64, 9));
    need(launch(stream, fill, 1, most, nullptr, memory, first, n));
    CHECK_EQ(read(stream, memory, 64), iota(64));
    Event event;
    need(launch(stream, fill, 0, 64, event.slot(), memory, std::uint32_t{7}, n));  // no group at all
    need(driver().event_wait(event));
    need(launch(stream, fill, 0, 64, nullptr, memory, std::uint32_t{7}, n));
    CHECK_EQ(read(stream, memory, 64), iota(64));
    need(launch(stream, fill, 4, 32, nullptr, memory, std::uint32_t{6}, n));
    CHECK_EQ(read(stream, memory, 64), iota(64, 6));
}

TEST("programs: many threads launch one kernel") {
    constexpr std::uint32_t n_rounds = 200;
    mkz_function* fill = kernel(program(), "fill");
    in_threads(8, [&](std::uint32_t t) {
        const Stream stream = open_stream();
        const std::uint64_t n = 32;
        const Memory memory = allocate(4 * n * n_rounds), part = allocate(4 * n);
        for (std::uint32_t i = 0; i < n_rounds; i++) {
            need(launch(stream, fill, 1, 32, nullptr, part, 10000 * t + i, n));
            need(driver().copy_on_device(stream, memory, 4 * n * i, part, 0, 4 * n, nullptr));
        }
        const Words all = read(stream, memory, n * n_rounds);
        for (std::uint32_t i = 0; i < n_rounds; i++) {
            const Words expected = iota(n, 10000 * t + i);
            CHECK(std::equal(expected.begin(), expected.end(), all.begin() + n * i));
        }
    });
}

TEST("programs: many threads launch one kernel on one stream, and release what it uses") {
    constexpr std::uint32_t n_threads = 16, n_rounds = 200, one = 1;
    const Stream shared = open_stream();
    const Memory total = upload(shared, {0});
    mkz_function* add = kernel(program(), "add");
    std::atomic<std::uint32_t> right{0};
    in_threads(n_threads, [&](std::uint32_t t) {
        const Stream own = open_stream(t % 2 == 0);
        const Memory block = upload(own, Words(256, t));
        for (std::uint32_t i = 0; i < n_rounds; i++) {
            Event event;
            need(launch(own, add, 1, 256, i % 3 == 0 ? event.slot() : nullptr, block, one, std::uint64_t{256}));
            need(launch(shared, add, 1, 32, nullptr, total, one, std::uint64_t{1}));
            const Memory passing = allocate(64 * (i + 1));
            need(driver().copy_on_device(own, passing, 0, block, 0, 64, nullptr));
        }
        if (read(own, block, 256) == Words(256, t + n_rounds)) ++right;
    });
    CHECK_EQ(right.load(), n_threads);
    CHECK_EQ(read(shared, total, 1)[0], n_threads * n_rounds);
}

TEST("programs: released while its kernels run") {
    const Stream stream = open_stream();
    const Memory memory = allocate(4 * slow_words);
    {
        const Program own = build();
        need(launch(stream, kernel(own, "slow"), 4, 64, nullptr, memory, std::uint32_t{1'000'000}));
    }
    CHECK_EQ(read(stream, memory, slow_words), slow_result(1'000'000));
}
