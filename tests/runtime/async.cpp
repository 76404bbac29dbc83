// Calls that enqueue, over a driver of functions that count: the host waits for nothing. Its commands run at once, but its events are
// reached only when the test says so, and its streams can be captured.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "support.hpp"

using namespace support;
using merklize::Buffer;
using merklize::Device;
using merklize::Event;
using merklize::Stream;

namespace fake {

struct Memory {
    std::vector<std::byte> bytes;
};
struct Count {
    std::atomic<int> waits{0}, queries{0}, allocations{0}, streams{0}, to_host{0}, orders{0}, launches{0}, programs{0};

    void clear() { waits = queries = allocations = streams = to_host = orders = launches = programs = 0; }
};
Count count;
std::atomic<bool> reached{true}, capturing{false};
std::mutex running;  // commands of all streams, one at a time

Memory& of(mkz_memory* memory) { return *reinterpret_cast<Memory*>(memory); }

template <class T>
T* made(T* one) {
    return one;
}

mkz_status put(mkz_event** event) {
    if (event != nullptr) *event = reinterpret_cast<mkz_event*>(new int(0));
    return MKZ_OK;
}

mkz_status facts(std::uint32_t, mkz_driver_facts* f) {
    *f = {MKZ_LANGUAGE_OPENCL, 0, 0, 1024, 48 << 10, std::uint64_t{1} << 40, "fake"};
    return MKZ_OK;
}
mkz_status allocate(std::uint32_t, std::uint64_t bytes, mkz_memory** memory) {
    count.allocations++;
    *memory = reinterpret_cast<mkz_memory*>(new Memory{std::vector<std::byte>(bytes, std::byte{0x55})});
    return MKZ_OK;
}
mkz_status allocate_host(std::uint32_t, std::uint64_t bytes, void** host) {
    count.allocations++;
    *host = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    return MKZ_OK;
}
void release_host(std::uint32_t, void* host) { std::free(host); }
mkz_status wrap(std::uint32_t, void*, std::uint64_t, mkz_memory**) { return MKZ_UNAVAILABLE; }
mkz_status wrap_host(std::uint32_t, void*, std::uint64_t, mkz_memory**) { return MKZ_UNAVAILABLE; }
void* native(mkz_memory* memory) { return memory; }
std::uint32_t alignment(mkz_memory*) { return 256; }
void release(std::uint32_t, mkz_memory* memory) { delete reinterpret_cast<Memory*>(memory); }
mkz_status stream_open(std::uint32_t, void*, std::uint32_t, mkz_stream** stream) {
    count.streams++;
    *stream = reinterpret_cast<mkz_stream*>(new int(0));
    return MKZ_OK;
}
void stream_close(mkz_stream* stream) { delete reinterpret_cast<int*>(stream); }
mkz_status stream_synchronize(mkz_stream*) {
    count.waits++;
    return MKZ_OK;
}
mkz_status stream_wait(mkz_stream*, mkz_event*) {
    count.orders++;
    return MKZ_OK;
}
mkz_status stream_capturing(mkz_stream*, std::uint32_t* is) {
    *is = capturing ? 1 : 0;
    return MKZ_OK;
}
mkz_status copy_to_device(mkz_stream*, mkz_memory* to, std::uint64_t offset, const void* from, std::uint64_t bytes,
                          mkz_event** event) {
    const std::lock_guard lock(running);
    if (bytes != 0) std::memcpy(of(to).bytes.data() + offset, from, bytes);
    return put(event);
}
mkz_status copy_to_host(mkz_stream*, void* to, mkz_memory* from, std::uint64_t offset, std::uint64_t bytes,
                        mkz_event** event) {
    const std::lock_guard lock(running);
    count.to_host++;
    // As a device writes pinned memory that the host looks at meanwhile.
    if (bytes == 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, of(from).bytes.data() + offset, 4);
        std::atomic_ref(*static_cast<std::uint32_t*>(to)) = word;
    } else if (bytes != 0) {
        std::memcpy(to, of(from).bytes.data() + offset, bytes);
    }
    return put(event);
}
mkz_status copy_on_device(mkz_stream*, mkz_memory* to, std::uint64_t to_offset, mkz_memory* from,
                          std::uint64_t from_offset, std::uint64_t bytes, mkz_event** event) {
    const std::lock_guard lock(running);
    std::memmove(of(to).bytes.data() + to_offset, of(from).bytes.data() + from_offset, bytes);
    return put(event);
}
mkz_status event_record(mkz_stream*, mkz_event** event) { return put(event); }
mkz_status event_wait(mkz_event*) {
    count.waits++;
    return MKZ_OK;
}
mkz_status event_query(mkz_event*, std::uint32_t* done) {
    count.queries++;
    *done = reached ? 1 : 0;
    return MKZ_OK;
}
mkz_status event_span(mkz_event*, mkz_event*, double* seconds) {
    *seconds = 0;
    return MKZ_OK;
}
void* event_native(mkz_event* event) { return event; }
void event_release(mkz_event* event) { delete reinterpret_cast<int*>(event); }
mkz_status program_build(std::uint32_t, const char*, const char*, mkz_program** program) {
    count.programs++;
    *program = reinterpret_cast<mkz_program*>(new int(0));
    return MKZ_OK;
}
mkz_status program_binary(mkz_program*, void (*)(void*, const void*, std::uint64_t), void*) { return MKZ_UNAVAILABLE; }
mkz_status program_load(std::uint32_t, const void*, std::uint64_t, mkz_program**) { return MKZ_INVALID_ARGUMENT; }
void program_release(mkz_program* program) { delete reinterpret_cast<int*>(program); }
mkz_status program_function(mkz_program*, const char* name, mkz_function** function, std::uint32_t* max_group_size) {
    *function = reinterpret_cast<mkz_function*>(new std::string(name));
    *max_group_size = 1024;
    return MKZ_OK;
}
// Of the kernels only the check of words does anything.
mkz_status launch(mkz_stream*, mkz_function* function, std::uint64_t, std::uint32_t, std::uint32_t,
                  const mkz_argument* arguments, mkz_event** event) {
    const std::lock_guard lock(running);
    count.launches++;
    if (*reinterpret_cast<std::string*>(function) == "mkz_check_words64") {
        const auto memory = [&](int i) -> Memory& {
            return *static_cast<Memory*>(const_cast<void*>(arguments[i].value));
        };
        const auto word = [&](int i) {
            std::uint64_t value = 0;
            std::memcpy(&value, arguments[i].value, sizeof value);
            return value;
        };
        for (std::uint64_t i = 0; i < word(2); i++) {
            std::uint64_t value = 0;
            std::memcpy(&value, memory(0).bytes.data() + 8 * (word(1) + i), sizeof value);
            if (value >= word(3)) memory(4).bytes[0] = std::byte{1};
        }
    }
    return put(event);
}

constexpr mkz_driver driver = {
    .facts = facts,
    .allocate = allocate,
    .allocate_host = allocate_host,
    .release_host = release_host,
    .is_pinned = nullptr,
    .wrap = wrap,
    .wrap_host = wrap_host,
    .native = native,
    .alignment = alignment,
    .release = release,
    .stream_open = stream_open,
    .stream_close = stream_close,
    .stream_synchronize = stream_synchronize,
    .stream_wait = stream_wait,
    .stream_capturing = stream_capturing,
    .copy_to_device = copy_to_device,
    .copy_to_host = copy_to_host,
    .copy_on_device = copy_on_device,
    .event_record = event_record,
    .event_wait = event_wait,
    .event_query = event_query,
    .event_span = event_span,
    .event_native = event_native,
    .event_release = event_release,
    .program_build = program_build,
    .program_binary = program_binary,
    .program_load = program_load,
    .program_release = program_release,
    .program_function = program_function,
    .launch = launch,
};

void tune(std::uint32_t, mkz_kernel, std::uint32_t, std::uint64_t, std::uint32_t, mkz_policy* policy) {
    if (policy->levels_per_launch == 0) policy->levels_per_launch = 6;
    if (policy->group_size == 0) policy->group_size = 128;
    if (policy->lanes == 0) policy->lanes = 1;
    if (policy->constants == 0) policy->constants = MKZ_CONSTANTS_literal;
}

mkz_status device_facts(std::uint32_t, mkz_device_facts* f) {
    *f = {"fake", "", "", "", 1, std::uint64_t{1} << 40};
    return MKZ_OK;
}

const mkz_backend backend = {
    .abi = MKZ_BACKEND_ABI,
    .name = "fake",
    .why_unavailable = []() -> const char* { return nullptr; },
    .device_count = [] { return std::uint32_t{1}; },
    .device_facts = device_facts,
    .tune = tune,
    .driver = &driver,
    .last_error = [] { return "fake"; },
};

const Device& device() {
    static const Device& one =
        *new Device(merklize::runtime::Internals::device(std::make_shared<merklize::runtime::DeviceState>(
            &backend, 0, merklize::DeviceInfo{"fake:0", "fake", "fake", "", "", ""})));
    return one;
}

}  // namespace fake

namespace {

// One call of each kind. The operands are of one stream's user.
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
        events.push_back(merklize::hash_many(stream, {.messages = bytes, .message_bytes = 2048, .out = many}));
        events.push_back(merklize::hash_elements(
            stream, {.rows = field, .n_rows = 512, .elements = 8, .out = many, .hash = Hash::rp64_256_v3}));
        events.push_back(
            merklize::hash_leaves(stream, {.records = digests, .record_bytes = 64, .out = many, .hash = Hash::sha256}));
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
    calls.all();  // kernels, constants and memory
    for (const bool is_slow : {false, true}) {
        fake::reached = !is_slow;
        calls.all();
        fake::count.clear();
        const std::vector<Event> events = calls.all();
        CHECK_EQ(fake::count.waits, 0);
        CHECK_EQ(fake::count.streams, 0);
        CHECK_EQ(fake::count.programs, 0);
        CHECK(fake::count.launches > 15);
        // Memory comes back to the stream that used it, whether its work has ended or not.
        if (!is_slow) CHECK_EQ(fake::count.allocations, 0);
        // Only the words that checks note go to the host, into pinned memory.
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

// What a call costs the host beyond the driver. A limit with room: the machine may be busy.
TEST("enqueue: a call takes few microseconds of the host") {
    const Calls calls;
    calls.all();
    const auto microseconds = [&](const auto& call) {
        double best = 1e9;
        for (int batch = 0; batch < 20; batch++) {
            const auto start = std::chrono::steady_clock::now();
            for (int i = 0; i < 100; i++) call();
            best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
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
