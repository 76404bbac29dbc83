#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

namespace merklize::runtime {

/// CPU threads that this process may use, at least 1: by its affinity, and by the limit of its control group at the
/// first call.
unsigned default_threads();
/// How many threads a call uses whose caller asked for `asked`: for 0 default_threads(), and never more than
/// parallel_for() has, so that no loop over threads lasts for a count that a caller made up.
unsigned usable_threads(unsigned asked);
/// The threads of a call. Their number is found when a loop is first worth sharing: default_threads() is a system
/// call, which takes longer than many small calls do.
class ThreadCount {
public:
    /// asked  as for usable_threads()
    ThreadCount(unsigned asked) noexcept : asked_(asked) {}
    ThreadCount(const ThreadCount& other) noexcept : asked_(other.asked_), count_(other.count_.load()) {}
    ThreadCount& operator=(const ThreadCount&) = delete;

    /// usable_threads(asked), which the first call of count() asks for.
    unsigned count() const;

private:
    const unsigned asked_;
    mutable std::atomic<unsigned> count_{0};  // 0: not asked yet
};

/// How many processors the control group of this process may keep busy, rounded up; UINT_MAX: as many as there are.
/// root  the folder that has proc/ and sys/: "/", or a test's own
unsigned group_threads(const std::filesystem::path& root);
/// Bytes of memory that the control groups of the process allow, read below `root` as group_threads() does; UINT64_MAX:
/// all.
std::uint64_t group_memory(const std::filesystem::path& root);

/// Called from the thread that called parallel_for(), after each of its items and every 50 ms while it waits, with the
/// share of items that are done. Returning false cancels. Must not throw.
using Tick = std::function<bool(double done)>;

/// How long a unit of a kind of loop takes (a chunk, a merge by one hash), as the loops of that kind have measured it
/// in this process.
class Pace {
public:
    /// Nanoseconds of a unit; 0: no loop has run yet.
    double nanoseconds() const noexcept { return picoseconds_.load(std::memory_order_relaxed) / 1000.0; }
    void measured(double nanoseconds) noexcept;

private:
    std::atomic<std::uint32_t> picoseconds_{0};
};

/// What one item of a loop is: `units` of a kind. Without a pace a loop is taken for a long one, for which all threads
/// are woken.
struct Item {
    Pace* pace = nullptr;
    std::uint64_t units = 1;
};

/// Runs body(0) .. body(n-1), each once, in any order, on up to `threads` threads, including the caller's. Returns when
/// all are done. Workers are kept between calls and shared by all callers; a forked child makes its own.
/// returns  false if tick cancelled: then some items did not run
/// errors   the first exception that a body threw; the remaining items do not run
bool parallel_for(std::size_t n, const ThreadCount& threads, const std::function<void(std::size_t)>& body,
                  const Tick& tick = {}, const Item& item = {});

}  // namespace merklize::runtime
