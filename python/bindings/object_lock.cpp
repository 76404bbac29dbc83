#include "object_lock.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <string>
#include <utility>

#include <merklize/error.hpp>

#include "gil.hpp"
#include "python_calls.hpp"

namespace merklize::binding {

namespace {

/// Where threads wait for locks of any object. A forked child begins another: threads of the parent still wait in the
/// copied one, so it can be neither used nor destroyed.
struct Process {
    const std::thread::id first = std::this_thread::get_id();  // in a child, the copy of the thread that forked
    std::mutex mutex{};
    std::condition_variable freed{};
    std::atomic<std::uint64_t> count{0};  // of awaited locks that were left

    static Process& current() {
        static std::atomic<Process*> made{new Process};
        static const int registered = pthread_atfork(nullptr, nullptr, [] { made = new Process; });
        (void)registered;
        return *made;
    }

    void wait_beyond(std::uint64_t seen) {
        std::unique_lock lock(mutex);
        freed.wait_for(lock, std::chrono::milliseconds(50), [&] { return count != seen; });
    }
    void wake() noexcept {
        {
            const std::lock_guard lock(mutex);
            count++;
        }
        freed.notify_all();
    }
};

[[noreturn]] void refuse(const char* what, const char* why) {
    throw Error(ErrorCode::invalid_argument, std::string(what) + ": " + why);
}

}  // namespace

bool ObjectLock::is_free(bool changes) const noexcept {
    return changer_ == std::thread::id() && (!changes || readers_.empty());
}

void ObjectLock::take(bool changes) {
    if (changes) {
        changer_ = std::this_thread::get_id();
    } else {
        readers_.push_back(std::this_thread::get_id());
    }
}

// A reader that is not in this process leaves the object as it is.
void ObjectLock::forget_lost_threads() {
    const Process& process = Process::current();
    if (process_ == &process) return;
    process_ = &process;
    std::erase_if(readers_, [&](std::thread::id reader) { return reader != process.first; });
    is_torn_ = changer_ != std::thread::id() && changer_ != process.first;
}

void ObjectLock::enter(bool changes, const char* what) {
    Process& process = Process::current();
    for (;;) {
        std::uint64_t seen = 0;
        {
            const std::lock_guard lock(mutex_);
            forget_lost_threads();
            if (is_torn_)
                refuse(what,
                       "another thread was in the middle of a call on it when this process was forked, so it is of no "
                       "use here; make a new one");
            const std::thread::id self = std::this_thread::get_id();
            if (changer_ == self || (changes && std::ranges::find(readers_, self) != readers_.end()))
                refuse(what,
                       "this thread is in the middle of another call on it; a progress function or a signal handler "
                       "cannot use the object that it interrupts");
            if (is_free(changes)) return take(changes);
            is_awaited_ = true;
            seen = process.count;
        }
        {
            const GilReleased released;
            process.wait_beyond(seen);
        }
        checked(PyErr_CheckSignals());
    }
}

void ObjectLock::leave(bool changes) noexcept {
    bool was_awaited = false;
    {
        const std::lock_guard lock(mutex_);
        if (changes) {
            changer_ = {};
        } else {
            readers_.erase(std::ranges::find(readers_, std::this_thread::get_id()));
        }
        was_awaited = std::exchange(is_awaited_, false);
    }
    if (was_awaited) Process::current().wake();
}

}  // namespace merklize::binding
