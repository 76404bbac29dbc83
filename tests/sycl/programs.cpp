// Programs and launches of the SYCL driver.
#include <algorithm>

#include "table.hpp"

namespace {

using namespace table;

std::vector<char> binary_of(mkz_program* of) {
    std::vector<char> binary;
    need(driver().program_binary(
        of,
        [](void* context, const void* bytes, std::uint64_t size) {
            const auto* first = static_cast<const char*>(bytes);
            static_cast<std::vector<char>*>(context)->assign(first, first + size);
        },
        &binary));
    return binary;
}

}  // namespace

TEST("sycl-program: arguments of every kind, local memory, groups") {
    struct Key {
        std::uint32_t w[8] = {10, 11, 12, 13, 14, 15, 16, 17};
    };
    const Stream stream = open_stream();
    // Built here, with the hint, and out of the binary: all must take their arguments alike, also one that the kernel never reads.
    const Program hinted = build(kernels(), "-fno-vectorize");
    Program loaded;
    const std::vector<char> binary = binary_of(program());
    need(driver().program_load(device(), binary.data(), binary.size(), loaded.slot()));
    for (mkz_program* of : {program(), static_cast<mkz_program*>(hinted), static_cast<mkz_program*>(loaded)}) {
        const Memory out = upload(stream, Words(22)), in = upload(stream, {7, 8});
        const std::uint64_t big = (std::uint64_t{1} << 40) + 3;
        need(launch(stream, kernel(of, "kinds"), 1, 1, nullptr, out, std::uint32_t{5}, big, Key(), in,
                    std::uint32_t{0}));
        Words got = read(stream, out, 22);
        CHECK_EQ(got[0], 5u);
        CHECK_EQ(got[2], 3u);
        CHECK_EQ(got[3], 256u);
        for (std::uint32_t i = 0; i < 8; i++) CHECK_EQ(got[4 + 2 * i], 10 + i);
        CHECK_EQ(got[20], 8u);
        const Memory none;
        need(launch(stream, kernel(of, "kinds"), 1, 1, nullptr, out, std::uint32_t{5}, big, Key(), none,
                    std::uint32_t{0}));
        CHECK_EQ(read(stream, out, 22)[20], 0u);

        const Memory turned = upload(stream, iota(256));
        need(launch(stream, kernel(of, "turn"), 4, 64, nullptr, turned));
        got = read(stream, turned, 256);
        for (std::uint32_t i = 0; i < 256; i++) CHECK_EQ(got[i], 64 * (i / 64) + 63 - i % 64);
    }
}

TEST("sycl-program: what is wrong with a text is in the error") {
    Program wrong;
    CHECK_REFUSED(MKZ_INTERNAL, "undeclared_name",
                  driver().program_build(device(), "int f() { return undeclared_name; }", nullptr, wrong.slot()));
    CHECK_REFUSED(MKZ_INTERNAL, "no-such-option",
                  driver().program_build(device(), kernels(), "-no-such-option", wrong.slot()));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", driver().program_build(device(), nullptr, nullptr, wrong.slot()));
    CHECK(backend().last_error()[0] != 0);
    mkz_function* function = nullptr;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "no kernel nothing",
                  driver().program_function(program(), "nothing", &function, nullptr));
}

TEST("sycl-program: launches that cannot be are refused") {
    const Stream stream = open_stream();
    const Memory memory = upload(stream, iota(64));
    mkz_function* turn = kernel(program(), "turn");
    mkz_function* add = kernel(program(), "add");
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "takes 1 arguments, not 2",
                  launch(stream, turn, 1, 64, nullptr, memory, memory));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "groups of 0", launch(stream, turn, 1, 0, nullptr, memory));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "groups of 1073741824", launch(stream, turn, 1, 1u << 30, nullptr, memory));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "can count", launch(stream, turn, UINT64_MAX, 64, nullptr, memory));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", launch(stream, nullptr, 1, 64, nullptr, memory));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", launch(nullptr, turn, 1, 64, nullptr, memory));
    // An argument of the wrong size.
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "add",
                  launch(stream, add, 1, 64, nullptr, memory, std::uint64_t{1}, std::uint64_t{64}));
    Event event;
    need(launch(stream, turn, 0, 64, event.slot(), memory));
    need(driver().event_wait(event));
    CHECK_EQ(read(stream, memory, 64), iota(64));
}

TEST("sycl-program: damaged binaries are refused") {
    const std::vector<char> binary = binary_of(program());
    Program loaded;
    const auto refused = [&](std::vector<char> bytes, std::string_view part) {
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, part,
                      driver().program_load(device(), bytes.data(), bytes.size(), loaded.slot()));
    };
    refused({}, "too short");
    refused(std::vector<char>(1000, 'x'), "not one of this library's");
    for (const std::size_t cut : {std::size_t{1}, binary.size() / 2, binary.size() - 1})
        refused({binary.begin(), binary.begin() + static_cast<std::ptrdiff_t>(cut)}, "a compiled program of");
    for (std::size_t at = 0; at < binary.size(); at += binary.size() / 61 + 1) {
        std::vector<char> bytes = binary;
        bytes[at] ^= 4;
        refused(std::move(bytes), "a compiled program of");
    }
    need(driver().program_load(device(), binary.data(), binary.size(), loaded.slot()));
}
