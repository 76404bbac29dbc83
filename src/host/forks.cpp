#include "host/forks.hpp"

#include <pthread.h>

#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

std::atomic<unsigned> count{0};

}  // namespace

unsigned forks() noexcept {
    static const int registered = pthread_atfork(nullptr, nullptr, [] { count++; });
    (void)registered;
    return count.load(std::memory_order_relaxed);
}

void ProcessMutex::lock() {
    const unsigned own = forks() + 1;
    for (unsigned holder = 0; !holder_.compare_exchange_strong(holder, own, std::memory_order_acquire); holder = 0) {
        if (holder != own) {
            throw Error(ErrorCode::unavailable,
                        "this process was forked while another thread of its parent was in a call of merklize that "
                        "changes what this call needs; start workers by spawn or forkserver");
        }
        holder_.wait(holder);
    }
}

void ProcessMutex::unlock() noexcept {
    holder_.store(0, std::memory_order_release);
    holder_.notify_one();
}

}  // namespace merklize::runtime
