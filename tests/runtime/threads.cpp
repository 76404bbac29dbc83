// The thread pool: short loops in sequence, from several callers, while the workers fall asleep and wake.

#include "host/threads.hpp"

#include <atomic>
#include <chrono>
#include <climits>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support.hpp"

using merklize::runtime::parallel_for;
using merklize::runtime::Tick;

namespace {

/// Returns a function that writes text files below a folder.
auto writer_of(const support::TemporaryFolder& root) {
    return [&root](const std::string& name, const std::string& text) {
        std::filesystem::create_directories((root.path() / name).parent_path());
        std::ofstream(root.path() / name) << text;
    };
}

/// Runs a loop. Each item must run once, and a loop that fails or is cancelled must report that.
void run_loop(std::size_t k, unsigned threads) {
    std::vector<std::atomic<int>> runs(1 + k % 9);
    const auto count = [&](std::size_t i) { runs[i]++; };
    if (k % 7 == 3) {
        bool failed = false;
        try {
            parallel_for(runs.size(), threads, [&](std::size_t i) {
                count(i);
                if (i == 0) throw std::runtime_error("mine");
            });
        } catch (const std::runtime_error&) {
            failed = true;
        }
        CHECK(failed);
        return;
    }
    const bool is_cancelled = k % 11 == 5 && runs.size() > 1 && threads == 1;
    const bool ended =
        parallel_for(runs.size(), threads, count, is_cancelled ? Tick([](double) { return false; }) : Tick());
    CHECK_EQ(ended, !is_cancelled);
    for (const auto& times : runs) CHECK(is_cancelled ? times <= 1 : times == 1);
}

}  // namespace

TEST("threads: short loops of several callers, with pauses and without") {
    std::vector<std::thread> callers;
    for (std::size_t c = 0; c < 4; ++c) {
        callers.emplace_back([c] {
            for (std::size_t k = 0; k < 2000; ++k) {
                run_loop(k, static_cast<unsigned>(1 + (k + c) % 5));
                // Shorter than a waiting thread spins, as long, and longer.
                if (k % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(k % 100));
            }
        });
    }
    for (std::thread& caller : callers) caller.join();
}

TEST("threads: more callers than the pool has places for jobs") {
    std::vector<std::thread> callers;
    std::atomic<std::size_t> runs{0};
    for (int c = 0; c < 100; ++c) {
        callers.emplace_back([&] {
            for (int k = 0; k < 20; ++k) CHECK(parallel_for(5, 3, [&](std::size_t) { runs++; }));
        });
    }
    for (std::thread& caller : callers) caller.join();
    CHECK_EQ(runs.load(), std::size_t{100} * 20 * 5);
}

TEST("threads: loops of every pace run each item once") {
    // Paces that were never measured, are far too small and far too large; the loops correct them.
    for (const double nanoseconds : {0.0, 0.001, 1e6}) {
        merklize::runtime::Pace pace;
        if (nanoseconds != 0) pace.measured(nanoseconds);
        for (std::size_t n = 1; n < 300; n += 7) {
            std::vector<std::atomic<int>> runs(n);
            CHECK(parallel_for(n, 4, [&](std::size_t i) { runs[i]++; }, {}, {&pace, 3}));
            for (const auto& times : runs) CHECK_EQ(times.load(), 1);
        }
        // Helpers may take all items of a loop, but here is none.
        CHECK(parallel_for(100, 1, [](std::size_t) {}, {}, {&pace, 3}));
        CHECK(pace.nanoseconds() > 0);
    }
}

TEST("threads: one loop waits inside another") {
    std::atomic<int> runs{0};
    CHECK(parallel_for(8, 4, [&](std::size_t) { parallel_for(8, 4, [&](std::size_t) { runs++; }); }));
    CHECK_EQ(runs.load(), 64);
}

TEST("threads: no more than the control group has processors for") {
    const support::TemporaryFolder root;
    const auto put = writer_of(root);
    const auto threads = [&] { return merklize::runtime::group_threads(root.path()); };
    CHECK_EQ(threads(), UINT_MAX);
    // Version 2: the least limit of the group and the groups above it. A part of a processor counts as one thread.
    put("proc/self/cgroup", "0::/a/b\n");
    CHECK_EQ(threads(), UINT_MAX);
    put("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    CHECK_EQ(threads(), UINT_MAX);
    put("sys/fs/cgroup/a/b/cpu.max", "250000 100000\n");
    CHECK_EQ(threads(), 3u);
    put("sys/fs/cgroup/a/cpu.max", "200000 100000\n");
    CHECK_EQ(threads(), 2u);
    put("sys/fs/cgroup/cpu.max", "1000 100000\n");  // as in a container whose root is a group
    CHECK_EQ(threads(), 1u);
    put("sys/fs/cgroup/cpu.max", "not a number\n");
    CHECK_EQ(threads(), 2u);
    // Version 1: the host's name of the group, which a container does not see.
    put("proc/self/cgroup", "12:cpuset:/x\n4:cpuacct,cpu:/docker/77\n3:memory:/y\nodd line\n0::/\n");
    CHECK_EQ(threads(), UINT_MAX);
    put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n");
    CHECK_EQ(threads(), UINT_MAX);
    put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
    CHECK_EQ(threads(), 4u);
    put("sys/fs/cgroup/cpu/docker/77/cpu.cfs_quota_us", "90000\n");
    put("sys/fs/cgroup/cpu/docker/77/cpu.cfs_period_us", "100000\n");
    CHECK_EQ(threads(), 1u);
    CHECK(merklize::runtime::default_threads() <= merklize::runtime::group_threads("/"));
}

TEST("threads: no more memory than the control group has") {
    const support::TemporaryFolder root;
    const auto put = writer_of(root);
    const auto memory = [&] { return merklize::runtime::group_memory(root.path()); };
    CHECK_EQ(memory(), UINT64_MAX);
    put("proc/self/cgroup", "0::/a\n");
    put("sys/fs/cgroup/a/memory.max", "max\n");
    CHECK_EQ(memory(), UINT64_MAX);
    put("sys/fs/cgroup/memory.max", "137438953472\n");  // as in a container whose root is a group
    CHECK_EQ(memory(), std::uint64_t{1} << 37);
    put("sys/fs/cgroup/a/memory.max", "1000\n");
    CHECK_EQ(memory(), 1000u);
    put("proc/self/cgroup", "3:memory:/docker/77\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "4096\n");
    CHECK_EQ(memory(), 4096u);
    CHECK(merklize::Device("cpu").info().memory_bytes <= merklize::runtime::group_memory("/"));
}

TEST("threads: no loop lasts for a count that a caller made up") {
    for (const unsigned asked : {1u << 20, 100'000'000u, UINT_MAX}) {
        CHECK(merklize::runtime::usable_threads(asked) < 2000);
        merklize::RunOptions options;
        options.threads = asked;
        merklize::Digest found;
        merklize::hash_file("/dev/null", std::as_writable_bytes(std::span(found.bytes)), 0, {}, options);
        CHECK(found == merklize::hash(merklize::ByteView()));
    }
    CHECK_EQ(merklize::runtime::usable_threads(3), 3u);
}
