// Calls that enqueue, on a driver that counts the host's waits: there must be none.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "fake_device.hpp"
#include "support.hpp"

using namespace support;
using merklize::Buffer;
using merklize::Device;
using merklize::Event;
using merklize::Stream;

namespace {

// One call of each kind, on one stream.
struct Calls {
    Stream stream{fake::device()};
    Buffer bytes{fake::device(), 1 << 20}, digests{fake::device(), 32 * 1024}, nodes{fake::device(), 32 * 2 * 1000};
    Buffer out{fake::device(), 32 * 1024}, slots{fake::device(), 8 * 1024}, field{fake::device(), 32 * 1024};

    Calls() {
        const std::vector<std::byte> zeros(32 * 2 * 1000);
        for (Buffer* buffer : {&digests, &nodes, &slots, &field})
            buffer->copy_from(std::span(zeros).first(buffer->size()));
    }

    std::vector<Event> all() const {
        std::vector<Event> events;
        const Buffer one = out.slice(0, 32), many = out.slice(0, 32 * 512);
        const auto half = [](const Buffer& buffer) { return buffer.slice(0, 32 * 512); };
        for (const std::uint64_t size : {0, 64, 64 << 10, 1 << 20})
            events.push_back(merklize::hash(stream, {.data = bytes.slice(0, size), .out = one}));
        events.push_back(merklize::hash_leaves(stream, {.rows = bytes, .row_bytes = 2048, .out = many}));
        events.push_back(merklize::hash_leaves(
            stream, {.rows = field.slice(0, 512 * 64), .row_bytes = 64, .out = many, .hash = Hash::rp64_256_v3}));
        events.push_back(merklize::hash_leaves(
            stream, {.rows = digests, .row_bytes = 64, .out = many, .hash = Hash::sha256_rfc6962}));
        for (const Hash hash : {Hash::blake3, Hash::rp64_256_v3}) {
            events.push_back(
                merklize::merge(stream, {.left = half(digests), .right = half(field), .out = many, .hash = hash}));
            events.push_back(merklize::merkle_root(stream, {.leaves = field, .out = one, .form = hash}));
            events.push_back(merklize::build_tree(stream, {.nodes = nodes.slice(0, 32 * 1024), .form = hash}));
        }
        // 488 + 512 slots: the right edge
        events.push_back(merklize::build_tree(
            stream, {.nodes = nodes.slice(0, 32 * 1000), .form = {Hash::blake3, merklize::TreeRule::pad}}));
        events.push_back(merklize::gather_nodes(stream, {.nodes = nodes, .slots = slots, .out = out}));
        return events;
    }
};

}  // namespace

TEST("enqueue: the host waits for nothing") {
    const Calls calls;
    calls.all();  // makes kernels, constants and memory
    for (const bool is_slow : {false, true}) {
        fake::reached = !is_slow;
        calls.all();
        fake::count.clear();
        const std::vector<Event> events = calls.all();
        CHECK_EQ(fake::count.waits, 0);
        CHECK_EQ(fake::count.streams, 0);
        CHECK_EQ(fake::count.programs, 0);
        CHECK(fake::count.launches > 15);
        // A stream gets back the memory of its own earlier calls, even if their work has not ended.
        if (!is_slow) CHECK_EQ(fake::count.allocations, 0);
        // Only the flags of the checks go to the host, into pinned memory.
        CHECK_EQ(fake::count.to_host, 1 + 2 + 1 + 1);
        fake::count.clear();
        fake::reached = false;
        CHECK(!events[0].query());
        fake::reached = true;
        for (const Event& event : events) CHECK(event.query());
        CHECK_EQ(fake::count.waits, 0);
        events.back().wait();
        CHECK_EQ(fake::count.waits, 1);
    }
}

TEST("enqueue: captured calls ask for nothing that a capture forbids") {
    const Calls calls;
    calls.all();
    fake::count.clear();
    fake::capturing = true;
    const std::vector<Event> events = calls.all();
    CHECK_EQ(fake::count.waits, 0);
    CHECK_EQ(fake::count.orders, 0);
    CHECK_EQ(fake::count.streams, 0);
    CHECK_EQ(fake::count.programs, 0);
    for (const Event& event : events) CHECK(event.is_captured());
    CHECK_ERROR(invalid_argument, "Event::wait: the event belongs to a captured call", events[0].wait());
    CHECK_ERROR(invalid_argument, "Event::query: the event belongs to a captured call", events[0].query());
    CHECK_ERROR(invalid_argument, "the stream is being captured into a graph, and this call waits for its result",
                merklize::hash(calls.bytes, {}, {.stream = calls.stream}));
    CHECK_ERROR(invalid_argument, "use the call of merklize/async.hpp",
                merklize::build_tree(calls.nodes.slice(0, 32 * 1024), {}, {.stream = calls.stream}));
    fake::capturing = false;
    CHECK(!calls.stream.record().is_captured());
}

TEST("enqueue: what a check found is told once its event is reached, and a captured call is cleared") {
    const Stream stream(fake::device());
    Buffer leaves(fake::device(), 32 * 8), out(fake::device(), 32);
    std::vector<std::uint64_t> words(32);
    words[9] = ~std::uint64_t{0};
    const auto root = [&] {
        return merklize::merkle_root(stream, {.leaves = leaves, .out = out, .form = Hash::rp64_256_v3});
    };
    leaves.copy_from(std::as_bytes(std::span(words)));
    const Event bad = root();
    words[9] = 0;
    leaves.copy_from(std::as_bytes(std::span(words)));
    for (int i = 0; i < 20; i++) root().wait();
    CHECK_ERROR(invalid_argument, "merkle_root: leaves: a word is not below the modulus of 'rp64_256_v3'", bad.wait());
    fake::capturing = true;
    words[9] = ~std::uint64_t{0};
    leaves.copy_from(std::as_bytes(std::span(words)));
    const Event captured = root();  // this driver runs it at once
    fake::capturing = false;
    CHECK_ERROR(invalid_argument, "merkle_root: leaves", captured.check());
    captured.check();  // nothing ran since
}

TEST("enqueue: a thousand calls from four threads, each with its stream") {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++) {
        threads.emplace_back([] {
            const Calls calls;
            for (int i = 0; i < 18; i++) {
                const std::vector<Event> events = calls.all();
                if (i % 6 == 0) events.back().wait();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
}

// The host's cost of a call without the driver, in processor time, because other processes do not count there.
TEST("enqueue: a call takes few microseconds of the host") {
    const Calls calls;
    calls.all();
    const auto microseconds = [&](const auto& call) {
        double best = 1e9;
        for (int batch = 0; batch < 20; batch++) {
            const std::clock_t start = std::clock();
            for (int i = 0; i < 100; i++) call();
            best = std::min(best, double(std::clock() - start) / CLOCKS_PER_SEC);
        }
        return 1e6 * best / 100;
    };
    const double digest = microseconds(
        [&] { merklize::hash(calls.stream, {.data = calls.bytes.slice(0, 64 << 10), .out = calls.out.slice(0, 32)}); });
    const double tree =
        microseconds([&] { merklize::build_tree(calls.stream, {.nodes = calls.nodes.slice(0, 32 * 1024)}); });
    if (std::getenv("MERKLIZE_SHOW_TIMES") != nullptr)
        std::cout << "host time a call without a driver: digest " << digest << " us, tree " << tree << " us\n";
    CHECK(digest < 100);
    CHECK(tree < 100);
}

TEST("enqueue: a stream without times has none, in every call that waits") {
    const Stream stream{fake::device()};
    const std::vector<std::byte> host(64 << 10);
    Buffer bytes(fake::device(), host.size()), nodes(fake::device(), host.size());
    bytes.copy_from(host);
    std::vector<Digest> digests(1024);
    std::byte out[32];
    merklize::Timings timings;
    const merklize::RunOptions options{.device = fake::device(), .stream = stream, .timings = &timings};
    const std::function<void()> calls[] = {
        [&] { merklize::hash(bytes, out, 0, {}, options); },
        [&] { merklize::hash(host, out, 0, {}, options); },
        [&] { merklize::hash_leaves(bytes, 64, nodes.slice(0, 32 * 1024), Hash::blake3, {}, options); },
        [&] { merklize::hash_leaves(host, 64, digests, Hash::blake3, {}, options); },
        [&] { merklize::merkle_root(bytes, Hash::blake3, options); },
        [&] { merklize::merkle_root(digests, Hash::rp64_256_v3, options); },
        [&] { merklize::build_tree(nodes, Hash::blake3, options); },
        [&] { (void)merklize::MerkleTree(bytes, Hash::blake3, options); },
        [&] { (void)merklize::MerkleTree(digests, Hash::blake3, options); },
    };
    for (const auto& call : calls) {
        for (const bool has : {true, false}) {
            fake::has_times = has;
            timings = {.available = !has, .kernel = 5, .to_device = 5, .to_host = 5};
            call();
            CHECK_EQ(timings.available, has);
            CHECK_EQ(timings.kernel + timings.to_device + timings.to_host > 0, has);
        }
    }
    fake::has_times = true;
}
