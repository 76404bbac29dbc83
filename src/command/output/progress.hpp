#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "command/call.hpp"

namespace merklize::command {

/// A progress bar on standard error, drawn only on a terminal and only for work that takes a while. One at a time.
class Bar {
public:
    /// parts  number of equal parts of the work, such as files; 0: unknown
    explicit Bar(Call& call, std::string what, std::uint64_t parts = 1);
    ~Bar();
    Bar(const Bar&) = delete;
    Bar& operator=(const Bar&) = delete;

    /// The progress function of the library for the next `count` parts; empty if the bar is not visible and the call
    /// cannot be cancelled.
    /// bytes  of these parts, or 0
    std::function<bool(double)> part(std::uint64_t count = 1, std::uint64_t bytes = 0);
    /// The same for one part: an input that is read once.
    std::function<bool(double)> part_of(const std::string& file);
    std::function<bool(double)> part_of(const runtime::ByteSource& input);
    /// Shows how much of the next part is done, for work that checks for cancellation elsewhere.
    void show(double done);
    /// `count` more parts are done.
    void advance(std::uint64_t count = 1);

private:
    using Clock = std::chrono::steady_clock;

    void draw(double done, double bytes);

    Call& call_;
    std::string what_;
    std::uint64_t parts_, finished_ = 0;
    double bytes_ = 0;
    Clock::time_point begin_ = Clock::now(), next_;
    bool enabled_;
};

/// The values of a bar; bar_text() makes its line.
struct BarState {
    std::string_view what;
    double done = 0;           ///< of `parts`
    std::uint64_t parts = 1;   ///< 0: unknown
    double bytes = 0;          ///< done so far; 0: unknown
    double seconds = 0;        ///< since the work began
    std::size_t columns = 80;  ///< of the terminal; the line leaves the last column free
    bool colours = false;
};
std::string bar_text(const BarState& state);

/// Reports on a terminal that the kernels of a device are being compiled.  kept  whether they are stored for the next
/// process
void show_compiling(Call& call, std::string_view device, bool kept);

}  // namespace merklize::command
