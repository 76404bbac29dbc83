#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace merklize::command {

/// The lines that `merklize hash` and b3sum write, and reading them back. Pure functions: no files, no output.
///
///     <hex>  <name>                     plain
///     BLAKE3 (<name>) = <hex>           --tag
///
/// A name with a backslash, newline or carriage return is written with these escaped, and a backslash starts the line.

/// What stands before and after the digest in the line for `name`, which is UTF-8.
void append_frame(std::string_view name, bool tag, std::string& before, std::string& after);

/// What one line promises; or nothing, and then it counts as a failure.
struct CheckLine {
    std::string name{};   ///< of the file
    std::string shown{};  ///< the name as the line has it: always one line of text
    std::vector<std::byte> digest{};
    std::string_view why_bad{};  ///< empty: it is a line
    std::string bad_length{};    ///< the same, where the text has numbers

    bool is_bad() const noexcept { return !why_bad.empty() || !bad_length.empty(); }
    std::string reason() const { return why_bad.empty() ? bad_length : std::string(why_bad); }
};

/// Reads one line, with or without its line end, for digests of `length` bytes. Any bytes give a line or a reason.
///
/// It is strict on purpose. A check that fails too often is a nuisance, one that passes wrongly is a hole: so a name that could stand
/// for several files (U+FFFD, which replaces what was not UTF-8) or be cut short (a zero byte) is refused.
CheckLine parse_check_line(std::string_view line, std::uint64_t length = 32);

}  // namespace merklize::command
