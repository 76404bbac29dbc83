#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/caller.hpp"

namespace merklize::command {

/// One run of the command line: its streams, and all state that belongs to it. Nothing of it belongs to the process, so several may run
/// at once.
class Call {
public:
    /// Both must outlive the call.
    Call(const Streams& streams, Caller& caller) : streams_(streams), caller_(caller) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    Caller& caller() const noexcept { return caller_; }

    // ---- Standard output ----

    /// Keeps the text back until flush() or until there is much of it. If its reader has gone (`merklize hash ... | head`), the command
    /// ends quietly with code 141.
    /// errors  Failure (it cannot be written), Exit
    void write(std::string_view data);
    void write(std::span<const std::byte> data);
    void line(std::string_view text);
    void flush();
    /// Whether anything was written.
    bool has_written() const noexcept { return has_written_; }

    // ---- Standard error ----

    /// One line, in order with what went to standard output before. What a terminal would not show is escaped.
    void complain(std::string_view text);
    /// The text as it is. If it fails, nobody is left to tell.
    void write_error(std::string_view text) noexcept;
    /// Whether a bar would be seen: on a terminal that can move the cursor.
    bool shows_bars() const;
    /// Draws a line in the place of the one that is drawn.
    void draw(const std::string& text) noexcept;
    /// Removes what is drawn, if there is anything. Safe in a signal handler.
    void erase_bar() noexcept;
    /// How wide its terminal is.
    std::size_t columns() const noexcept;

    // ---- The rest ----

    /// Standard output's descriptor, behind what was written before.  errors  Failure (it is closed), as flush()
    int standard_output();
    /// How wide standard output's terminal is: COLUMNS, else what the system says, else 80. At least 20.
    std::size_t output_columns() const noexcept;
    /// Its descriptor.  errors  Failure (standard input is closed)
    int standard_input() const;

    /// Asks the caller, if enough time has passed; false if the call is to end. By the thread that runs the call.
    bool goes_on();
    /// errors  cancelled
    void require_going_on();
    /// For reads that may wait: require_going_on(), and true.
    auto waiting() {
        return [this] {
            require_going_on();
            return true;
        };
    }

    /// Says that an interruption leaves a file that the same command goes on from, if it is there. Safe in a signal handler.
    void tell_kept() noexcept;

private:
    friend class KeptByInterruption;
    using Clock = std::chrono::steady_clock;

    const Streams streams_;
    Caller& caller_;
    std::string kept_back_{};
    bool has_written_ = false;
    std::atomic<bool> is_drawn_{false};
    Clock::time_point asked_ = Clock::now();
    bool is_cancelled_ = false;
    std::atomic<const class KeptByInterruption*> kept_file_{nullptr};
};

/// While it lives, an end by a signal says that this file is kept, if it is there, and that the same command goes on from it. One at a time.
class KeptByInterruption {
public:
    KeptByInterruption(Call& call, const std::string& path);
    ~KeptByInterruption();
    KeptByInterruption(const KeptByInterruption&) = delete;
    KeptByInterruption& operator=(const KeptByInterruption&) = delete;

private:
    friend class Call;

    Call& call_;
    const std::string path_, text_;
};

/// Runs a command line, without the name of the program.  returns  the exit code; all that goes wrong is said
int run(Call& call, const std::vector<std::string>& words) noexcept;

}  // namespace merklize::command
