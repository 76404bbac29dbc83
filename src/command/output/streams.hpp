#pragma once

#include <cstddef>
#include <string>

namespace merklize::command {

/// The three standard streams and the signals of a terminal.

/// Looks which streams whoever started us has closed, and puts /dev/null in their places, so that no file gets their numbers.
/// Ignores SIGPIPE and SIGXFSZ, which become errors of calls; on SIGINT and SIGTERM ends with 128 and the signal's number. Nothing is left
/// half: every file that the command writes appears when it is whole.
void prepare_streams();
bool was_closed(int fd) noexcept;

/// While it lives, an end by a signal says that this file is kept, if it is there, and that the same command goes on from it. One at a time.
class KeptByInterruption {
public:
    explicit KeptByInterruption(const std::string& path);
    ~KeptByInterruption();
    KeptByInterruption(const KeptByInterruption&) = delete;
    KeptByInterruption& operator=(const KeptByInterruption&) = delete;

private:
    friend void end_by_signal(int number);

    std::string path_, text_;
};

/// How wide a terminal is: COLUMNS, else what the system says, else 80. At least 20.
std::size_t columns_of(int fd) noexcept;

/// 0.  errors  Failure (standard input is closed)
int standard_input();

}  // namespace merklize::command
