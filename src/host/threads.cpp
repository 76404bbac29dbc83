#include "host/threads.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdint>
#include <exception>
#include <fstream>
#include <string>
#include <thread>

#include "host/invalid.hpp"

namespace merklize::runtime {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto tick_interval = std::chrono::milliseconds(50);

// What threads cost, measured on 16 cores of Sapphire Rapids: a worker that is awake joins a job within 2 us, one that
// sleeps within 30 to 50 us. So a thread spins for `awake` before it sleeps: calls that follow one another at once (a
// Hasher's) find it awake.
constexpr auto awake = std::chrono::microseconds(30);
// Nanoseconds of work: of a job that is worth sharing, for each helper that is awake, and for each that must be woken.
constexpr double work_to_share = 8'000, work_to_join = 2'000, work_to_wake = 40'000;

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
    const auto end = Clock::now() + awake;
    do {
        for (int k = 0; k < 16; k++) {
            if (is_there()) return true;
            pause();
        }
    } while (Clock::now() < end);
    return false;
}

// Sleeps while the word has that value, for at most tick_interval if is_limited. May return early.
void sleep_on(const std::atomic<std::uint32_t>& word, std::uint32_t value, bool is_limited) {
    const timespec limit{0, std::chrono::nanoseconds(tick_interval).count()};
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, is_limited ? &limit : nullptr, nullptr, 0);
}
void wake(const std::atomic<std::uint32_t>& word, unsigned threads) {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

// One call of parallel_for. It lives on the caller's stack, so the caller leaves only when no worker is inside its
// slot.
struct Job {
    const std::function<void(std::size_t)>& body;
    const std::size_t n;
    const char* const call = PublicCall::current();  // for the errors of helpers
    const bool counts_done;                          // somebody asks how many items are done
    std::atomic<unsigned> to_wake{
        0};  // sleepers that helpers wake when they join, so that one thread need not wake all
    std::atomic<bool> stop{false}, has_error{false};
    std::exception_ptr error{};  // of the thread that set has_error
    // A helper changes these two one after the other, so they share a line of the cache.
    alignas(64) std::atomic<int> places;  // helpers that may still join
    std::atomic<std::size_t> next{0};
    alignas(64) std::atomic<std::size_t> done{0};

    Job(const std::function<void(std::size_t)>& f, std::size_t count, bool is_asked, unsigned helpers)
        : body(f), n(count), counts_done(is_asked), places(static_cast<int>(helpers)) {}

    // Runs items until none is left or the job stops; `between` is called after each item.
    // returns  how many items this thread ran
    template <class Between>
    std::size_t run(Between between) {
        const PublicCall entry(call);
        std::size_t ran = 0;
        while (!stop.load(std::memory_order_relaxed)) {
            const std::size_t item = next.fetch_add(1, std::memory_order_relaxed);
            if (item >= n) break;
            try {
                body(item);
                if (counts_done) done.fetch_add(1, std::memory_order_relaxed);
            } catch (...) {
                if (!has_error.exchange(true)) error = std::current_exception();
                stop = true;
            }
            ran++;
            between();
        }
        return ran;
    }
};

// A place for a job. Helpers count themselves in before they look at `job`, and the caller takes `job` away before it
// looks at the count, so either the helper finds no job or the caller waits for it.
struct alignas(64) Slot {
    std::atomic<bool> is_taken{false};
    std::atomic<Job*> job{nullptr};
    std::atomic<bool> caller_sleeps{false};
    alignas(64) std::atomic<std::uint32_t> inside{0};

    void leave() {
        if (inside.fetch_sub(1) == 1 && caller_sleeps) wake(inside, 1);
    }
};

struct Pool {
    static constexpr unsigned most_workers = 1024, n_slots = 64, woken_by_one = 2, made_by_one = 2;

    alignas(64) std::atomic<std::uint64_t> offers{0};  // a bit for each slot whose job has places
    alignas(64) std::atomic<std::uint32_t> signal{0};  // sleepers sleep on it
    std::atomic<std::uint32_t> sleepers{0};
    std::atomic<Clock::rep> last_end{0};
    std::atomic<unsigned> workers{0}, wanted_workers{0};
    Slot slots[n_slots];

    // Joins a job, if one has a place, and runs its items.
    bool help(unsigned first) {
        const std::uint64_t offered = offers;
        for (unsigned k = 0; k < n_slots; k++) {
            const unsigned i = (first + k) % n_slots;
            if ((offered >> i & 1) != 0 && help_in(i)) return true;
        }
        return false;
    }

    bool help_in(unsigned i) {
        Slot& slot = slots[i];
        slot.inside++;
        Job* job = slot.job;
        const int place = job == nullptr ? 0 : job->places.fetch_sub(1);
        if (place == 1) withdraw(i);
        if (place > 0) {
            if (job->to_wake.load(std::memory_order_relaxed) != 0) wake_sleepers(*job, job->to_wake.exchange(0));
            job->run([] {});
            if (place > 1) withdraw(i);  // no item is left
        }
        slot.leave();
        return place > 0;
    }

    void withdraw(unsigned i) {
        const std::uint64_t bit = std::uint64_t{1} << i;
        if ((offers.load(std::memory_order_relaxed) & bit) != 0) offers &= ~bit;
    }

    void worker(unsigned number) {
        make_some();
        for (;;) {
            if (help(number) || came_soon([&] { return offers.load(std::memory_order_relaxed) != 0; })) continue;
            sleepers++;
            const std::uint32_t seen = signal;
            if (offers == 0) sleep_on(signal, seen, false);
            sleepers--;
        }
    }

    // Wakes a few, which wake the others.
    void wake_sleepers(Job& job, unsigned threads) {
        if (threads == 0 || sleepers == 0) return;
        signal++;
        const unsigned now = std::min(threads, woken_by_one);
        if (threads > now) job.to_wake = threads - now;
        wake(signal, now);
    }

    void make_workers(unsigned wanted) {
        if (workers >= wanted) return;
        unsigned before = wanted_workers;
        while (before < wanted && !wanted_workers.compare_exchange_weak(before, wanted)) {}
        make_some();
    }

    // Makes a few, which make the others: to start a thread takes 30 us, and the caller has work to do. If the system
    // refuses more threads, the job only gets slower.
    void make_some() {
        for (unsigned k = 0; k < made_by_one && workers < wanted_workers; k++) {
            const unsigned number = workers++;
            try {
                if (number < wanted_workers) {
                    std::thread([this, number] { worker(number); }).detach();
                    continue;
                }
            } catch (const std::exception&) {}
            workers--;
            return;
        }
    }

    // returns  the slot; null if all are taken: then the caller works alone
    Slot* offer(Job& job, unsigned sleepers_worth) {
        for (unsigned i = 0; i < n_slots; i++) {
            Slot& slot = slots[i];
            if (slot.is_taken.load(std::memory_order_relaxed) || slot.is_taken.exchange(true)) continue;
            slot.job = &job;
            offers |= std::uint64_t{1} << i;
            make_workers(sleepers_worth);
            const unsigned asleep = sleepers, ready = workers - std::min<unsigned>(workers, asleep);
            if (sleepers_worth > ready) wake_sleepers(job, sleepers_worth - ready);
            return &slot;
        }
        return nullptr;
    }

    // Waits until no helper is in the slot. tick must not throw.
    void leave(Slot& slot, Job& job, const std::function<bool()>& tick) {
        withdraw(static_cast<unsigned>(&slot - slots));
        slot.job = nullptr;
        if (!came_soon([&] { return slot.inside.load() == 0; })) {
            slot.caller_sleeps = true;
            auto next_tick = Clock::now() + tick_interval;
            for (std::uint32_t helpers = slot.inside; helpers != 0; helpers = slot.inside) {
                sleep_on(slot.inside, helpers, true);
                if (Clock::now() < next_tick) continue;
                if (!tick()) job.stop = true;
                next_tick += tick_interval;
            }
            slot.caller_sleeps = false;
        }
        slot.is_taken = false;
    }
};

// Never destroyed: workers may wait in it until the process ends. A forked child has no workers, so it forgets the pool
// and makes another.
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

// Calls visit() with the folders of the process's control groups that have a controller, from the group itself up to
// the root, because a group may use no more than the groups above it. (Linux, Documentation/admin-guide/cgroup-v2.rst
// and cgroup-v1.)
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

// cpu.max, and of version 1 cpu.cfs_quota_us (scheduler/sched-bwc.rst): microseconds of all processors together in each
// period.
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

// Not by std::thread::hardware_concurrency(), for which glibc reads a file (7 us a call) and which does not see the
// affinity.
unsigned default_threads() {
    static const unsigned most = group_threads("/");
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return std::min(most, static_cast<unsigned>(std::max(1, CPU_COUNT(&set))));
    // The set is too small for the processors of this machine.
    return std::min(most, std::max(1u, std::thread::hardware_concurrency()));
}

unsigned usable_threads(unsigned asked) {
    return asked == 0 ? default_threads() : std::min(asked, Pool::most_workers + 1);  // and the caller's
}

unsigned ThreadCount::count() const {
    unsigned count = count_.load(std::memory_order_relaxed);
    if (count == 0) count_.store(count = usable_threads(asked_), std::memory_order_relaxed);
    return count;
}

void Pace::measured(double nanoseconds) noexcept {
    const std::uint32_t before = picoseconds_.load(std::memory_order_relaxed);
    double now = std::clamp(nanoseconds * 1000, 1.0, 4e9);
    // A thread that the system stopped for a while measures too much.
    if (before != 0) now = (3.0 * before + std::min(now, 4.0 * before)) / 4;
    picoseconds_.store(static_cast<std::uint32_t>(std::ceil(now)), std::memory_order_relaxed);
}

bool parallel_for(std::size_t n, const ThreadCount& threads, const std::function<void(std::size_t)>& body,
                  const Tick& tick, const Item& item) {
    bool keep = true;
    const auto maybe_tick = [&](std::size_t done) {
        if (!tick || !keep) return keep;
        return keep = tick(static_cast<double>(done) / static_cast<double>(n));
    };

    const auto measure = [&](Clock::time_point begin, Clock::time_point end, std::size_t ran) {
        if (item.pace == nullptr || ran == 0) return;
        const double took = std::chrono::duration<double, std::nano>(end - begin).count();
        item.pace->measured(took / static_cast<double>(ran * item.units));
    };
    const double per_item = item.pace == nullptr ? 0 : item.pace->nanoseconds() * static_cast<double>(item.units);
    const double work = per_item * static_cast<double>(n);
    std::size_t useful = 1;
    if (n > 1 && (per_item == 0 || work >= work_to_share)) {
        useful = std::min<std::size_t>(threads.count(), n);
        if (per_item != 0) useful = std::min(useful, 1 + static_cast<std::size_t>(work / work_to_join));
    }
    if (useful <= 1) {
        const auto begin = item.pace != nullptr && n > 1 ? Clock::now() : Clock::time_point{};
        std::size_t ran = 0;
        for (; ran < n && keep; ran++) {
            body(ran);
            if (ran + 1 < n) maybe_tick(ran + 1);
        }
        if (begin != Clock::time_point{}) measure(begin, Clock::now(), ran);
        return keep;
    }
    Pool& all = pool();
    const auto begin = Clock::now();
    const auto helpers = static_cast<unsigned>(std::min<std::size_t>(useful - 1, Pool::most_workers));
    // Sleepers are woken for work that outlasts their waking, and for a call that follows another call at once, because
    // more will follow.
    const bool follows = begin.time_since_epoch().count() - all.last_end < Clock::duration(awake).count();
    unsigned sleepers_worth = helpers;
    if (per_item != 0 && !follows)
        sleepers_worth = std::min(helpers, static_cast<unsigned>(std::min(work / work_to_wake, 1e6)));
    Job job(body, n, bool(tick), helpers);
    Slot* slot = all.offer(job, sleepers_worth);
    const std::size_t ran = job.run([&] {
        if (!maybe_tick(job.done.load(std::memory_order_relaxed))) job.stop = true;
    });
    const auto end = Clock::now();
    if (slot != nullptr) all.leave(*slot, job, [&] { return maybe_tick(job.done.load()); });
    measure(begin, end, ran);
    all.last_end.store(end.time_since_epoch().count(), std::memory_order_relaxed);
    if (job.has_error) std::rethrow_exception(job.error);
    return keep;
}

}  // namespace merklize::runtime
