#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command/line/arguments.hpp"
#include "merklize/digest.hpp"
#include "merklize/error.hpp"

namespace merklize::command {

/// Values of options as people write them. All errors are UsageError.

/// A whole number in plain digits, as in b3sum: `least` to 2^64 - 1.
std::optional<std::uint64_t> count_value(const Arguments& arguments, std::string_view option, std::uint64_t least = 0);
/// A count of bytes: 65536, 64K, 64KiB, 1M, 2G (powers of 1024).
std::optional<std::uint64_t> size_value(const Arguments& arguments, std::string_view option);
/// Refuses what is no number in every option that takes one, also where the command does not come to read it.
void require_numbers(const Arguments& arguments);
/// Refuse options that a way of a command does not use, since a value that is taken and not used misleads.
/// way  an option as the user typed it, such as "--format fs_verity"
void refuse_unused(const Arguments& arguments, std::string_view way, std::initializer_list<std::string_view> unused);
void refuse_all_but(const Arguments& arguments, std::string_view way, std::initializer_list<std::string_view> used);
/// Refuses options that are used with another alone.
void require_with(const Arguments& arguments, std::string_view other, std::initializer_list<std::string_view> options);
/// Throws the UsageError of a value that an option does not take.
[[noreturn]] void refuse_value(std::string_view option, const std::string& why);
/// Converts the text by read(). An invalid_argument of read(), such as an unknown name, becomes a UsageError.
template <class Read>
auto named_value(const Arguments& arguments, std::string_view option, const Read& read)
    -> std::optional<decltype(read(std::string()))> {
    const auto text = arguments.value(option);
    if (!text) return {};
    try {
        return read(*text);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::invalid_argument) throw;
        refuse_value(option, error.what());
    }
}
/// 64 hexadecimal digits.
std::optional<Digest> digest_value(const Arguments& arguments, std::string_view option);
/// The same of options that must be there.
std::uint64_t required_count(const Arguments& arguments, std::string_view option);
Digest required_digest(const Arguments& arguments, std::string_view option);

/// Pairs of hexadecimal digits, with or without 0x in front; none for any other text.
std::optional<std::vector<std::byte>> hex_bytes(std::string_view text);
/// A number in plain digits; none for any other text, and for 2^64 or more.
std::optional<std::uint64_t> plain_number(std::string_view text) noexcept;

/// 1536 -> "1.5 KiB".
std::string human_bytes(double count);
/// 0.0015 -> "1.5 ms".
std::string human_time(double seconds);
/// 1048576 -> "1,048,576".
std::string human_count(std::uint64_t count);

}  // namespace merklize::command
