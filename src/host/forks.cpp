#include "host/forks.hpp"

#include <pthread.h>

#include <atomic>

namespace merklize::runtime {
namespace {

std::atomic<unsigned> count{0};

}  // namespace

unsigned forks() noexcept {
    static const int registered = pthread_atfork(nullptr, nullptr, [] { count++; });
    (void)registered;
    return count.load(std::memory_order_relaxed);
}

}  // namespace merklize::runtime
