#include "host/threads.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <climits>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

namespace merklize::runtime {
namespace {

constexpr auto tick_interval = std::chrono::milliseconds(50);

// Waking a thread takes 16 to 30 us, in which it could hash 128 to 256 KiB. So waiters spin for about that long before they sleep,
// and back-to-back calls (a Hasher's) find the workers awake.
constexpr auto awake = std::chrono::microseconds(30);

inline void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Spins until is_there() holds.  returns  false if it did not in that time
template <class Condition>
bool came_soon(Condition is_there) {
    const auto end = std::chrono::steady_clock::now() + awake;
    do {
        for (int k = 0; k < 16; k++) {
            if (is_there()) return true;
            pause();
        }
    } while (std::chrono::steady_clock::now() < end);
    return false;
}

// One call of parallel_for. Lives on the caller's stack, so the caller leaves only when no worker is inside.
struct Job {
    const std::function<void(std::size_t)>& body;
    const std::size_t n;
    unsigned helpers_wanted;                  // guarded by Pool::mutex
    std::atomic<unsigned> helpers_inside{0};  // written under Pool::mutex; a helper's last touch of the job
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> done{0};
    std::atomic<bool> stop{false};
    std::exception_ptr error{};  // guarded by Pool::mutex

    // Runs items until none is left or the job stops; `between` is called after each item.
    template <class Between>
    void run(std::mutex& mutex, Between between) {
        while (!stop.load(std::memory_order_relaxed)) {
            const std::size_t item = next.fetch_add(1, std::memory_order_relaxed);
            if (item >= n) return;
            try {
                body(item);
                done.fetch_add(1, std::memory_order_relaxed);
            } catch (...) {
                std::lock_guard lock(mutex);
                if (!error) error = std::current_exception();
                stop = true;
            }
            between();
        }
    }
};

struct Pool {
    static constexpr unsigned most_workers = 1024;

    std::mutex mutex;
    std::condition_variable work;      // a job wants helpers
    std::condition_variable finished;  // a helper left its job
    std::deque<Job*> jobs;
    std::atomic<bool> has_jobs{false};  // whether `jobs` has any; written under the mutex
    unsigned workers = 0;

    void worker() {
        std::unique_lock lock(mutex);
        for (;;) {
            if (jobs.empty()) {
                lock.unlock();
                came_soon([&] { return has_jobs.load(std::memory_order_relaxed); });
                lock.lock();
            }
            work.wait(lock, [&] { return !jobs.empty(); });
            Job& job = *jobs.front();
            job.helpers_inside++;
            if (--job.helpers_wanted == 0) jobs.pop_front();
            has_jobs = !jobs.empty();
            lock.unlock();
            job.run(mutex, [] {});
            lock.lock();
            if (--job.helpers_inside == 0) finished.notify_all();
        }
    }

    // If the system refuses more threads, or the count is absurd, the job only gets slower.
    void ask(Job& job) {
        std::lock_guard lock(mutex);
        try {
            for (; workers < std::min(job.helpers_wanted, most_workers); workers++)
                std::thread([this] { worker(); }).detach();
        } catch (const std::system_error&) {}
        jobs.push_back(&job);
        has_jobs = true;
        // Workers that are not wanted sleep on.
        if (job.helpers_wanted >= workers) return work.notify_all();
        for (unsigned k = 0; k < job.helpers_wanted; k++) work.notify_one();
    }

    // Waits until no helper is in the job. tick must not throw.
    void leave(Job& job, const std::function<bool()>& tick) {
        std::unique_lock lock(mutex);
        if (const auto it = std::find(jobs.begin(), jobs.end(), &job); it != jobs.end()) jobs.erase(it);
        has_jobs = !jobs.empty();
        lock.unlock();
        if (came_soon([&] { return job.helpers_inside.load(std::memory_order_acquire) == 0; })) return;
        lock.lock();
        while (!finished.wait_for(lock, tick_interval, [&] { return job.helpers_inside == 0; })) {
            lock.unlock();
            if (!tick()) job.stop = true;
            lock.lock();
        }
    }
};

// Never destroyed: workers may wait in it until the process ends. A forked child has no workers, and the pool's mutex may be in
// any state there, so it forgets the pool and makes another.
std::atomic<Pool*> the_pool{nullptr};

Pool& pool() {
    static const int registered = pthread_atfork(nullptr, nullptr, [] { the_pool.store(nullptr); });
    (void)registered;
    Pool* current = the_pool.load();
    if (current == nullptr) {
        Pool* fresh = new Pool;
        if (the_pool.compare_exchange_strong(current, fresh)) return *fresh;
        delete fresh;
    }
    return *current;
}

// Calls visit() with the folders of the process's control groups that have a controller, from the group itself up to the root, because
// a group may use no more than the groups above it. (Linux, Documentation/admin-guide/cgroup-v2.rst and cgroup-v1.)
// visit  of a folder
template <class Visit>
void each_group(const std::filesystem::path& root, const std::string& controller, const Visit& visit) {
    std::ifstream groups(root / "proc/self/cgroup");  // "0::/group" of version 2, "4:cpu,cpuacct:/group" of version 1
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == line.npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (!controllers.empty() && ("," + controllers + ",").find("," + controller + ",") == controllers.npos)
            continue;
        const std::filesystem::path mount = root / "sys/fs/cgroup" / (controllers.empty() ? "" : controller);
        for (std::filesystem::path group = line.substr(second + 1);; group = group.parent_path()) {
            visit(mount / group.relative_path());
            if (!group.has_relative_path()) break;
        }
    }
}

// The n-th word of a file as a number; 0 if it is "max" or missing.
std::int64_t number_in(const std::filesystem::path& file, unsigned n = 0) {
    std::ifstream words(file);
    std::string word;
    for (unsigned i = 0; i <= n; i++) words >> word;
    std::int64_t number = 0;
    std::from_chars(word.data(), word.data() + word.size(), number);
    return words ? number : 0;
}

}  // namespace

// cpu.max, and of version 1 cpu.cfs_quota_us (scheduler/sched-bwc.rst): microseconds of all processors together in each period.
unsigned group_threads(const std::filesystem::path& root) {
    double least = UINT_MAX;
    const auto take = [&](std::int64_t quota, std::int64_t period) {
        if (quota > 0 && period > 0)
            least = std::min(least, std::ceil(static_cast<double>(quota) / static_cast<double>(period)));
    };
    each_group(root, "cpu", [&](const std::filesystem::path& folder) {
        take(number_in(folder / "cpu.max"), number_in(folder / "cpu.max", 1));
        take(number_in(folder / "cpu.cfs_quota_us"), number_in(folder / "cpu.cfs_period_us"));
    });
    return static_cast<unsigned>(least);
}

std::uint64_t group_memory(const std::filesystem::path& root) {
    std::uint64_t least = UINT64_MAX;
    each_group(root, "memory", [&](const std::filesystem::path& folder) {
        for (const char* file : {"memory.max", "memory.limit_in_bytes"})
            if (const std::int64_t limit = number_in(folder / file); limit > 0)
                least = std::min(least, static_cast<std::uint64_t>(limit));
    });
    return least;
}

// Not by std::thread::hardware_concurrency(), for which glibc reads a file (7 us a call) and which does not see the affinity.
unsigned default_threads() {
    static const unsigned most = group_threads("/");
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return std::min(most, static_cast<unsigned>(std::max(1, CPU_COUNT(&set))));
    // The set is too small for the processors of this machine.
    return std::min(most, std::max(1u, std::thread::hardware_concurrency()));
}

bool parallel_for(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& body, const Tick& tick) {
    bool keep = true;
    const auto maybe_tick = [&](std::size_t done) {
        if (!tick || !keep) return keep;
        return keep = tick(static_cast<double>(done) / static_cast<double>(n));
    };

    const std::size_t useful = n <= 1 ? n : std::min<std::size_t>(threads == 0 ? default_threads() : threads, n);
    if (useful <= 1) {
        for (std::size_t i = 0; i < n && keep; i++) {
            body(i);
            if (i + 1 < n) maybe_tick(i + 1);
        }
        return keep;
    }
    Job job{body, n, static_cast<unsigned>(useful - 1)};
    Pool& shared = pool();
    shared.ask(job);
    job.run(shared.mutex, [&] {
        if (!maybe_tick(job.done.load())) job.stop = true;
    });
    shared.leave(job, [&] { return maybe_tick(job.done.load()); });
    if (job.error) std::rethrow_exception(job.error);
    return keep;
}

}  // namespace merklize::runtime
