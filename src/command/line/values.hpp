#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "command/line/arguments.hpp"
#include "merklize/digest.hpp"

namespace merklize::command {

/// Values of options as people write them. All errors are UsageError.

/// A whole number in plain digits, as b3sum takes it: `least` to 2^64 - 1.
std::optional<std::uint64_t> count_value(const Arguments& arguments, std::string_view option, std::uint64_t least = 0);
/// A count of bytes: 65536, 64K, 64KiB, 1M, 2G (powers of 1024).
std::optional<std::uint64_t> size_value(const Arguments& arguments, std::string_view option);
/// 64 hexadecimal digits.
std::optional<Digest> digest_value(const Arguments& arguments, std::string_view option);

/// Digits alone, at most 19 of them; none for anything else.
std::optional<std::uint64_t> plain_number(std::string_view text) noexcept;

/// 1536 -> "1.5 KiB".
std::string human_bytes(double count);
/// 0.0015 -> "1.5 ms".
std::string human_time(double seconds);
/// 1048576 -> "1,048,576".
std::string human_count(std::uint64_t count);

}  // namespace merklize::command
