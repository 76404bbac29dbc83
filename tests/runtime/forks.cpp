// A child of fork() never waits for a thread that only its parent has.

#include "host/forks.hpp"

#include <mutex>
#include <semaphore>
#include <string_view>
#include <thread>
#include <vector>

#include "child.hpp"
#include "host/made_once.hpp"
#include "support.hpp"

using merklize::runtime::MadeOnce;
using merklize::runtime::ProcessMutex;

namespace {

/// A place in a thread where it waits until another thread lets it go on.
class Gate {
public:
    void pass() {
        here_.release();
        open_.acquire();
    }
    /// Waits until the thread is here.
    void wait_for_it() { here_.acquire(); }
    void open() { open_.release(); }

private:
    std::binary_semaphore here_{0}, open_{0};
};

}  // namespace

TEST("forks: a child makes itself what its parent was making") {
    static MadeOnce<int, int> numbers;
    Gate gate;
    int slow = 0;
    std::thread maker([&] {
        slow = numbers.get(7, [&] {
            gate.pass();
            return 1;
        });
    });
    gate.wait_for_it();
    CHECK_EQ(child::in_fork([] { return numbers.get(7, [] { return 2; }) == 2; }), 0);
    // Another thread of the parent does not wait, either. The first that is ready wins.
    CHECK_EQ(numbers.get(7, [] { return 3; }), 3);
    gate.open();
    maker.join();
    CHECK_EQ(slow, 3);
    CHECK_EQ(numbers.get(8, [] { return 4; }), 4);
    CHECK_EQ(numbers.get(7, [] { return 5; }), 3);
}

TEST("forks: all threads get one value, and none after an error") {
    static MadeOnce<int, std::vector<int>> values;
    CHECK_ERROR(io, "not now",
                values.get(0, []() -> std::vector<int> { throw merklize::Error(merklize::ErrorCode::io, "not now"); }));
    std::vector<const std::vector<int>*> got(8);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < got.size(); ++i) {
        threads.emplace_back([&, i] {
            for (int key = 0; key < 100; ++key) got[i] = &values.get(key, [&] { return std::vector<int>{key}; });
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const auto* value : got) CHECK_EQ(value, got[0]);
    CHECK_EQ(got[0]->front(), 99);
}

TEST("forks: a child gets an error for a mutex that a thread of its parent held") {
    ProcessMutex mutex;
    Gate gate;
    std::thread holder([&] {
        const std::lock_guard lock(mutex);
        gate.pass();
    });
    gate.wait_for_it();
    const auto takes_it = [&] {
        const std::lock_guard lock(mutex);
        return true;
    };
    CHECK_EQ(child::in_fork([&] {
                 try {
                     return !takes_it();
                 } catch (const merklize::Error& e) {
                     return e.code() == merklize::ErrorCode::unavailable &&
                            std::string_view(e.what()).find("fork") != std::string_view::npos;
                 }
             }),
             0);
    gate.open();
    CHECK(takes_it());  // the parent waits for its own thread
    holder.join();
    CHECK_EQ(child::in_fork([&] { return takes_it() && child::in_fork(takes_it) == 0; }), 0);
}

TEST("forks: one thread at a time holds a mutex") {
    ProcessMutex mutex;
    int count = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 20000; ++i) {
                const std::lock_guard lock(mutex);
                ++count;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK_EQ(count, 80000);
}
