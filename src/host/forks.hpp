#pragma once

#include <atomic>

namespace merklize::runtime {

/// How many forks lie between the process that called this first and this one: a child has another number than its
/// parent. Takes a nanosecond, where getpid() is a system call.
unsigned forks() noexcept;

/// A mutex for what outlives a call: it knows which process holds it. If a thread of the parent held it at a fork, the
/// child gets an error, where it would wait for ever for a std::mutex.
class ProcessMutex {
public:
    /// errors  unavailable (in a child of fork(), as above)
    void lock();
    void unlock() noexcept;

private:
    std::atomic<unsigned> holder_{0};  // 1 + forks() of the process that holds it; 0: none
};

}  // namespace merklize::runtime
