// Scratch memory of calls that wait in between, on a driver that refuses released memory. Kernels do nothing here,
// because the conformance suites test their results.

#include <cstdint>
#include <vector>

#include "fake_device.hpp"
#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "merklize/extend.hpp"
#include "queue/device.hpp"
#include "support.hpp"

using namespace support;
using merklize::Buffer;
using merklize::MessageView;

TEST("scratch: a wait in between takes no working memory") {
    // The digests of 60,000 messages come in pieces.
    const Buffer block(fake::device(), 60'000 * 100);
    std::vector<MessageView> messages;
    for (std::uint64_t i = 0; i < 60'000; i++) messages.emplace_back(block.slice(100 * i, 1 + i % 100));
    CHECK_EQ(merklize::hash_each(messages).size(), messages.size());

    // Unaligned leaves are copied. With dropped levels, or without nodes, each part of 2^22 leaves ends with a wait.
    constexpr std::uint64_t n = (std::uint64_t{1} << 22) + 5;
    const Buffer unaligned = Buffer(fake::device(), Digest::size * n + 8).slice(8, Digest::size * n);
    for (const unsigned drop : {0u, 1u, 7u, 23u})
        CHECK_EQ(merklize::MerkleTree(unaligned, Hash::blake3, {}, drop).n_leaves(), n);
    merklize::merkle_root(unaligned, Hash::blake3);
}

TEST("scratch: a call on memory of the device waits once, with its result") {
    const Buffer leaves(fake::device(), Digest::size * 1024), messages(fake::device(), 60'000 * 100);
    const auto waits_of = [](auto call) {
        call();  // makes kernels and memory
        fake::count.clear();
        call();
        return fake::count.waits.load();
    };
    const auto each = [&](std::uint64_t n) {
        std::vector<MessageView> views;
        for (std::uint64_t i = 0; i < n; i++) views.emplace_back(messages.slice(100 * i, 100));
        merklize::hash_each(views);
    };
    CHECK_EQ(waits_of([&] { merklize::hash(messages.slice(0, 128 << 10)); }), 1);
    CHECK_EQ(waits_of([&] { merklize::hash(messages.slice(0, 1 << 20)); }), 1);
    CHECK_EQ(waits_of([&] { merklize::merkle_root(leaves); }), 1);
    CHECK_EQ(waits_of([&] { each(1000); }), 1);
    CHECK_EQ(waits_of([&] { each(60'000); }), 2);  // for the piece with the digests, then for the stream
}

TEST("scratch: a long call takes as much memory as one of its steps") {
    // Messages of two blocks by turns. Each has a launch and a table of its own, which is sent through pinned memory.
    const Buffer even(fake::device(), 1 << 20), odd(fake::device(), 1 << 20);
    const auto most_bytes_of = [&](std::uint64_t n) {
        std::vector<MessageView> messages;
        for (std::uint64_t i = 0; i < n; i++)
            messages.emplace_back((i % 2 == 0 ? even : odd).slice(5000 * (i % 200), 5000));
        const std::uint64_t before = fake::blocks.most_bytes = fake::blocks.bytes;
        merklize::hash_each(messages);
        return fake::blocks.most_bytes - before;
    };
    constexpr std::uint64_t n = 1000, a_table = 1 << 20;
    CHECK(most_bytes_of(n) <= 16 * a_table);
    CHECK(most_bytes_of(10 * n) <= 16 * a_table);

    // A tree in parts: all parts use the memory of the first.
    const std::vector<Digest> host = leaves(Hash::blake3, (std::size_t{3} << 22) + 1, 1);
    fake::blocks.most_bytes = fake::blocks.bytes;
    merklize::merkle_root(host, Hash::blake3, {.device = fake::device()});
    CHECK(fake::blocks.most_bytes - fake::blocks.bytes <= 4 * Digest::size * (std::uint64_t{1} << 22));
}

TEST("scratch: tables of an extension are kept for the next one, and freed to make room") {
    merklize::Matrix matrix;
    matrix.rows = 256;
    matrix.columns = matrix.row_stride = 3;
    matrix.buffer = Buffer(fake::device(), 8 * 3 * 256);
    const Buffer out(fake::device(), 8 * 3 * 512);
    const auto extend = [&](std::uint64_t shift) {
        fake::count.allocations = 0;
        merklize::extend(matrix, out, {.shift = shift}, {.device = fake::device()});
        return fake::count.allocations.load();
    };
    merklize::runtime::QueueDevice& device = *merklize::runtime::state_of(fake::device()).opened();
    device.free_kept();
    extend(3);
    device.free_kept();
    const std::uint64_t without = fake::blocks.bytes;
    const int first = extend(3);
    const std::uint64_t kept = fake::blocks.bytes - without;
    CHECK(kept > 8 * 256);
    CHECK_EQ(extend(3), first - 2);
    CHECK_EQ(fake::blocks.bytes, without + kept);
    CHECK_EQ(extend(5), first);
    CHECK_EQ(fake::blocks.bytes, without + 2 * kept);
    CHECK_EQ(extend(3), first - 2);
    CHECK(device.free_kept());
    CHECK_EQ(fake::blocks.bytes, without);
    CHECK(!device.free_kept());
}
