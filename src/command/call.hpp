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

/// One run of the command line: its streams and all its state. It changes no state of the process, so several runs may
/// go on at once.
class Call {
public:
    /// `streams` is copied; `caller` must outlive the call.
    Call(const Streams& streams, Caller& caller) : streams_(streams), caller_(caller) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    Caller& caller() const noexcept { return caller_; }

    // ---- Standard output ----

    /// Buffers the text until flush() or until the buffer is full. If the reader of a pipe has gone (`merklize hash ...
    /// | head`), the command ends quietly with code 141.
    /// errors  Failure (the text cannot be written), Exit
    void write(std::string_view data);
    void write(std::span<const std::byte> data);
    void line(std::string_view text);
    void flush();
    /// Notes that a file is there or has changed, for the text of the error if standard output then takes nothing.
    void has_made(const std::string& what) { made_ = "; " + what; }
    /// Whether anything was written to standard output.
    bool has_written() const noexcept { return has_written_; }

    // ---- Standard error ----

    /// Writes one line, after flush(). Characters that a terminal does not show are escaped.
    void complain(std::string_view text);
    /// Writes the text unchanged. Errors are ignored, because there is no other stream to report them on.
    void write_error(std::string_view text) noexcept;
    /// Whether a bar is visible: standard error is a terminal that can move the cursor.
    bool shows_bars() const;
    /// Draws a line in place of the line drawn before.
    void draw(const std::string& text) noexcept;
    /// Removes the drawn line, if there is one. Safe in a signal handler.
    void erase_bar() noexcept;
    /// Width of the terminal of standard error.
    std::size_t columns() const noexcept;

    // ---- The rest ----

    /// The descriptor of standard output, after flush().  errors  Failure (it is closed), those of flush()
    int standard_output();
    /// Width of the terminal of standard output: COLUMNS, else that of the system, else 80. At least 20.
    std::size_t output_columns() const noexcept;
    /// The descriptor of standard input.  errors  Failure (it is closed)
    int standard_input() const;

    /// Asks the caller about every 50 ms whether to go on; false: the call must end. For the thread that runs the call.
    bool goes_on();
    /// errors  cancelled
    void require_going_on();
    /// A function for reads that may wait: it calls require_going_on() and returns true.
    auto waiting() {
        return [this] {
            require_going_on();
            return true;
        };
    }

    /// Tells the user of the file of KeptByInterruption, if it exists. Safe in a signal handler.
    void tell_kept() noexcept;

private:
    friend class KeptByInterruption;
    using Clock = std::chrono::steady_clock;

    const Streams streams_;
    Caller& caller_;
    std::string kept_back_{}, made_{};
    bool has_written_ = false;
    std::atomic<bool> is_drawn_{false};
    Clock::time_point asked_ = Clock::now();
    bool is_cancelled_ = false;
    std::atomic<const class KeptByInterruption*> kept_file_{nullptr};
};

/// While this object lives, a signal that ends the process first says that the file, if it exists, is kept and that the
/// same command resumes from it. One object at a time.
class KeptByInterruption {
public:
    KeptByInterruption(Call& call, const std::string& path);
    ~KeptByInterruption();
    KeptByInterruption(const KeptByInterruption&) = delete;
    KeptByInterruption& operator=(const KeptByInterruption&) = delete;

    /// What the text of an error says of the file; empty if it does not exist.
    std::string hint() const;

private:
    friend class Call;

    Call& call_;
    const std::string path_, text_;
};

/// Runs a command line, without the name of the program.  returns  the exit code; every error has been reported
int run(Call& call, const std::vector<std::string>& words) noexcept;

}  // namespace merklize::command
