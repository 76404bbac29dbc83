#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace merklize::command {

/// A progress bar on standard error, drawn only on a terminal and only for work that takes a while. One at a time.
class Bar {
public:
    /// parts  equal parts of the work, say files; 0: the count is not known
    explicit Bar(std::string what, std::uint64_t parts = 1);
    ~Bar();
    Bar(const Bar&) = delete;
    Bar& operator=(const Bar&) = delete;

    /// The progress function of the library for the next `count` parts; empty if nobody would see it.
    std::function<bool(double)> part(std::uint64_t count = 1);
    /// `count` more parts are done.
    void advance(std::uint64_t count = 1);

private:
    using Clock = std::chrono::steady_clock;

    void draw(double done);

    std::string what_;
    std::uint64_t parts_, finished_ = 0;
    Clock::time_point begin_ = Clock::now(), next_;
    bool enabled_;
};

/// Removes the bar from the terminal, if there is one. Safe in a signal handler.
void erase_bar() noexcept;

}  // namespace merklize::command
