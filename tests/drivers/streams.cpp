// Every driver, through its C table: the order of commands, events and their times.
#include <algorithm>

#include "fixture.hpp"

namespace {

using namespace table;

}  // namespace

TEST("streams: one waits for an event of another") {
    const Stream a = open_stream(), b = open_stream();
    const Memory memory = allocate(4 * slow_words), copy = allocate(4 * slow_words);
    const Words expected = slow_result(slow_rounds);
    for (int i = 0; i < 5; i++) {
        const Words zeros(slow_words);
        Words out(slow_words);
        need(driver().copy_to_device(a, memory, 0, zeros.data(), 4 * slow_words, nullptr));
        Event written, read;
        start_slow(a, memory, slow_rounds, written.slot());
        need(driver().stream_wait(b, written));
        need(driver().copy_on_device(b, copy, 0, memory, 0, 4 * slow_words, nullptr));
        need(driver().copy_to_host(b, out.data(), i % 2 == 0 ? memory : copy, 0, 4 * slow_words, read.slot()));
        need(driver().event_wait(read));
        CHECK_EQ(out, expected);
        if (i % 2 == 0) need(driver().stream_synchronize(a));
        need(driver().stream_wait(b, written));  // long done
        written.reset();
        need(driver().stream_synchronize(b));
    }
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "the event is null", driver().stream_wait(a, nullptr));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "the stream is null", driver().stream_synchronize(nullptr));
}

TEST("streams: commands of one run in order") {
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
    CHECK_EQ(read(stream, memory, n), iota(n, expected));
}

TEST("streams: closed with work queued") {
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

TEST("streams: a place in one is an event") {
    const Stream a = open_stream(), b = open_stream();
    const Memory memory = allocate(4 * slow_words);
    start_slow(a, memory, 1'000'000);
    Event place;
    need(driver().event_record(a, place.slot()));
    need(driver().stream_wait(b, place));
    CHECK_EQ(read(b, memory, slow_words), slow_result(1'000'000));
    std::uint32_t done = 0;
    need(driver().event_query(place, &done));
    CHECK_EQ(done, 1u);
}

TEST("streams: queries and spans of events") {
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
    CHECK(all_seconds < 60);

    const Stream untimed = open_stream(false);
    Event no_times;
    start_slow(untimed, memory, 10, no_times.slot());
    need(driver().event_wait(no_times));
    need(driver().event_span(no_times, no_times, &all_seconds));
    CHECK(all_seconds < 0);
}

TEST("streams: events of copies and of nothing") {
    constexpr std::uint64_t size = 1 << 20;
    const Stream stream = open_stream(true);
    const Memory block = allocate(size);
    std::vector<std::uint8_t> bytes(size);
    Event to, on, back, none;
    need(driver().copy_to_device(stream, block, 0, bytes.data(), size, to.slot()));
    need(driver().copy_on_device(stream, block, 0, block, size / 2, size / 2, on.slot()));
    need(driver().copy_to_host(stream, bytes.data(), block, 0, size, back.slot()));
    need(launch(stream, kernel(program(), "add"), 0, 32, none.slot(), block, std::uint32_t{1}, std::uint64_t{0}));
    for (const Event* event : {&to, &on, &back, &none}) {
        double seconds = -1;
        need(driver().event_wait(*event));
        need(driver().event_span(*event, *event, &seconds));
        CHECK(seconds >= 0);
    }
}

TEST("streams: eight threads, a stream each, and all on one") {
    const Stream shared = open_stream();
    program();
    in_threads(8, [&](std::uint32_t t) {
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
    });
}
