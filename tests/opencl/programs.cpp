// Programs and launches of the OpenCL driver.
#include <algorithm>
#include <cstring>
#include <thread>

#include "backends/sealed.hpp"
#include "table.hpp"

namespace {

using namespace table;

std::string binary_of(mkz_program* program) {
    std::string binary;
    int calls = 0;
    struct Sink {
        std::string& binary;
        int& calls;
    } sink{binary, calls};
    need(driver().program_binary(
        program,
        [](void* context, const void* bytes, std::uint64_t size) {
            const Sink& to = *static_cast<Sink*>(context);
            to.binary.assign(static_cast<const char*>(bytes), size);
            to.calls++;
        },
        &sink));
    CHECK_EQ(calls, 1);
    return binary;
}

mkz_status load(const std::string& binary, Program& program) {
    return driver().program_load(device(), binary.data(), binary.size(), program.slot());
}

void expect_filled(mkz_program* program) {
    const Stream stream = open_stream();
    const std::uint64_t n = 300;
    const Memory memory = allocate(4 * n);
    need(launch(stream, kernel(program, "fill"), 5, 64, nullptr, memory, std::uint32_t{11}, n));
    CHECK_EQ(read(stream, memory, n), iota(n, 11));
}

// kernel void k(global uint *out) { *out = 7; }  as SPIR-V 1.0
const std::uint32_t spirv[] = {
    0x07230203,
    0x00010000,
    0,
    9,
    0,  // magic, version, generator, bound, schema
    2 << 16 | 17,
    4,  // OpCapability Addresses
    2 << 16 | 17,
    6,  // OpCapability Kernel
    3 << 16 | 14,
    2,
    2,  // OpMemoryModel Physical64 OpenCL
    4 << 16 | 15,
    6,
    6,
    0x6b,  // OpEntryPoint Kernel %6 "k"
    2 << 16 | 19,
    1,  // %1 = OpTypeVoid
    4 << 16 | 21,
    2,
    32,
    0,  // %2 = OpTypeInt 32 0
    4 << 16 | 32,
    3,
    5,
    2,  // %3 = OpTypePointer CrossWorkgroup %2
    4 << 16 | 33,
    4,
    1,
    3,  // %4 = OpTypeFunction %1 %3
    4 << 16 | 43,
    2,
    5,
    7,  // %5 = OpConstant %2 7
    5 << 16 | 54,
    1,
    6,
    0,
    4,  // %6 = OpFunction %1 None %4
    3 << 16 | 55,
    3,
    7,  // %7 = OpFunctionParameter %3
    2 << 16 | 248,
    8,  // %8 = OpLabel
    5 << 16 | 62,
    7,
    5,
    2,
    4,  // OpStore %7 %5 Aligned 4
    1 << 16 | 253,
    1 << 16 | 56,  // OpReturn, OpFunctionEnd
};

}  // namespace

TEST("opencl-program: a refused text comes back with the compiler's log") {
    Program program;
    const char* wrong = "kernel void f(global uint *x) { x[0] = undeclared_name; }";
    CHECK_REFUSED(MKZ_INTERNAL, "undeclared_name", driver().program_build(device(), wrong, nullptr, program.slot()));
    CHECK_REFUSED(MKZ_INTERNAL, label() + ": clBuildProgram: CL_",
                  driver().program_build(device(), wrong, nullptr, program.slot()));
    CHECK_REFUSED(MKZ_INTERNAL, "-cl-std=CL1.2 -DX=1",
                  driver().program_build(device(), wrong, "-DX=1", program.slot()));
    std::cout << "  " << backend().last_error() << '\n';
    std::string many;
    for (int i = 0; i < 2000; i++) many += "int wrong_" + std::to_string(i) + " = unknown_" + std::to_string(i) + ";\n";
    need(driver().program_build(device(), many.c_str(), nullptr, program.slot()) == MKZ_INTERNAL ? MKZ_OK
                                                                                                 : MKZ_INTERNAL);
    CHECK(std::strlen(backend().last_error()) < 9000);
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", driver().program_build(device(), nullptr, nullptr, program.slot()));
}

TEST("opencl-program: options reach the compiler") {
    const Program program = build("kernel void f(global uint *x) { x[0] = VALUE; }", "-DVALUE=42");
    const Stream stream = open_stream();
    const Memory memory = allocate(4);
    need(launch(stream, kernel(program, "f"), 1, 1, nullptr, memory));
    CHECK_EQ(read(stream, memory, 1)[0], 42u);
}

TEST("opencl-program: kernels by name") {
    mkz_function *once = nullptr, *again = nullptr;
    std::uint32_t most = 0;
    mkz_program* const built = program();
    need(driver().program_function(built, "fill", &once, &most));
    need(driver().program_function(built, "fill", &again, nullptr));
    CHECK_EQ(once, again);
    CHECK(most >= 1 && most <= facts().max_group_size);
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "no_such_kernel",
                  driver().program_function(program(), "no_such_kernel", &once, &most));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", driver().program_function(nullptr, "fill", &once, &most));
}

TEST("opencl-program: its binary makes the same program") {
    const std::string binary = binary_of(program());
    std::cout << "  " << binary.size() << " bytes\n";
    Program loaded;
    need(load(binary, loaded));
    expect_filled(loaded);
    Program again;
    need(load(binary_of(loaded), again));
    expect_filled(again);
}

TEST("opencl-program: a damaged binary is refused") {
    const std::string binary = binary_of(program());
    Program program;
    for (std::size_t i = 0; i < 100; i++) {
        // Every byte of the beginning, then anywhere.
        const std::size_t at = i < 40 ? i : binary.size() * (i - 39) / 61;
        std::string damaged = binary;
        char& byte = damaged[std::min(at, binary.size() - 1)];
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ 1u << i % 8);
        CHECK_EQ(load(damaged, program), MKZ_INVALID_ARGUMENT);
    }
    for (std::size_t size = 0; size < 400; size++)
        CHECK_EQ(load(binary.substr(0, size), program), MKZ_INVALID_ARGUMENT);
    CHECK_EQ(load(binary.substr(0, binary.size() - 1), program), MKZ_INVALID_ARGUMENT);
    CHECK_EQ(load(binary + '\0', program), MKZ_INVALID_ARGUMENT);
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "too short", driver().program_load(device(), nullptr, 0, program.slot()));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "not one of this library's", load(std::string(1000, 'x'), program));
}

TEST("opencl-program: a binary of another compiler, and one that the vendor refuses") {
    namespace backends = merklize::backends;
    const std::string sealed = binary_of(program());
    const backends::Opened opened = backends::open_sealed(sealed, "test");
    const std::string other = std::string(opened.maker) + "1", nonsense(opened.binary.size(), '?');
    Program program;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "another compiler", load(backends::seal(other, opened.binary), program));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "another compiler", load(backends::seal("", opened.binary), program));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "loading a compiled program",
                  load(backends::seal(opened.maker, nonsense), program));
    std::cout << "  " << backend().last_error() << '\n';
}

TEST("opencl-program: SPIR-V where the device takes it") {
    driver();
    const std::string binary(reinterpret_cast<const char*>(spirv), sizeof spirv);
    Program program;
    const mkz_status status = load(binary, program);
    std::cout << "  " << (status == MKZ_OK ? "taken" : backend().last_error()) << '\n';
    if (status == MKZ_OK) {
        const Stream stream = open_stream();
        const Memory memory = allocate(4);
        need(launch(stream, kernel(program, "k"), 1, 1, nullptr, memory));
        CHECK_EQ(read(stream, memory, 1)[0], 7u);
    } else {
        CHECK_REFUSED(MKZ_UNAVAILABLE, "no SPIR-V", status);
    }
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "not whole", load(binary.substr(0, binary.size() - 1), program));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "not whole", load(binary.substr(0, 20), program));
}

TEST("opencl-launch: words, structs, blocks and null as arguments") {
    const Stream stream = open_stream();
    const Memory out = allocate(11 * 8), in = upload(stream, {5, 6});
    const struct {
        std::uint32_t w[8];
    } key = {{10, 11, 12, 13, 14, 15, 16, 0xffffffff}};
    const std::uint64_t wide = 0x123456789abcdef0;
    const Memory null;
    for (const bool given : {true, false, true}) {
        need(launch(stream, kernel(program(), "kinds"), 1, 1, nullptr, out, std::uint32_t{3}, wide, key,
                    given ? in : null));
        const Words words = read(stream, out, 22);
        CHECK_EQ(words[0], 3u);
        CHECK_EQ(words[2], 0x9abcdef0u);
        CHECK_EQ(words[3], 0x12345678u);
        for (std::size_t i = 0; i < 8; i++) CHECK_EQ(words[4 + 2 * i], key.w[i]);
        CHECK_EQ(words[20], given ? 6u : 0u);
    }
}

TEST("opencl-launch: groups that do not fit and wrong arguments are refused") {
    const Stream stream = open_stream();
    const Memory memory = upload(stream, Words(64, 9));
    mkz_function* fill = nullptr;
    std::uint32_t most = 0;
    need(driver().program_function(program(), "fill", &fill, &most));
    const std::uint64_t n = 64;
    const std::uint32_t first = 0;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, std::to_string(most),
                  launch(stream, fill, 1, most + 1, nullptr, memory, first, n));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "groups of 0 items", launch(stream, fill, 1, 0, nullptr, memory, first, n));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "3 arguments, not 2", launch(stream, fill, 1, 64, nullptr, memory, first));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "count", launch(stream, fill, UINT64_MAX, 64, nullptr, memory, first, n));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "null", launch(stream, nullptr, 1, 64, nullptr, memory, first, n));
    need(launch(stream, fill, 1, most, nullptr, memory, first, n));
    CHECK_EQ(read(stream, memory, 64), iota(64));
    Event event;
    need(launch(stream, fill, 0, 64, event.slot(), memory, first, n));  // no group at all
    need(driver().event_wait(event));
}

TEST("opencl-launch: many threads launch one kernel") {
    constexpr std::uint32_t n_threads = 8, n_rounds = 200;
    mkz_function* fill = kernel(program(), "fill");
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < n_threads; t++) {
        threads.emplace_back([fill, t] {
            try {
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
            } catch (const std::exception& e) {
                check::fail(__FILE__, __LINE__, e.what());
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
}

TEST("opencl-program: released while its kernels run") {
    const Stream stream = open_stream();
    const Memory memory = allocate(4 * 256);
    {
        const Program own = build();
        need(launch(stream, kernel(own, "slow"), 4, 64, nullptr, memory, std::uint32_t{1'000'000}));
    }
    CHECK_EQ(read(stream, memory, 1)[0] & 1, 1u);
}
