// Calls that enqueue: on a device with queues they give the same bytes as the calls that wait on the CPU.

#include <algorithm>
#include <thread>

#include "default_device.hpp"
#include "support.hpp"

using namespace support;
using merklize::Buffer;
using merklize::Device;
using merklize::Event;
using merklize::Mode;
using merklize::Stream;
using merklize::TreeForm;
using merklize::TreeRule;

namespace {

Buffer room(std::size_t digests) { return {Device(), Digest::size * digests}; }

Digest first_of(const merklize::ConstBuffer& buffer) { return on_host<Digest>(buffer).at(0); }

}  // namespace

TEST("async: digests") {
    if (!has_memory()) return;
    const Stream stream{Device()};
    const Bytes data = Random(1).bytes(3 << 20);
    const Buffer there = on_device(view(data));
    const Mode keyed = Mode::keyed(view(data).first(32));
    const Buffer out = room(2);
    for (const std::size_t size : {0, 1, 64, 1024, 1025, 5000, 64 << 10, (64 << 10) + 1, 300 * 1024 + 5, 3 << 20}) {
        for (const std::size_t offset : {0, 3}) {
            const std::size_t length = size == 0 ? 0 : size - offset % size;
            const auto part = view(data).subspan(offset, length);
            const auto source = there.slice(offset, length);
            const Event plain = merklize::hash(stream, {.data = source, .out = out.slice(0, 32)});
            const Event with_key = merklize::hash(stream, {.data = source, .out = out.slice(32, 32), .mode = keyed});
            with_key.wait();
            CHECK(plain.query());
            CHECK_EQ(on_host<Digest>(out)[0], merklize::hash(part, {}, on_cpu()));
            CHECK_EQ(on_host<Digest>(out)[1], merklize::hash(part, keyed, on_cpu()));
            CHECK_EQ(merklize::hash(source), merklize::hash(part, {}, on_cpu()));
        }
    }
}

TEST("async: batches of all hashes") {
    if (!has_memory()) return;
    const Stream stream{Device()};
    for (const std::size_t bytes : {0, 5, 1024, 3000, 5120}) {
        constexpr std::size_t n = 13;
        const Bytes data = Random(2).bytes(n * bytes);
        std::vector<Digest> expected(n);
        support::hash_messages(view(data), bytes, std::as_writable_bytes(std::span(expected)), {}, on_cpu());
        const Buffer in = on_device(view(data)), out = room(n);
        merklize::hash_leaves(stream, {.rows = in, .row_bytes = bytes, .out = out}).wait();
        CHECK_EQ(on_host<Digest>(out), expected);
    }
    for (const merklize::HashTraits& t : merklize::hashes()) {
        constexpr std::size_t n = 37;
        const std::vector<Digest> left = leaves(t.hash, n, 3), right = leaves(t.hash, n, 4);
        std::vector<Digest> expected(n);
        merklize::merge(left, right, expected, t.hash, {}, on_cpu());
        const Buffer a = on_device(left), b = on_device(right), out = room(n);
        merklize::merge(stream, {.left = a, .right = b, .out = out, .hash = t.hash}).wait();
        CHECK_EQ(on_host<Digest>(out), expected);
        merklize::merge(stream, {.left = a, .right = b, .out = a, .hash = t.hash}).wait();  // in place
        CHECK_EQ(on_host<Digest>(a), expected);

        const std::size_t record = 2 * Digest::size;
        std::vector<Digest> wanted(n / 2);
        const auto records = std::as_bytes(std::span(right)).first(n / 2 * record);
        merklize::hash_leaves(records, record, wanted, t.hash, {}, on_cpu());
        const Buffer digests = room(n / 2);
        merklize::hash_leaves(stream,
                              {.rows = b.slice(0, n / 2 * record), .row_bytes = record, .out = digests, .hash = t.hash})
            .wait();
        CHECK_EQ(on_host<Digest>(digests), wanted);
    }
    const std::vector<Digest> words = leaves(Hash::rp64_256, 12, 5);
    std::vector<Digest> expected(4);
    merklize::hash_leaves(std::as_bytes(std::span(words)), 96, expected, Hash::rp64_256, {}, on_cpu());
    const Buffer rows = on_device(words), out = room(4);
    merklize::hash_leaves(stream, {.rows = rows, .row_bytes = 96, .out = out, .hash = Hash::rp64_256}).wait();
    CHECK_EQ(on_host<Digest>(out), expected);
}

TEST("async: trees of all rules and counts") {
    if (!has_memory()) return;
    const Stream stream{Device()};
    const auto check = [&](const TreeForm& form, std::size_t n) {
        const std::vector<Digest> given = leaves(form.hash, n, n);
        std::vector<Digest> expected(merklize::heap_slots(n), given[0]);
        std::ranges::copy(given, expected.end() - static_cast<std::ptrdiff_t>(n));
        const Buffer nodes = on_device(expected, 32), alone = on_device(given), root = room(3);
        merklize::build_tree(expected, form, on_cpu());
        const Event built = merklize::build_tree(stream, {.nodes = nodes, .form = form});
        merklize::merkle_root(stream, {.leaves = alone, .out = root.slice(32, 32), .form = form});
        const std::vector<std::uint64_t> slots = {1, expected.size() - 1, 1};
        const Buffer list = on_device(slots), picked = room(3);
        const Event last = merklize::gather_nodes(stream, {.nodes = nodes, .slots = list, .out = picked});
        last.wait();
        CHECK(built.query());
        CHECK_EQ(on_host<Digest>(nodes), expected);
        CHECK_EQ(on_host<Digest>(root)[1], expected[1]);
        CHECK_EQ(on_host<Digest>(picked), std::vector<Digest>({expected[1], expected.back(), expected[1]}));
    };
    Digest padding = leaves(Hash::rp64_256, 1, 9)[0];
    for (const Hash hash : {Hash::blake3, Hash::sha256_rfc6962, Hash::rp64_256}) {
        for (const TreeRule rule : {TreeRule::left_full, TreeRule::pad, TreeRule::duplicate_last}) {
            for (const std::size_t n : {1, 2, 3, 5, 8, 100, 1023, 1025}) {
                if (hash == Hash::rp64_256 && n > 100) continue;
                check({hash, rule, {}, padding}, n);
            }
        }
    }
    check({Hash::blake3, TreeRule::pad, Mode::derive_key("async"), padding}, 77);
    check(Hash::blake3, 1 << 14);
}

TEST("async: words that are no field elements are reported by the event") {
    if (!has_memory()) return;
    const Stream stream{Device()};
    std::vector<Digest> good = leaves(Hash::rp64_256, 8, 6), bad = good;
    bad[5] = Digest::from_words({1, 2, ~0ull, 4});
    const Buffer fine = on_device(good), wrong = on_device(bad), out = room(8), one = room(1);
    for (int turn = 0; turn < 3; turn++) {
        const Event failed =
            merklize::merge(stream, {.left = fine, .right = wrong, .out = out, .hash = Hash::rp64_256});
        const Event works = merklize::merge(stream, {.left = fine, .right = fine, .out = out, .hash = Hash::rp64_256});
        works.wait();
        CHECK_ERROR(invalid_argument, "merge: right: a word is not below the modulus of 'rp64_256", failed.wait());
        CHECK_ERROR(invalid_argument, "merge: right", failed.query());
        CHECK_ERROR(invalid_argument, "merge: right", failed.check());
        const Event root = merklize::merkle_root(stream, {.leaves = wrong, .out = one, .form = Hash::rp64_256});
        CHECK_ERROR(invalid_argument, "merkle_root: leaves: a word is not below", root.wait());
        works.check();
    }
}

TEST("async: a thousand calls in flight on four streams") {
    if (!has_memory()) return;
    constexpr std::size_t n_streams = 4, calls = 250, pairs = 3;
    const std::vector<Digest> left = leaves(Hash::blake3, pairs, 1), right = leaves(Hash::blake3, pairs, 2);
    const Bytes data = Random(3).bytes(40000);
    // Each stream merges its result with `right` repeatedly. In between it computes digests and roots, which need
    // scratch memory.
    std::vector<Digest> expected = left;
    for (std::size_t i = 0; i < calls; i++) {
        std::vector<Digest> next(pairs);
        merklize::merge(expected, right, next, Hash::blake3, {}, on_cpu());
        expected = next;
    }
    const Digest digest = merklize::hash(view(data), {}, on_cpu());
    const Digest root = merklize::merkle_root(left, {}, on_cpu());
    const Buffer there = on_device(view(data)), other = on_device(right), leaves_there = on_device(left);
    std::vector<std::thread> threads;
    for (std::size_t s = 0; s < n_streams; s++) {
        threads.emplace_back([&] {
            const Buffer state = on_device(left), digests = room(calls), roots = room(calls);
            std::vector<Event> events;
            {
                const Stream stream{Device()};
                for (std::size_t i = 0; i < calls; i++) {
                    events.push_back(merklize::merge(stream, {.left = state, .right = other, .out = state}));
                    if (i % 5 == 0) merklize::hash(stream, {.data = there, .out = digests.slice(32 * i, 32)});
                    if (i % 7 == 0)
                        merklize::merkle_root(stream, {.leaves = leaves_there, .out = roots.slice(32 * i, 32)});
                }
                events.push_back(stream.record());
            }  // the work of a stream goes on when the stream is closed
            events.back().wait();
            for (const Event& event : events) CHECK(event.query());
            CHECK_EQ(on_host<Digest>(state), expected);
            for (std::size_t i = 0; i < calls; i++) {
                if (i % 5 == 0) CHECK_EQ(first_of(digests.slice(32 * i, 32)), digest);
                if (i % 7 == 0) CHECK_EQ(first_of(roots.slice(32 * i, 32)), root);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
}

TEST("async: a stream waits for another one's event") {
    if (!has_memory()) return;
    const Stream one{Device()}, other{Device()};
    const Bytes data = Random(4).bytes(20 << 20);
    const Buffer there = on_device(view(data)), first = room(1), second = room(1);
    const Digest inner = merklize::hash(view(data), {}, on_cpu());
    for (int turn = 0; turn < 5; turn++) {
        other.wait(merklize::hash(one, {.data = there, .out = first}));
        merklize::hash(other, {.data = first, .out = second}).wait();
        CHECK_EQ(first_of(second), merklize::hash(inner.bytes, {}, on_cpu()));
    }
    CHECK(one.record().native() != nullptr);
    CHECK(!one.is_capturing());
    CHECK(one.record().device() == Device());
}

TEST("async: wrong operands are refused before anything is enqueued") {
    if (!has_memory()) return;
    const Stream stream{Device()};
    const Buffer block(Device(), 4096);
    const Buffer in = block.slice(0, 1024), out = block.slice(1024, 32);
    CHECK_ERROR(invalid_argument, "hash: out must have 32 bytes, got 64",
                merklize::hash(stream, {.data = in, .out = block.slice(2048, 64)}));
    CHECK_ERROR(invalid_argument,
                "hash: out must not overlap data, got 32 bytes 1000 bytes after the beginning of 1024",
                merklize::hash(stream, {.data = in, .out = block.slice(1000, 32)}));
    CHECK_ERROR(invalid_argument, "hash_leaves: rows must be one for each of 1 digests of out",
                merklize::hash_leaves(stream, {.rows = in, .row_bytes = 100, .out = out}));
    CHECK_ERROR(invalid_argument, "merge: left, right and out must have equal counts of digests, got 2, 1 and 1",
                merklize::merge(stream, {.left = block.slice(0, 64), .right = block.slice(64, 32), .out = out}));
    CHECK_ERROR(invalid_argument, "merge: out must not overlap right",
                merklize::merge(stream, {.left = in.slice(0, 64), .right = in.slice(64, 64), .out = in.slice(96, 64)}));
    CHECK_ERROR(invalid_argument, "build_tree: no tree has 5 slots",
                merklize::build_tree(stream, {.nodes = block.slice(0, 5 * 32)}));
    CHECK_ERROR(invalid_argument, "multiple of 32 bytes",
                merklize::build_tree(stream, {.nodes = block.slice(8, 4 * 32)}));
    CHECK_ERROR(
        invalid_argument, "power of two under the rule 'perfect'",
        merklize::build_tree(stream, {.nodes = block.slice(0, 7 * 32), .form = {Hash::blake3, TreeRule::perfect}}));
    CHECK_ERROR(invalid_argument, "merkle_root: leaves must be at least 1, got 0",
                merklize::merkle_root(stream, {.leaves = block.slice(0, 0), .out = out}));
    CHECK_ERROR(invalid_argument, "gather_nodes: slots must have 8 bytes, got 16",
                merklize::gather_nodes(stream, {.nodes = in, .slots = block.slice(2048, 16), .out = out}));
    CHECK_ERROR(
        invalid_argument, "hash_leaves: a row of 'rp64_256_v3' must be a multiple of 8 bytes, its words, got 4",
        merklize::hash_leaves(stream, {.rows = block.slice(0, 4), .row_bytes = 4, .out = out, .hash = Hash::rp64_256}));
    stream.synchronize();
}

// With both runtimes of OpenCL, or several GPUs.
TEST("async: events and buffers of another device are refused") {
    if (!has_memory()) return;
    for (const merklize::DeviceInfo& info : merklize::devices()) {
        if (info.backend != Device().info().backend || info.id == Device().info().id) continue;
        const Device other(info.id);
        const Stream here{Device()}, there(other);
        CHECK_ERROR(invalid_argument, "Stream::wait: the event must be of the stream's device, ",
                    here.wait(there.record()));
        CHECK_ERROR(invalid_argument, "hash: data must be on the stream's device, ",
                    merklize::hash(here, {.data = Buffer(other, 32), .out = room(1)}));
        return;
    }
}
