// The CUDA backend's C table on a device: programs and launches.
#include <atomic>
#include <cstring>
#include <thread>

#include "table.hpp"

namespace {

using namespace table;

std::vector<char> binary_of(mkz_program* of) {
    std::vector<char> binary;
    const auto sink = [](void* context, const void* bytes, std::uint64_t size) {
        const auto* first = static_cast<const char*>(bytes);
        static_cast<std::vector<char>*>(context)->assign(first, first + size);
    };
    need(driver().program_binary(of, sink, &binary));
    return binary;
}

struct Pair {
    std::uint64_t a;
    std::uint32_t b[6];
};

}  // namespace

TEST("cuda: a build error has the compiler's log") {
    Program none;
    CHECK_REFUSED(MKZ_INTERNAL, "no_such_type",
                  driver().program_build(device(), "no_such_type x;", nullptr, none.slot()));
    CHECK_REFUSED(MKZ_INTERNAL, "cuda:0", driver().program_build(device(), "#error stop here", nullptr, none.slot()));
    CHECK_REFUSED(MKZ_INTERNAL, "stop here",
                  driver().program_build(device(), "#error stop here", nullptr, none.slot()));
    std::string wrong;
    for (int i = 0; i < 3000; i++) wrong += "unknown" + std::to_string(i) + " x;\n";
    CHECK_REFUSED(MKZ_INTERNAL, "unknown0", driver().program_build(device(), wrong.c_str(), nullptr, none.slot()));
    CHECK(std::strlen(backend().last_error()) < 9000);
}

TEST("cuda: options reach the compiler") {
    const char* text = "extern \"C\" __global__ void value(unsigned* out) { *out = FIRST + SECOND; }";
    const Program built = build(text, " -DFIRST=40  --define-macro=SECOND=2 ");
    const Stream stream = open_stream();
    const Memory block = allocate(4);
    need(launch(stream, kernel(built, "value"), 1, 1, nullptr, block));
    CHECK_EQ(read(stream, block, 1)[0], 42u);
}

TEST("cuda: a binary is loaded again, a damaged one is not") {
    const std::vector<char> binary = binary_of(program());
    const auto runs = [&](mkz_program* loaded) {
        const Stream stream = open_stream();
        const Memory block = allocate(4);
        need(launch(stream, kernel(loaded, "fill"), 1, 32, nullptr, block, 9u, std::uint64_t{1}));
        return read(stream, block, 1)[0] == 9;
    };
    Program loaded;
    need(driver().program_load(device(), binary.data(), binary.size(), loaded.slot()));
    CHECK(runs(loaded));
    CHECK_EQ(binary_of(loaded), binary);
    Program damaged;
    const auto refuse = [&](const std::vector<char>& bytes, std::uint64_t size) {
        CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "damaged",
                      driver().program_load(device(), bytes.data(), size, damaged.slot()));
    };
    for (std::size_t at = 0; at < binary.size(); at += at < 64 ? 1 : binary.size() / 50) {
        std::vector<char> flipped = binary;
        flipped[at] = static_cast<char>(flipped[at] ^ 4);
        refuse(flipped, flipped.size());
    }
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{7}, std::size_t{32}, binary.size() / 2, binary.size() - 1}) {
        refuse(binary, size);
    }
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "damaged", driver().program_load(device(), nullptr, 0, damaged.slot()));
    // What begins as a fatbin and says that it is longer than it is.
    std::vector<char> fatbin = {0x50, static_cast<char>(0xed), 0x55, static_cast<char>(0xba), 1, 0, 16, 0};
    fatbin.resize(64);
    fatbin[8] = 49;
    refuse(fatbin, fatbin.size());
    CHECK(runs(program()));
}

TEST("cuda: kernels by name") {
    const Kernel fill = kernel(program(), "fill");
    CHECK(fill.function == kernel(program(), "fill").function);
    CHECK(fill.max_group_size >= 32 && fill.max_group_size <= 1024);
    const Program bounded = build("extern \"C\" __global__ void __launch_bounds__(128) small() {}");
    CHECK_EQ(kernel(bounded, "small").max_group_size, 128u);
    Kernel none;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "no kernel nothing",
                  driver().program_function(program(), "nothing", &none.function, &none.max_group_size));
}

TEST("cuda: kinds of arguments") {
    const Stream stream = open_stream();
    const Memory out = allocate(80);
    const Kernel kinds = kernel(program(), "kinds");
    const Pair pair{0x1122334455667788, {1, 2, 3, 4, 5, 6}};
    need(launch(stream, kinds, 1, 1, nullptr, out, 0xfedcba98u, UINT64_MAX - 1, pair, nullptr));
    const std::vector<std::uint64_t> wanted{0xfedcba98, UINT64_MAX - 1, pair.a, 1, 2, 3, 4, 5, 6, 0};
    CHECK_EQ(read<std::uint64_t>(stream, out, 10), wanted);
    need(launch(stream, kinds, 1, 1, nullptr, out, 0u, std::uint64_t{0}, pair, out));
    CHECK_EQ(read<std::uint64_t>(stream, out, 10)[9], reinterpret_cast<std::uintptr_t>(driver().native(out)));
}

TEST("cuda: launches that cannot be are refused") {
    const Stream stream = open_stream();
    const Memory block = allocate(400);
    const Kernel fill = kernel(program(), "fill");
    const std::uint64_t n = 100;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "2147483648 groups",
                  launch(stream, fill, std::uint64_t{1} << 31, 32, nullptr, block, 1u, n));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "0 items a group", launch(stream, fill, 1, 0, nullptr, block, 1u, n));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "items a group",
                  launch(stream, fill, 1, fill.max_group_size + 1, nullptr, block, 1u, n));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "4 arguments given, it has 3",
                  launch(stream, fill, 1, 32, nullptr, block, 1u, n, n));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "argument 2 has 8 bytes",
                  launch(stream, fill, 1, 32, nullptr, block, 1u, 100u));
    need(launch(stream, fill, 0, 32, nullptr, block, 1u, n));
    need(launch(stream, fill, 4, 32, nullptr, block, 6u, n));
    CHECK_EQ(read(stream, block, 100), std::vector<std::uint32_t>(100, 6));
}

TEST("cuda: a program goes while its kernels are queued") {
    const Stream stream = open_stream();
    const Memory block = allocate(4);
    {
        const Program own = build();
        need(launch(stream, kernel(own, "late"), 1, 1, nullptr, block, 31u, std::uint64_t{50'000'000}));
    }
    CHECK_EQ(read(stream, block, 1)[0], 31u);
}

TEST("cuda: many threads launch one function") {
    constexpr unsigned n_threads = 16, n_launches = 200;
    const Stream shared = open_stream();
    const Memory total = allocate(4);
    write<std::uint32_t>(shared, total, {0});
    std::atomic<unsigned> right{0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < n_threads; t++) {
        threads.emplace_back([&, t] {
            try {
                const Stream own = open_stream(t % 2 == 0);
                const Memory block = allocate(4 * 256);
                write(own, block, std::vector<std::uint32_t>(256, t));
                const Kernel increase = kernel(program(), "increase");
                for (unsigned i = 0; i < n_launches; i++) {
                    Event event;
                    need(launch(own, increase, 1, 256, i % 3 == 0 ? event.slot() : nullptr, block, std::uint64_t{256}));
                    need(launch(shared, increase, 1, 32, nullptr, total, std::uint64_t{1}));
                    const Memory passing = allocate(64 * (i + 1));
                    need(driver().copy_on_device(own, passing, 0, block, 0, 64, nullptr));
                }
                const std::vector<std::uint32_t> wanted(256, t + n_launches);
                if (read(own, block, 256) == wanted) ++right;
            } catch (const std::exception& e) {
                check::fail(__FILE__, __LINE__, e.what());
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK_EQ(right.load(), n_threads);
    CHECK_EQ(read(shared, total, 1)[0], n_threads * n_launches);
}
