#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "host/forks.hpp"

namespace merklize::runtime {

/// How much a user may want to know of it, by the numbers of Python's logging.
enum class LogLevel { debug = 10, info = 20, warning = 30 };

struct LogEntry {
    LogLevel level;
    std::string text;
};

/// What the process did that costs time or was a choice: kernels compiled, devices opened, chosen and passed over. A
/// language whose programs have a log of their own keeps it on and takes the entries at the end of each call; else
/// nothing is kept. Safe from any thread. Only for what is rare: a call that compiles, opens and chooses nothing adds
/// no entry.
class Log {
public:
    static constexpr std::size_t most = 256;  // of older entries the oldest is dropped

    static Log& process();

    void turn_on() noexcept { is_on_ = true; }
    /// For callers whose texts take time to make.
    bool is_on() const noexcept { return is_on_.load(std::memory_order_relaxed); }
    /// Adds an entry if the log is on. Without memory for it there is none.
    void add(LogLevel level, std::string text) noexcept;

    bool is_empty() const noexcept { return is_empty_.load(std::memory_order_relaxed); }
    /// Takes all entries out, the oldest first.
    std::vector<LogEntry> take();

private:
    std::atomic<bool> is_on_{false};
    std::atomic<bool> is_empty_{true};
    ProcessMutex mutex_;
    std::deque<LogEntry> entries_;  // guarded by mutex_
};

}  // namespace merklize::runtime
