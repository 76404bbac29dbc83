// The pool of threads: short loops one after another, from several callers, while its threads fall asleep and wake.

#include "host/threads.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check.hpp"

using merklize::runtime::parallel_for;
using merklize::runtime::Tick;

namespace {

/// A loop in which each item must run once; one that fails or is cancelled must say so.
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
                // About as long as a waiting thread stays awake: shorter, as long, longer.
                if (k % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(k % 100));
            }
        });
    }
    for (std::thread& caller : callers) caller.join();
}

TEST("threads: one loop waits inside another") {
    std::atomic<int> runs{0};
    CHECK(parallel_for(8, 4, [&](std::size_t) { parallel_for(8, 4, [&](std::size_t) { runs++; }); }));
    CHECK_EQ(runs.load(), 64);
}
