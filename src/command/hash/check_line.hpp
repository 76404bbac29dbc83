#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace merklize::command {

/// Writes and parses the lines of `merklize hash` and b3sum. Pure functions: no files, no output.
///
///     <hex>  <name>                     plain
///     BLAKE3 (<name>) = <hex>           --tag
///
/// A name with a backslash, newline or carriage return is written with these escaped, and a backslash starts the line.

/// Appends the text before and after the digest in the line for `name`, which is UTF-8.
void append_frame(std::string_view name, bool tag, std::string& before, std::string& after);

/// One line of a list: a file's name and digest, or the reason why the line is malformed, which counts as a failure.
struct CheckLine {
    std::string name{};   ///< of the file
    std::string shown{};  ///< the name as the line has it: always one line of text
    std::vector<std::byte> digest{};
    std::string_view why_bad{};  ///< why the line is malformed; empty: it is not
    std::string bad_length{};    ///< the same, for a reason with numbers

    bool is_bad() const noexcept { return !why_bad.empty() || !bad_length.empty(); }
    std::string reason() const { return why_bad.empty() ? bad_length : std::string(why_bad); }
};

/// Parses one line, with or without its line end, for digests of `length` bytes. Any bytes give a digest or a reason.
///
/// The parser is strict, because a check that passes wrongly is a hole, while one that fails too often is only a nuisance. So it refuses
/// a name that could stand for several files (U+FFFD, which replaces bytes that are not UTF-8) or be cut short (a zero byte).
CheckLine parse_check_line(std::string_view line, std::uint64_t length = 32);

}  // namespace merklize::command
