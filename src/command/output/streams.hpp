#pragma once

#include <cstddef>

namespace merklize::command {

/// The three standard streams and the signals of a terminal.

/// Looks which streams whoever started us has closed, and puts /dev/null in their places, so that no file gets their numbers.
/// Ignores SIGPIPE and SIGXFSZ, which become errors of calls; on SIGINT and SIGTERM ends with 128 and the signal's number. Nothing is left
/// half: every file that the command writes appears when it is whole.
void prepare_streams();
bool was_closed(int fd) noexcept;

/// How wide a terminal is: COLUMNS, else what the system says, else 80. At least 20.
std::size_t columns_of(int fd) noexcept;

/// 0.  errors  Failure (standard input is closed)
int standard_input();

}  // namespace merklize::command
