// The CUDA backend after a kernel's fault, and after fork(). A fault needs a process of its own, so the
// tests named child-... do nothing unless one of the others starts this program again for them.
#include "child.hpp"
#include "fixture.hpp"

using namespace table;
using namespace child;

TEST("cuda-process: a kernel's fault is not blamed on the data") {
    driver();
    if (!is_new_process()) CHECK_EQ(in_new_process("child-fault"), 0);
}

TEST("child-fault: what comes after a wild store") {
    if (!is_new_process()) return;
    Stream stream = open_stream(true);
    Memory block = allocate(1024);
    Event event;
    const Kernel fill = kernel(program(), "fill");
    need(launch(stream, kernel(program(), "wild"), 1, 1, event.slot(), block));
    constexpr const char* text = "unusable since an earlier kernel failed";
    CHECK_REFUSED(MKZ_INTERNAL, text, driver().stream_synchronize(stream));
    std::cout << "  " << backend().last_error() << '\n';
    std::uint32_t done = 0;
    double seconds = 0;
    std::vector<std::uint32_t> values(4);
    CHECK_REFUSED(MKZ_INTERNAL, text, driver().event_wait(event));
    CHECK_REFUSED(MKZ_INTERNAL, text, driver().event_query(event, &done));
    CHECK_REFUSED(MKZ_INTERNAL, text, driver().event_span(event, event, &seconds));
    CHECK_REFUSED(MKZ_INTERNAL, text, driver().copy_to_host(stream, values.data(), block, 0, 16, nullptr));
    CHECK_REFUSED(MKZ_INTERNAL, text, launch(stream, fill, 1, 32, nullptr, block, 1u, std::uint64_t{1}));
    Memory more;
    CHECK_REFUSED(MKZ_INTERNAL, text, driver().allocate(device(), std::uint64_t{77} << 20, more.slot()));
    // Releases still work.
    event.reset();
    block.reset();
    stream.reset();
}

TEST("cuda-process: a child of fork() is told") {
    Stream stream = open_stream();
    Memory block = allocate(1 << 20);
    Event event;
    need(launch(stream, kernel(program(), "fill"), 1, 32, event.slot(), block, 1u, std::uint64_t{1}));
    CHECK_EQ(in_fork([&] {
                 const auto told = [](mkz_status status) {
                     return status == MKZ_UNAVAILABLE &&
                            std::string_view(backend().last_error()).find("forked after CUDA") !=
                                std::string_view::npos;
                 };
                 mkz_device_facts facts{};
                 Memory more;
                 Stream other;
                 const char* why = backend().why_unavailable();
                 if (why == nullptr || std::string_view(why).find("use spawn") == std::string_view::npos) return 1;
                 if (backend().device_count() != 0) return 2;
                 if (!told(backend().device_facts(0, &facts))) return 3;
                 if (!told(driver().allocate(device(), 64, more.slot()))) return 4;
                 if (!told(driver().stream_open(device(), nullptr, 0, other.slot()))) return 5;
                 if (!told(driver().stream_synchronize(stream))) return 6;
                 if (!told(driver().event_wait(event))) return 7;
                 if (!told(launch(stream, {}, 1, 32, nullptr, block))) return 8;
                 event.reset();
                 block.reset();
                 stream.reset();
                 return 0;
             }),
             0);
    CHECK_EQ(read(stream, block, 1)[0], 1u);
}

TEST("cuda-process: a child of fork() before the start is free to use CUDA") {
    driver();
    if (!is_new_process()) CHECK_EQ(in_new_process("child-early-fork"), 0);
}

TEST("child-early-fork: both processes use CUDA") {
    if (!is_new_process()) return;
    const auto works = [] {
        const Stream stream = open_stream();
        const Memory block = allocate(4);
        need(launch(stream, kernel(program(), "fill"), 1, 32, nullptr, block, 4u, std::uint64_t{1}));
        return read(stream, block, 1)[0] == 4;
    };
    CHECK_EQ(in_fork([&] { return works() ? 0 : 1; }), 0);
    CHECK(works());
}
