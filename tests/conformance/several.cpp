// Several devices for one job: the bytes of the CPU. MERKLIZE_DEVICE names them ("opencl:all", "cuda:all",
// "cpu,opencl:0"); without it, or with one device, only the cases that need no devices run.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "calls/side_by_side.hpp"
#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "support.hpp"

using namespace support;
using merklize::Buffer;
using merklize::ConstBuffer;
using merklize::Device;
using merklize::MerkleTree;
using merklize::RunOptions;

namespace {

/// The value of MERKLIZE_DEVICE if it names several devices, else null.
const char* several() {
    return merklize::runtime::state_of(Device()).parts.empty() ? nullptr : std::getenv("MERKLIZE_DEVICE");
}

Device together() { return {}; }
const std::vector<Device>& alone() { return merklize::runtime::state_of(Device()).parts; }

bool has_cpu() {
    return std::ranges::any_of(alone(), [](const Device& one) { return one.info().backend == "cpu"; });
}

std::vector<Digest> nodes_of(Hash hash, const std::vector<Digest>& given, const RunOptions& options) {
    std::vector<Digest> nodes(2 * given.size());
    std::ranges::copy(given, nodes.begin() + static_cast<std::ptrdiff_t>(given.size()));
    merklize::build_tree(nodes, hash, options);
    return nodes;
}

}  // namespace

TEST("several: shares are all there is, once") {
    for (const std::uint64_t n :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{64}, (std::uint64_t{1} << 58) + 5}) {
        for (const std::uint64_t count : {1, 2, 3, 8, 63}) {
            std::uint64_t next = 0;
            for (std::uint64_t i = 0; i < count; i++) {
                const merklize::runtime::Share share(n, i, count);
                CHECK_EQ(share.first, next);
                CHECK(share.size == n / count || share.size == n / count + 1);
                next += share.size;
            }
            CHECK_EQ(next, n);
        }
    }
}

TEST("several: side by side, with progress, cancelling and errors") {
    // The tests do not depend on which devices work side by side, so the CPU stands for each.
    const std::vector<Device> devices(4, Device("cpu"));
    const RunOptions options{.threads = 8};
    std::atomic<int> ran{0};
    CHECK(merklize::runtime::side_by_side(devices, options, 8,
                                          [&](std::size_t, const RunOptions& here) {
                                              CHECK_EQ(here.threads, 2u);
                                              CHECK(!here.progress && !here.stream && here.timings == nullptr);
                                              ran++;
                                          },
                                          {}));
    CHECK_EQ(ran, 4);

    const auto caller = std::this_thread::get_id();
    std::atomic<bool> seen{false};  // the last part waits for it
    const auto work = [&](std::size_t i, const RunOptions& here) {
        for (int k = 1; k <= 10 || (i == 3 && !seen); k++) {
            if (!here.progress(std::min(k, 10) / 10.0))
                throw merklize::Error(merklize::ErrorCode::cancelled, "stopped");
            std::this_thread::yield();
        }
        ran++;
    };
    double before = 0;
    ran = 0;
    CHECK(merklize::runtime::side_by_side(devices, options, 1, work, [&](double done) {
        CHECK(std::this_thread::get_id() == caller);
        CHECK(done >= 0 && done <= 1);
        before = std::max(before, done);
        if (before > 0.5) seen = true;
        return true;
    }));
    CHECK_EQ(ran, 4);
    CHECK(before > 0.5);
    ran = 0;
    seen = false;
    CHECK(!merklize::runtime::side_by_side(devices, options, 1, work, [](double) { return false; }));
    CHECK(ran < 4);
    seen = true;
    for (const std::size_t bad : {0, 3}) {
        CHECK_ERROR(out_of_memory, "part " + std::to_string(bad),
                    merklize::runtime::side_by_side(
                        devices, options, 1,
                        [&](std::size_t i, const RunOptions& here) {
                            if (i == bad)
                                throw merklize::Error(merklize::ErrorCode::out_of_memory, "part " + std::to_string(i));
                            work(i, here);
                        },
                        [](double) { return true; }));
    }
}

TEST("several: names") {
    CHECK_ERROR(invalid_argument, "unknown device ''", Device(","));
    CHECK_ERROR(invalid_argument, "cpu is in it twice", Device("cpu,cpu"));
    CHECK_ERROR(invalid_argument, "unknown device 'abacus:all'", Device("abacus:all"));
    if (several() == nullptr) return;
    const std::vector<Device>& each = alone();
    const Device all = together();
    std::cout << "several: " << all.info().name << ", " << all.info().id << std::endl;
    CHECK(each.size() >= 2);
    CHECK_EQ(all.info().id, several());
    CHECK_EQ(all.info().units, std::accumulate(each.begin(), each.end(), 0u,
                                               [](unsigned sum, const Device& one) { return sum + one.info().units; }));
    CHECK_EQ(all == together(), true);
    const std::string first = each[0].info().id;
    const auto& has_queues = *std::ranges::find_if(each, [](const Device& one) { return one.info().backend != "cpu"; });
    CHECK_EQ(Device(first + "," + each[1].info().id).info().units, each[0].info().units + each[1].info().units);
    CHECK_ERROR(invalid_argument, first + " is in it twice", Device(first + "," + first));
    CHECK_ERROR(invalid_argument, "cpu is in it twice", Device("cpu," + first + ",cpu"));
    CHECK_ERROR(unavailable, "no device", Device("cpu," + has_queues.info().backend + ":99"));
    CHECK(merklize::why_unavailable(several()).empty());
    CHECK_ERROR(unavailable, "has no memory or queues of its own", Buffer(all, 1));
    CHECK_ERROR(unavailable, "has no memory or queues of its own", merklize::Stream(all));
    RunOptions options{.device = all, .stream = merklize::Stream(has_queues)};
    CHECK_ERROR(invalid_argument, "got one of " + has_queues.info().id, merklize::hash(view(Bytes(5)), {}, options));
}

TEST("several: digests of host memory") {
    if (several() == nullptr) return;
    const RunOptions all{.device = together()};
    const Bytes data = Random(1).bytes((9 << 20) + 77);
    const auto key = Random(2).bytes(32);
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{1024}, std::size_t{1025}, std::size_t{2049}, std::size_t{1} << 20,
          (std::size_t{2} << 20) - 1, std::size_t{2} << 20, (std::size_t{2} << 20) + 1, (std::size_t{3} << 20) + 5000,
          std::size_t{8} << 20, data.size()}) {
        const auto part = view(data).first(size);
        CHECK_EQ(merklize::hash(part, {}, all), merklize::hash(part, {}, on_cpu()));
        const auto keyed = merklize::Mode::keyed(view(key));
        CHECK_EQ(merklize::hash(part, keyed, all), merklize::hash(part, keyed, on_cpu()));
    }
    Bytes out(500), expected(500);
    merklize::hash(view(data), view(out), 77, merklize::Mode::derive_key("several"), all);
    merklize::hash(view(data), view(expected), 77, merklize::Mode::derive_key("several"), on_cpu());
    CHECK_EQ(out, expected);
    merklize::Hasher hasher({}, all);
    hasher.update(view(data).first(3333333));
    hasher.update(view(data).subspan(3333333));
    CHECK_EQ(hasher.digest(), merklize::hash(view(data), {}, on_cpu()));
    const TemporaryFolder folder;
    Digest of_file;
    merklize::hash_file(folder.write("data", data), of_file.bytes, 0, {}, all);
    CHECK_EQ(of_file, hasher.digest());
    merklize::Timings timings;
    merklize::hash(view(data), {}, {.device = together(), .timings = &timings});
    CHECK(timings.available && timings.kernel < 60);
    // The CPU has no clock, and may have done all before a device began.
    CHECK(timings.kernel > 0 || has_cpu());
}

TEST("several: batches of host memory") {
    if (several() == nullptr) return;
    const RunOptions all{.device = together()};
    for (const std::size_t n : {std::size_t{1}, std::size_t{100}, std::size_t{40001}}) {
        const Bytes rows = Random(3).bytes(n * 100);
        std::vector<Digest> out(n), expected(n);
        support::hash_messages(view(rows), 100, std::as_writable_bytes(std::span(out)), {}, all);
        support::hash_messages(view(rows), 100, std::as_writable_bytes(std::span(expected)), {}, on_cpu());
        CHECK_EQ(out, expected);
        const std::vector<Digest> left = leaves(Hash::blake3, n, 4), right = leaves(Hash::blake3, n, 5);
        merklize::merge(left, right, out, Hash::blake3, {}, all);
        merklize::merge(left, right, expected, Hash::blake3, {}, on_cpu());
        CHECK_EQ(out, expected);
        Random random(6);
        std::vector<std::uint64_t> words(n * 9), sums(4 * n), expected_sums(4 * n);
        for (std::uint64_t& word : words) word = random.element();
        support::hash_words<std::uint64_t>(words, 9, sums, Hash::rp64_256, all);
        support::hash_words<std::uint64_t>(words, 9, expected_sums, Hash::rp64_256, on_cpu());
        CHECK_EQ(sums, expected_sums);
    }
}

TEST("several: every node of trees of host memory") {
    if (several() == nullptr) return;
    const RunOptions all{.device = together()};
    for (const Hash hash : {Hash::blake3, Hash::rp64_256}) {
        for (const unsigned log2 : {1, 5, 15, 16, 17, 18}) {
            if (hash != Hash::blake3 && log2 == 18) continue;
            const std::vector<Digest> given = leaves(hash, std::size_t{1} << log2, log2);
            const std::vector<Digest> expected = nodes_of(hash, given, on_cpu());
            CHECK_EQ(nodes_of(hash, given, all), expected);
            CHECK_EQ(merklize::merkle_root(given, hash, all), expected[1]);
            const MerkleTree tree(given, hash, all);
            CHECK(!tree.on_device());
            CHECK_EQ(tree.nodes(), expected);
            CHECK_EQ(tree.device().id, several());
            CHECK(merklize::verify(tree.prove(1), expected[1]));
        }
    }
    std::vector<Digest> bad = leaves(Hash::rp64_256, 1 << 16);
    bad[50000] = Digest::from_words({0, ~std::uint64_t{0}, 0, 0});
    CHECK_ERROR(invalid_argument, "word 200001 is", merklize::merkle_root(bad, Hash::rp64_256, all));
}

// What a cut by rates must keep: every item once, in any order, whichever device is slow, fails or is told to stop.
TEST("several: the CPU beside devices") {
    if (several() == nullptr || !has_cpu()) return;
    for (const std::uint64_t items : {1, 2, 63, 1000}) {
        for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{5} << 20, std::uint64_t{1} << 40}) {
            std::vector<std::atomic<int>> taken(items);
            const auto body = [&](std::uint64_t first, std::uint64_t count, const RunOptions& here) {
                CHECK(here.threads >= 1 && count >= 1);
                for (std::uint64_t i = first; i < first + count; i++) taken[i]++;
                return true;
            };
            CHECK(merklize::runtime::share_out(alone(), {}, 8, items, bytes, body, {}));
            CHECK(std::ranges::all_of(taken, [](int times) { return times == 1; }));
        }
    }
    const auto fails = [&](std::uint64_t, std::uint64_t, const RunOptions&) -> bool {
        throw merklize::Error(merklize::ErrorCode::out_of_memory, "no more");
    };
    CHECK_ERROR(out_of_memory, "no more", merklize::runtime::share_out(alone(), {}, 8, 100, 1 << 30, fails, {}));
    const auto waits = [&](std::uint64_t, std::uint64_t, const RunOptions& here) {
        while (here.progress(0.5)) std::this_thread::yield();
        return false;
    };
    double before = 0;
    CHECK(!merklize::runtime::share_out(alone(), {}, 8, 100, 1 << 30, waits, [&](double done) {
        CHECK(done >= before && done <= 1);
        before = done;
        return done < 0.01;
    }));
}

TEST("several: data that lies on the devices") {
    if (several() == nullptr || has_cpu()) return;
    const std::vector<Device>& each = alone();
    const Bytes data = Random(7).bytes(7 << 20);
    // Cuts the data at these chunks. The devices take parts in turn.
    const auto check = [&](const std::vector<std::size_t>& cuts, std::size_t bytes) {
        std::vector<ConstBuffer> parts;
        std::size_t first = 0;
        for (std::size_t k = 0; k <= cuts.size(); k++) {
            const std::size_t end = k < cuts.size() ? 1024 * cuts[k] : bytes;
            const Device& device = each[k % each.size()];
            parts.push_back(Buffer::copy_of(view(data).subspan(first, end - first), device));
            first = end;
        }
        CHECK_EQ(merklize::hash_parts(parts), merklize::hash(view(data).first(bytes), {}, on_cpu()));
        Bytes out(100), expected(100);
        merklize::hash_parts(parts, view(out), 9, merklize::Mode::derive_key("parts"));
        merklize::hash(view(data).first(bytes), view(expected), 9, merklize::Mode::derive_key("parts"), on_cpu());
        CHECK_EQ(out, expected);
    };
    check({1024}, 2 << 20);  // equal powers of two
    check({1024, 2048, 3072}, 4 << 20);
    check({1}, 1025);
    check({1}, 2048);
    check({1, 2}, 3072);
    check({0, 1}, 1024);  // empty parts are left out
    check({3}, 3072);
    check({1, 4, 9, 700}, (1 << 20) + 17);
    check({5000}, 7 << 20);
    check({2, 6001}, (7 << 20) - 1023);
    CHECK_EQ(merklize::hash_parts({}), merklize::hash(std::span<const std::byte>(), {}, on_cpu()));
    const Buffer odd(each[0], 1000), even(each[1], 1024);
    CHECK_ERROR(invalid_argument, "multiple of 1024 bytes; the one before part 1 has 1000",
                merklize::hash_parts(std::vector<ConstBuffer>{odd, even}));
    CHECK_ERROR(invalid_argument, "no common stream",
                merklize::hash_parts(std::vector<ConstBuffer>{even}, {}, {.stream = merklize::Stream(each[0])}));

    for (const Hash hash : {Hash::blake3, Hash::rp64_256}) {
        const std::vector<Digest> given = leaves(hash, 1 << 10, 8);
        const Digest expected = merklize::merkle_root(given, hash, on_cpu());
        for (const std::size_t count : {1, 2, 4, 1024}) {
            if (hash != Hash::blake3 && count == 1024) continue;
            std::vector<ConstBuffer> parts;
            const std::size_t size = given.size() / count;
            for (std::size_t k = 0; k < count; k++) {
                parts.push_back(
                    Buffer::copy_of(std::as_bytes(std::span(given).subspan(k * size, size)), each[k % each.size()]));
            }
            CHECK_EQ(merklize::merkle_root_parts(parts, hash), expected);
        }
    }
    // The first level of these parts is enqueued on all devices before any other level.
    const std::vector<Digest> many = leaves(Hash::blake3, 1 << 21, 9);
    std::vector<ConstBuffer> halves;
    for (std::size_t k = 0; k < 2; k++)
        halves.push_back(
            Buffer::copy_of(std::as_bytes(std::span(many).subspan(k << 20, 1 << 20)), each[k % each.size()]));
    CHECK_EQ(merklize::merkle_root_parts(halves, Hash::blake3), merklize::merkle_root(many, Hash::blake3, on_cpu()));
    const Buffer two(each[0], 64), four(each[1], 128);
    CHECK_ERROR(invalid_argument, "count of parts must be a power of two, got 3",
                merklize::merkle_root_parts(std::vector<ConstBuffer>{two, two, two}));
    CHECK_ERROR(invalid_argument, "part 0 has 64 bytes, part 1 has 128",
                merklize::merkle_root_parts(std::vector<ConstBuffer>{two, four}));
    // Errors name the called function, whichever internal path it takes.
    const std::vector<Digest> no_words(2, Digest::from_words({UINT64_MAX, 0, 0, 0}));
    const std::vector<ConstBuffer> bad(2, Buffer::copy_of(std::as_bytes(std::span(no_words)), each[0]));
    merklize::Timings times;
    for (const RunOptions& options : {RunOptions{}, RunOptions{.timings = &times}})
        CHECK_ERROR(invalid_argument,
                    "merkle_root_parts: leaves: ", merklize::merkle_root_parts(bad, Hash::rp64_256, options));
}
