#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "merklize/hash.hpp"

namespace merklize::command {

/// Writes and parses the lines of `merklize hash`, b3sum and coreutils' sha256sum. Pure functions: no files, no output.
///
///     <hex>  <name>                     plain
///     BLAKE3 (<name>) = <hex>           --tag
///
/// A name with a backslash, newline or carriage return is written with these escaped, and a backslash starts the line.

/// What --tag calls a hash: BLAKE3, SHA256. Empty: neither coreutils, OpenSSL nor BSD has a name for it.
std::string_view tag_of(Hash hash) noexcept;

/// Whether a list can hold the name. Every byte but zero can be in a list that coreutils reads; BLAKE3's lists are
/// UTF-8.
bool can_be_listed(std::string_view name, Hash hash) noexcept;

/// Appends the text before and after the digest in the line for `name`.
/// tag  of the hash; empty: a plain line
void append_frame(std::string_view name, std::string_view tag, std::string& before, std::string& after);

/// One line of a list: a file's name and digest, or the reason why the line is malformed.
struct CheckLine {
    std::string name{};   ///< of the file
    std::string shown{};  ///< the name as the line has it: always one line of text
    std::vector<std::byte> digest{};
    bool is_tagged = false;      ///< the line names the hash, as --tag writes it
    bool is_empty = false;       ///< an empty line or a comment, which begins with #: there is nothing to check
    std::string_view why_bad{};  ///< why the line is malformed; empty: it is not
    std::string bad_length{};    ///< the same, for a reason with numbers

    bool is_bad() const noexcept { return !why_bad.empty() || !bad_length.empty(); }
    std::string reason() const { return why_bad.empty() ? bad_length : std::string(why_bad); }
};

/// Parses one line of BLAKE3 digests, with or without its line end, for digests of `length` bytes. Any bytes give a
/// digest, a reason or an empty line.
///
/// The parser is strict, because a check that passes wrongly is a hole, while one that fails too often is only a
/// nuisance. So it refuses a name that could stand for several files (U+FFFD, which replaces bytes that are not UTF-8)
/// or be cut short (a zero byte).
CheckLine parse_check_line(std::string_view line, std::uint64_t length = 32);

/// Parses the lines of lists as `sha256sum --check` does: names of any bytes but zero, `*` before a name that was read
/// in binary mode, capital digits, `SHA256 (name) = `, and the lines of BSD's `sha256 -r`, which have one space.
class SumLines {
public:
    /// hash    none: a hash without a tag
    /// length  of the digests in bytes
    explicit SumLines(std::optional<Hash> hash, std::uint64_t length = 32) : hash_(hash), length_(length) {}

    CheckLine parse(std::string_view line);

private:
    CheckLine parse_tagged(std::string_view rest, bool marked) const;
    CheckLine made(std::string_view name, bool marked, std::string_view digits) const;

    const std::optional<Hash> hash_;
    const std::uint64_t length_;
    // Whether lines have one space. The first line decides, because a name that begins with a space or * would else
    // have two meanings.
    std::optional<bool> has_one_space_{};
};

}  // namespace merklize::command
