// Memory of a device: the same jobs as on the host, on buffers, at unaligned offsets, by policies of every kind
// (tests/core has each value of each kernel). On the CPU, which has no buffers, only the host's forms run.

#include <algorithm>
#include <cstring>
#include <numeric>

#include "support.hpp"

using namespace support;
using merklize::Buffer;
using merklize::Constants;
using merklize::Device;
using merklize::MerkleTree;
using merklize::Policy;
using merklize::RunOptions;

namespace {

bool has_buffers() { return Device().info().backend != "cpu"; }

RunOptions with(const Policy& policy) {
    RunOptions options;
    options.policy = policy;
    return options;
}

std::vector<Policy> tree_policies(bool is_field) {
    std::vector<Policy> policies = {{}};
    for (const std::uint32_t levels : {1, 2, 3, 6, 9, 20}) policies.push_back({.levels_per_launch = levels});
    policies.push_back({.levels_per_launch = 5, .group_size = 128});
    policies.push_back({.levels_per_launch = 1, .group_size = 32, .lanes = 4});
    policies.push_back({.levels_per_launch = 4, .group_size = 32, .lanes = 2});
    if (is_field) {
        for (const Constants c : {Constants::literal, Constants::constant, Constants::global, Constants::local}) {
            policies.push_back(
                {.levels_per_launch = c == Constants::global ? 4u : 1u, .group_size = 64, .constants = c});
        }
    }
    return policies;
}

std::vector<Digest> nodes_of(Hash hash, const std::vector<Digest>& given) {
    std::vector<Digest> nodes(2 * given.size());
    std::ranges::copy(given, nodes.begin() + static_cast<std::ptrdiff_t>(given.size()));
    RunOptions cpu;
    cpu.device = Device("cpu");
    merklize::build_tree(nodes, hash, cpu);
    return nodes;
}

}  // namespace

TEST("buffers: copies, slices and errors") {
    if (!has_buffers()) {
        CHECK_ERROR(unavailable, "cpu has no memory or queues of its own", Buffer(Device("cpu"), 1));
        CHECK_ERROR(unavailable, "cpu has no memory or queues of its own", merklize::Stream(Device("cpu")));
        return;
    }
    const Bytes data = Random(1).bytes(3 << 20);
    Buffer buffer = Buffer::copy_of(view(data), Device());
    CHECK_EQ(on_host<std::uint8_t>(buffer), data);
    CHECK_EQ(on_host<std::uint8_t>(buffer.slice(12345, 1000)), Bytes(data.begin() + 12345, data.begin() + 13345));
    CHECK(on_host<std::uint8_t>(buffer.slice(data.size(), 0)).empty());
    CHECK_ERROR(invalid_argument, "are not inside its 3145728", buffer.slice(1, data.size()));
    Bytes small(5);
    CHECK_ERROR(invalid_argument, "3145728 bytes to copy to 5", buffer.copy_to(view(small)));
    CHECK_ERROR(invalid_argument, "5 bytes to copy to 3145728", buffer.copy_from(view(small)));
    CHECK_ERROR(out_of_memory, "", Buffer(Device(), std::uint64_t{1} << 50));
    CHECK_EQ(merklize::hash(buffer), to_digest(reference::blake3(data)));  // the error changed nothing
}

TEST("buffers: digests of every size and place") {
    if (!has_buffers()) return;
    const Bytes data = Random(2).bytes((1 << 21) + 77);
    const auto key = Random(3).bytes(32);
    for (const std::size_t size : {0, 1, 64, 1023, 1024, 1025, 2048, 2049, 3072, 4095, 65536, 65537, 262143, 262144,
                                   262145, 524289, 1 << 20, (1 << 20) + 1, (1 << 21) + 5}) {
        for (const std::size_t offset : {0, 1, 3, 4, 16, 31}) {
            const Bytes part(data.begin() + 5, data.begin() + 5 + static_cast<std::ptrdiff_t>(size));
            const Buffer buffer = on_device(view(part), offset);
            CHECK_EQ(merklize::hash(buffer), to_digest(reference::blake3(part)));
            CHECK_EQ(merklize::hash(buffer, merklize::Mode::keyed(view(key))),
                     merklize::hash(view(part), merklize::Mode::keyed(view(key)), {.device = Device("cpu")}));
        }
    }
    const Buffer whole = on_device(view(data));
    Bytes out(1000), expected(1000);
    merklize::hash(whole, view(out), 63, merklize::Mode::derive_key("buffers"));
    merklize::hash(view(data), view(expected), 63, merklize::Mode::derive_key("buffers"), {.device = Device("cpu")});
    CHECK_EQ(out, expected);
    const Policy policies[] = {{.group_size = 32},
                               {.group_size = 64, .lanes = 2},
                               {.group_size = 32, .lanes = 4},
                               {.group_size = 256, .lanes = 4}};  // Intel's compiler takes minutes for more
    for (const Policy& policy : policies) {
        CHECK_EQ(merklize::hash(whole, {}, with(policy)), to_digest(reference::blake3(data)));
        CHECK_EQ(merklize::hash(view(data), {}, with(policy)), to_digest(reference::blake3(data)));
    }
}

TEST("buffers: rows of bytes") {
    if (!has_buffers()) return;
    for (const std::size_t bytes : {0, 1, 31, 32, 63, 64, 65, 96, 1024, 1025, 2048, 2050, 3072, 10000}) {
        for (const std::size_t n : {1, 2, 33, 257}) {
            for (const std::uint64_t offset : {0, 5}) {
                const Bytes data = Random(bytes + n).bytes(bytes * n);
                const Buffer out(Device(), 32 * n + offset);
                merklize::hash_leaves(on_device(view(data), offset), bytes, out.slice(offset, 32 * n));
                std::vector<Digest> expected(n);
                support::hash_messages(view(data), bytes, std::as_writable_bytes(std::span(expected)), {},
                                       {.device = Device("cpu")});
                CHECK_EQ(on_host<Digest>(out.slice(offset, 32 * n)), expected);
            }
        }
    }
    const Buffer out(Device(), 64), in(Device(), 65);
    CHECK_ERROR(invalid_argument, "one for each of 2 digests of out, of 32 bytes each, got 65 bytes",
                merklize::hash_leaves(in, 32, out));
}

TEST("policies: rows of words and merges") {
    if (!has_buffers()) return;
    const RunOptions cpu{.device = Device("cpu")};
    for (const merklize::HashTraits& t : hashes_here()) {
        std::vector<Policy> policies = {{}};
        for (const std::uint32_t lanes : {2u, t.is_field ? 1u : 8u})
            policies.push_back({.group_size = 32, .lanes = lanes});
        if (t.is_field) {
            for (const Constants c : {Constants::literal, Constants::constant, Constants::global, Constants::local})
                policies.push_back({.group_size = 64, .constants = c});
        }
        for (const std::size_t n : {1, 7, 65, 300}) {
            const std::vector<Digest> left = leaves(t.hash, n, n), right = leaves(t.hash, n, n + 1);
            std::vector<Digest> expected(n);
            merklize::merge(left, right, expected, t.hash, {}, cpu);
            for (const Policy& policy : policies) {
                const Buffer out(Device(), 32 * n + 8);
                merklize::merge(on_device(left, 16), on_device(right), out.slice(8, 32 * n), t.hash, {}, with(policy));
                CHECK_EQ(on_host<Digest>(out.slice(8, 32 * n)), expected);
                std::vector<Digest> from_host(n);
                merklize::merge(left, right, from_host, t.hash, {}, with(policy));
                CHECK_EQ(from_host, expected);
            }
        }
        if (!t.is_field) continue;
        for (const std::size_t elements : {0, 1, 7, 8, 9, 16, 24, 100}) {
            const std::size_t n = 65;
            Random random(elements);
            const Bytes rows = random_elements(t, n * elements * t.element_bits / 8, random);
            std::vector<Digest> expected(n);
            merklize::hash_leaves(view(rows), elements * t.element_bits / 8, expected, t.hash, {}, cpu);
            for (const Policy& policy : policies) {
                const Buffer out(Device(), 32 * n);
                merklize::hash_leaves(on_device(rows, 8), elements * t.element_bits / 8, out, t.hash, {}, with(policy));
                CHECK_EQ(on_host<Digest>(out), expected);
            }
        }
    }
}

TEST("buffers: a word that is no field element is found on the device") {
    if (!has_buffers()) return;
    for (const std::size_t at : {0, 1, 255, 256, 4095}) {
        std::vector<std::uint64_t> words(4096, p - 1);
        words[at] = p;
        const std::string text = "word " + std::to_string(at) + " is " + std::to_string(p);
        const Buffer bad = on_device(words), out(Device(), 32 * 512);
        CHECK_ERROR(invalid_argument, text, merklize::hash_leaves(bad, 64, out, Hash::rp64_256));
        CHECK_ERROR(invalid_argument, text, merklize::merkle_root(bad, Hash::rp64_256));
        CHECK_ERROR(invalid_argument, text, MerkleTree(bad, Hash::rp64_256));
    }
}

TEST("policies: trees, every node") {
    for (const merklize::HashTraits& t : hashes_here()) {
        for (const std::size_t n : {2, 4, 64, 1024}) {
            if (t.is_field && n == 64) continue;
            const std::vector<Digest> given = leaves(t.hash, n, n);
            const std::vector<Digest> expected = nodes_of(t.hash, given);
            CHECK_EQ(merklize::merkle_root(given, t.hash), expected[1]);
            if (!has_buffers()) continue;
            for (const Policy& policy : tree_policies(t.is_field)) {
                // Wide lanes of field hashes take minutes to compile.
                if (t.is_field && policy.lanes > 2) continue;
                std::vector<Digest> in_place(2 * n);
                std::ranges::copy(given, in_place.begin() + static_cast<std::ptrdiff_t>(n));
                const Buffer nodes = on_device(in_place, 32);
                const Policy used = merklize::build_tree(nodes, t.hash, with(policy));
                if (on_host<Digest>(nodes) != expected) {
                    check::fail(__FILE__, __LINE__,
                                std::string(t.name) + ", " + std::to_string(n) + " leaves, policy '" +
                                    merklize::to_text(policy) + "'");
                }
                CHECK(used.levels_per_launch >= 1 && used.group_size >= 1 && used.lanes >= 1);
                CHECK(policy.group_size == 0 || used.group_size == policy.group_size);
                CHECK_EQ(merklize::merkle_root(on_device(given, n == 4 ? 8 : 32), t.hash, with(policy)), expected[1]);
            }
            for (const std::size_t offset : {8, 32}) {  // the tree's own leaves are copied while it is built
                const MerkleTree tree(on_device(given, offset), t.hash);
                CHECK_EQ(tree.nodes(), expected);
                CHECK_EQ(tree.root(), expected[1]);
            }
        }
        const std::vector<Digest> one = leaves(t.hash, 1);
        CHECK_EQ(merklize::merkle_root(one, t.hash), one[0]);
        if (has_buffers()) CHECK_EQ(merklize::merkle_root(on_device(one), t.hash), one[0]);
    }
}

TEST("buffers: large trees of leaves on the device") {
    if (!has_buffers()) return;
    for (const std::size_t n : {std::size_t{1} << 17, (std::size_t{1} << 17) + 3, std::size_t{99999}}) {
        const std::vector<Digest> given = leaves(Hash::blake3, n);
        RunOptions cpu;
        cpu.device = Device("cpu");
        const merklize::TreeForm form{Hash::blake3, merklize::TreeRule::left_full};
        const MerkleTree expected(given, form, cpu), tree(on_device(given, 32), form);
        CHECK_EQ(tree.nodes(), expected.nodes());
        CHECK_EQ(tree.root(), expected.root());
    }
}

TEST("buffers: proofs and caps of a tree on the device") {
    const std::size_t n = 512;
    const std::vector<Digest> given = leaves(Hash::blake3, n);
    const std::vector<Digest> expected = nodes_of(Hash::blake3, given);
    const MerkleTree tree(given);
    std::vector<std::uint64_t> indices(n + 3);
    std::iota(indices.begin(), indices.end(), 0);
    for (std::size_t i = n; i < indices.size(); i++) indices[i] = 7;
    const std::vector<merklize::MerkleProof> proofs = tree.prove(indices);
    CHECK_EQ(proofs.size(), indices.size());
    for (std::size_t i = 0; i < proofs.size(); i++) {
        CHECK_EQ(proofs[i].index, indices[i]);
        CHECK_EQ(proofs[i].leaf, given[indices[i]]);
        for (unsigned level = 0; level < 9; level++)
            CHECK_EQ(proofs[i].siblings[level], expected[((n + indices[i]) >> level) ^ 1]);
        CHECK(merklize::verify(proofs[i], expected[1]));
    }
    CHECK(tree.prove(std::span<const std::uint64_t>()).empty());
    for (unsigned height = 0; height <= 9; height++) {
        const std::vector<Digest> cap = tree.cap(height);
        CHECK_EQ(cap, std::span(expected).subspan(std::size_t{1} << height, cap.size()));
        CHECK_EQ(cap.size(), std::size_t{1} << height);
    }
    if (tree.on_device()) {
        CHECK_EQ(on_host<Digest>(tree.device_nodes()), expected);
    } else {
        CHECK_ERROR(invalid_argument, "nodes are in memory of the host", tree.device_nodes());
    }
}

TEST("buffers: strided arrays are packed") {
    if (!has_buffers()) return;
    Random random(9);
    for (const std::uint32_t item : {1, 2, 4, 8, 16}) {
        const std::uint64_t rows = 37, columns = 24, planes = 3;
        const Bytes data = random.bytes(rows * columns * planes * item);
        const Buffer source = on_device(view(data));
        const auto check = [&](std::uint64_t first, const std::vector<std::uint64_t>& extents,
                               const std::vector<std::int64_t>& strides) {
            Bytes expected;
            std::vector<std::uint64_t> at(extents.size(), 0);
            for (;;) {
                std::int64_t place = static_cast<std::int64_t>(first);
                for (std::size_t k = 0; k < at.size(); k++) place += static_cast<std::int64_t>(at[k]) * strides[k];
                expected.insert(expected.end(), data.begin() + place, data.begin() + place + item);
                std::size_t k = at.size();
                while (k > 0 && ++at[k - 1] == extents[k - 1]) at[--k] = 0;
                if (k == 0) break;
            }
            CHECK_EQ(on_host<std::uint8_t>(Buffer::pack(source, first, extents, strides, item)), expected);
        };
        const std::int64_t s = item, row = s * 24, plane = row * 37;
        check(0, {planes, rows, columns}, {plane, row, s});                       // contiguous
        check(0, {columns, rows, planes}, {s, row, plane});                       // transposed
        check(0, {planes, rows, 5}, {plane, row, s});                             // columns cut off
        check(static_cast<std::uint64_t>(3 * s), {rows, 6}, {row, 4 * s});        // every fourth column
        check(static_cast<std::uint64_t>(36 * row), {rows, columns}, {-row, s});  // rows backwards
        check(0, {4, columns}, {0, s});                                           // one row, four times
        check(static_cast<std::uint64_t>(s), {}, {});                             // a single item
    }
    const Buffer source(Device(), 64);
    const std::uint64_t extents[] = {9};
    const std::int64_t strides[] = {8};
    CHECK_ERROR(invalid_argument, "elements reach outside the 64 bytes", Buffer::pack(source, 0, extents, strides, 8));
    CHECK_ERROR(invalid_argument, "elements of 1, 2, 4, 8 or 16 bytes, got 3",
                Buffer::pack(source, 0, extents, strides, 3));
}

TEST("buffers: streams and times") {
    if (!has_buffers()) return;
    const merklize::Stream stream{Device()};
    merklize::Timings timings;
    RunOptions options;
    options.stream = stream;
    options.timings = &timings;
    const std::vector<Digest> given = leaves(Hash::blake3, 1 << 12);
    const MerkleTree tree(given, Hash::blake3, options);
    CHECK_EQ(tree.nodes(), nodes_of(Hash::blake3, given));
    // Streams of our own are always timed.
    CHECK(timings.available);
    CHECK(timings.kernel > 0);
    CHECK(timings.kernel < 10);
    if (tree.on_device()) CHECK(timings.to_device > 0);
    const Bytes data = Random(4).bytes(1 << 20);
    const Buffer buffer = on_device(view(data));
    CHECK_EQ(merklize::hash(buffer, {}, options), to_digest(reference::blake3(data)));
    CHECK(timings.kernel > 0);
    stream.synchronize();
    CHECK_ERROR(invalid_argument, "options.stream must be of the call's device",
                merklize::hash(view(data), {}, {.device = Device("cpu"), .stream = stream}));
    CHECK_ERROR(invalid_argument, "the stream is null", merklize::Stream::wrap(Device(), nullptr));
    CHECK_ERROR(invalid_argument, "Buffer::wrap: native must be memory of ",
                merklize::ConstBuffer::wrap(Device(), nullptr, 8));
}

TEST("buffers: policies that do not exist") {
    const std::vector<Digest> given = leaves(Hash::blake3, 64);
    CHECK_ERROR(invalid_argument, "group_size must be a power of two up to 1024, got 48",
                MerkleTree(given, Hash::blake3, with({.group_size = 48})));
    CHECK_ERROR(invalid_argument, "lanes must be 1, 2, 4, 8 or 16, got 3",
                MerkleTree(given, Hash::blake3, with({.lanes = 3})));
    CHECK_ERROR(invalid_argument, "lanes must be 1, 2, 4, 8 or 16, got 32",
                merklize::hash(view(Bytes(5000)), {}, with({.lanes = 32})));
    CHECK_ERROR(invalid_argument, "levels_per_launch must be 1 to 32, got 99",
                merklize::merkle_root(given, Hash::blake3, with({.levels_per_launch = 99})));
}

TEST("buffers: host memory that a device does not reach goes there in pieces") {
    if (!has_buffers()) return;
    const RunOptions cpu{.device = Device("cpu")};
    // No device takes host memory at odd addresses, so these inputs are staged everywhere, in pieces of 16 MiB.
    const std::size_t bytes = (std::size_t{40} << 20) + 123;
    const Bytes data = Random(11).bytes(bytes + 1);
    const auto odd = view(data).subspan(1, bytes);
    CHECK_EQ(merklize::hash(odd), merklize::hash(odd, {}, cpu));

    const std::size_t n = std::size_t{1} << 20;
    std::vector<Digest> expected(2 * n);
    Bytes memory(64 * n + 8);
    const std::span<Digest> nodes(reinterpret_cast<Digest*>(memory.data() + 8), 2 * n);
    const std::vector<Digest> given = leaves(Hash::blake3, n, 12);
    std::ranges::copy(given, nodes.begin() + static_cast<std::ptrdiff_t>(n));
    std::ranges::copy(given, expected.begin() + static_cast<std::ptrdiff_t>(n));
    merklize::build_tree(expected, Hash::blake3, cpu);
    merklize::build_tree(nodes);
    CHECK_EQ(nodes, expected);
    // A second tree, over the nodes of the first. Its pairs are staged in pieces, too.
    std::vector<Digest> merged(n), wanted(n);
    merklize::merge(nodes.first(n), nodes.last(n), merged);
    merklize::merge(nodes.first(n), nodes.last(n), wanted, Hash::blake3, {}, cpu);
    CHECK_EQ(merged, wanted);
    CHECK_EQ(merklize::merkle_root(std::span<const Digest>(nodes).last(n)), expected[1]);
}
