// Several threads at once, forks, and cancelled calls.

#include <algorithm>
#include <atomic>
#include <climits>
#include <ctime>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>

#include <sys/mman.h>

#include "asked_often.hpp"
#include "child.hpp"
#include "support.hpp"

using namespace support;
using merklize::MerkleTree;

namespace {

/// One job of each kind; true if all results are those expected.
class Jobs {
public:
    explicit Jobs(std::uint64_t seed)
        : data_(Random(seed).bytes(700000 + seed)),
          leaves_(leaves(Hash::blake3, 2048, seed)),
          field_leaves_(leaves(Hash::rp64_256, 64, seed)),
          digest_(to_digest(reference::blake3(data_))),
          root_(MerkleTree(leaves_).root()),
          field_root_(MerkleTree(field_leaves_, Hash::rp64_256, threads(1)).root()) {}

    bool run() const {
        merklize::Hasher hasher;
        hasher.update(view(data_));
        return merklize::hash(view(data_)) == digest_ && hasher.digest() == digest_ &&
               MerkleTree(leaves_).root() == root_ && MerkleTree(field_leaves_, Hash::rp64_256).root() == field_root_;
    }

private:
    Bytes data_;
    std::vector<Digest> leaves_, field_leaves_;
    Digest digest_, root_, field_root_;
};

}  // namespace

TEST("concurrency: eight threads call at once") {
    std::vector<std::thread> callers;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        callers.emplace_back([seed] {
            const Jobs jobs(seed);
            for (int i = 0; i < 10; ++i) CHECK(jobs.run());
        });
    }
    for (std::thread& caller : callers) caller.join();
}

TEST("concurrency: a shared tree and hasher are read from several threads") {
    const MerkleTree tree(leaves(Hash::blake3, 256));
    merklize::Hasher hasher;
    hasher.update(view(pattern(10000)));
    const Digest expected = hasher.digest();
    std::vector<std::thread> readers;
    for (int t = 0; t < 4; ++t) {
        readers.emplace_back([&] {
            for (std::uint64_t k = 0; k < 256; ++k) CHECK(merklize::verify(tree.prove(k), tree.root()));
            CHECK_EQ(hasher.digest(), expected);
        });
    }
    for (std::thread& reader : readers) reader.join();
}

TEST("concurrency: more threads than the machine has") {
    const Bytes data = Random(1).bytes(1 << 20);
    CHECK_EQ(merklize::hash(view(data), {}, threads(200)), to_digest(reference::blake3(data)));
}

#if !defined(__SANITIZE_THREAD__)  // ThreadSanitizer supports no child of fork() that starts threads
/// The CPU works in a child of fork(); another device, opened by the parent, says that it does not.
bool runs_in_child(const Jobs& jobs) {
    if (merklize::Device().info().backend == "cpu") return jobs.run();
    try {
        (void)jobs.run();
        return false;
    } catch (const merklize::Error& e) {
        return e.code() == merklize::ErrorCode::unavailable &&
               std::string_view(e.what()).find("fork") != std::string::npos;
    }
}

TEST("concurrency: parent and child work after a fork") {
    const Jobs jobs(1);
    CHECK(jobs.run());  // the parent's threads exist now
    const auto run = [&] { return runs_in_child(jobs); };
    CHECK_EQ(child::in_fork(run), 0);
    CHECK(jobs.run());
    CHECK_EQ(child::in_fork([&] { return child::in_fork(run) == 0 && run(); }), 0);
}

#ifndef __SANITIZE_ADDRESS__  // a fork copies the locked allocator of GCC 12's AddressSanitizer
TEST("concurrency: forks while other threads work") {
    const Jobs jobs(2);
    std::atomic<bool> stop{false};
    std::thread busy([&] {
        while (!stop) CHECK(jobs.run());
    });
    for (int i = 0; i < 100; ++i) CHECK_EQ(child::in_fork([&] { return runs_in_child(jobs); }), 0);
    stop = true;
    busy.join();
}
#endif  // __SANITIZE_ADDRESS__
#endif  // __SANITIZE_THREAD__

namespace {

/// Zeros that take no memory, because all pages that are only read are one page.
class Zeros {
public:
    explicit Zeros(std::size_t size)
        : size_(size), data_(::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
        if (data_ == MAP_FAILED) throw std::bad_alloc();
    }
    Zeros(const Zeros&) = delete;
    Zeros& operator=(const Zeros&) = delete;
    ~Zeros() { ::munmap(data_, size_); }

    std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

private:
    std::size_t size_;
    void* data_;
};

/// Long work must call its progress function early, and stop soon after that returns false. Both times are processor
/// time, because other processes do not count there. A device compiles its kernels in a first call, which is not timed.
template <class Work>
void check_cancel(const char* what, Work work) {
    merklize::RunOptions options = threads(2);
    options.progress = [](double) { return false; };
    try {
        work(options);
    } catch (const merklize::Error& e) {
        CHECK(e.code() == merklize::ErrorCode::cancelled);
    }
    const std::clock_t start = std::clock();
    std::optional<std::clock_t> asked;
    options.progress = [&](double done) {
        CHECK(done >= 0 && done <= 1);
        CHECK(!asked);  // it is not called again after it returned false
        asked = std::clock();
        return false;
    };
    bool cancelled = false;
    try {
        work(options);
    } catch (const merklize::Error& e) {
        cancelled = e.code() == merklize::ErrorCode::cancelled;
    }
    const std::clock_t end = std::clock(), much = 5 * CLOCKS_PER_SEC;
    const bool early =
        cancelled ? *asked - start < much && end - *asked < much : !asked && end - start < CLOCKS_PER_SEC;
    if (!early) check::fail(__FILE__, __LINE__, std::string(what) + (cancelled ? ": late" : ": not cancelled"));
}

}  // namespace

TEST("cancel: every kind of long work") {
    const TemporaryFolder folder;
    const auto path = folder.write("sparse", {});
    const Zeros zeros(std::size_t{2} << 30);
    const std::span<const std::byte> data = zeros.bytes();
    std::filesystem::resize_file(path, data.size());
    const std::span words(reinterpret_cast<const std::uint64_t*>(data.data()), std::size_t{1} << 22);
    const std::span digests(reinterpret_cast<const Digest*>(data.data()), std::size_t{1} << 18);
    std::vector<Digest> out(std::size_t{1} << 22);
    const std::span bytes = std::as_writable_bytes(std::span(out));

    // A device compiles its kernels at first use. These calls keep that out of the times.
    (void)merklize::hash(data.first(1 << 20));
    for (const std::size_t row : {64, 10000}) support::hash_messages(data.first(8 * row), row, bytes.first(256));
    for (const merklize::HashTraits& t : hashes_here()) {
        merklize::merge(digests.first(8), digests.first(8), std::span(out).first(8), t.hash);
        (void)MerkleTree(digests, t.hash);
    }
    {
        std::span result(reinterpret_cast<std::uint64_t*>(out.data()), 4);
        support::hash_words<std::uint64_t>(words.first(8), 8, result);
    }

    check_cancel("hash", [&](const auto& options) { (void)merklize::hash(data, {}, options); });
    check_cancel("extendable output", [&](const auto& options) { merklize::hash({}, bytes, 0, {}, options); });
    check_cancel("Hasher", [&](const auto& options) { merklize::Hasher({}, options).update(data); });
    check_cancel("hash_file", [&](const auto& options) { merklize::hash_file(path, bytes.first(32), 0, {}, options); });
    for (const std::size_t row : {64, 1024, 10000}) {
        const std::size_t n = std::min(out.size(), data.size() / row);
        check_cancel("rows of bytes", [&](const auto& options) {
            support::hash_messages(data.first(n * row), row, bytes.first(n * 32), {}, options);
        });
    }
    check_cancel("rows of words", [&](const auto& options) {
        std::span result(reinterpret_cast<std::uint64_t*>(out.data()), words.size() / 8 * 4);
        support::hash_words<std::uint64_t>(words, 8, result, Hash::rp64_256, options);
    });
    check_cancel("merge", [&](const auto& options) {
        merklize::merge(digests, digests, std::span(out).first(digests.size()), Hash::rp64_256_v1, {}, options);
    });
    check_cancel("MerkleTree", [&](const auto& options) { (void)MerkleTree(digests, Hash::rp64_256, options); });
    check_cancel("build_tree", [&](const auto& options) {
        std::fill(out.begin(), out.end(), Digest{});
        merklize::build_tree(std::span(out).first(1 << 18), Hash::rp64_256_v2, options);
    });
    for (const std::uint64_t leaf : {1 << 10, 1 << 16, 1 << 20, 1 << 22, 1 << 30}) {
        check_cancel("from_file", [&](const auto& options) {
            (void)MerkleTree::from_file(merklize::TreeInput::blocks(path, leaf), {}, options);
        });
    }
    for (const std::uint64_t leaf : {32, 64, 1 << 10, 1 << 20}) {
        check_cancel("merkle_root_file", [&](const auto& options) {
            (void)merklize::merkle_root_file(merklize::TreeInput::blocks(path, leaf), {}, options);
        });
    }
    check_cancel("merkle_root_file of leaves", [&](const auto& options) {
        (void)merklize::merkle_root_file(merklize::TreeInput::leaves(path), {}, options);
    });
    check_cancel("hash_files", [&](const auto& options) {
        const std::vector<std::filesystem::path> paths(3, path);
        (void)merklize::hash_files(paths, 32, 0, {}, options);
    });
    // By a hash that one thread computes: 64 MiB take it seconds.
    const merklize::MessageForm slow{Hash::rpjive64_256};
    const auto some = data.first(std::size_t{64} << 20);
    std::filesystem::resize_file(path, some.size());
    check_cancel("hash_message", [&](const auto& options) { (void)merklize::hash_message(some, slow, options); });
    check_cancel("hash_message_file",
                 [&](const auto& options) { (void)merklize::hash_message_file(path, slow, options); });
    check_cancel("hash_message_files", [&](const auto& options) {
        const std::vector<std::filesystem::path> paths(3, path);
        (void)merklize::hash_message_files(paths, slow, options);
    });
    check_cancel("hash_message_each", [&](const auto& options) {
        const std::vector<merklize::MessageView> messages(3, some);
        (void)merklize::hash_message_each(messages, slow, options);
    });
    check_cancel("Hasher of SHA-256",
                 [&](const auto& options) { merklize::Hasher::of({Hash::sha256}, options).update(data); });
    // The library still works afterwards.
    CHECK_EQ(merklize::hash({}).hex(), hex(reference::blake3({})));
}

TEST("cancel: a pipe that stays silent") {
    int ends[2];
    CHECK_EQ(::pipe(ends), 0);
    Bytes out(32);
    check_cancel("hash_descriptor",
                 [&](const auto& options) { merklize::hash_descriptor(ends[0], "pipe", view(out), 0, {}, options); });
    const AskedOften often;
    check_cancel("hash_descriptor, asked at every step",
                 [&](const auto& options) { merklize::hash_descriptor(ends[0], "pipe", view(out), 0, {}, options); });
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST("cancel: progress grows from 0 to 1, and its exceptions come out") {
    const AskedOften often;
    merklize::RunOptions options = threads(1);
    double last = 0;
    const std::thread::id caller = std::this_thread::get_id();
    int calls = 0, most = INT_MAX;
    options.progress = [&](double done) {
        CHECK(done >= last && done <= 1);
        CHECK(std::this_thread::get_id() == caller);
        last = done;
        return ++calls < most;
    };
    const std::vector<Digest> field_leaves = leaves(Hash::rp64_256, 1 << 16);
    (void)MerkleTree(field_leaves, Hash::rp64_256, options);
    if (calls < 3) {  // a device that is too fast to report progress
        CHECK(merklize::Device().info().backend != "cpu");
        return;
    }
    most = 3;
    last = calls = 0;
    CHECK_ERROR(cancelled, "cancelled", MerkleTree(field_leaves, Hash::rp64_256, options));
    CHECK_EQ(calls, 3);
    options.progress = [](double) -> bool { throw std::out_of_range("mine"); };
    bool thrown = false;
    try {
        const MerkleTree tree(field_leaves, Hash::rp64_256, options);
    } catch (const std::out_of_range& e) {
        thrown = std::string_view(e.what()) == "mine";
    }
    CHECK(thrown);
}
