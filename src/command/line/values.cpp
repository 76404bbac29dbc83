#include "command/line/values.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "command/endings.hpp"
#include "command/output/text.hpp"

namespace merklize::command {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::string formatted(const char* format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

}  // namespace

void refuse_unused(const Arguments& arguments, std::string_view way, std::initializer_list<std::string_view> unused) {
    for (const std::string_view name : unused)
        if (arguments.has(name)) throw UsageError{std::string(way) + " excludes --" + std::string(name)};
}

void refuse_all_but(const Arguments& arguments, std::string_view way, std::initializer_list<std::string_view> used) {
    for (const Option& option : arguments.command().options)
        if (std::ranges::find(used, option.name) == used.end()) refuse_unused(arguments, way, {option.name});
}

void require_with(const Arguments& arguments, std::string_view other, std::initializer_list<std::string_view> options) {
    for (const std::string_view name : options) {
        if (arguments.has(name) && !arguments.has(other))
            throw UsageError{"--" + std::string(name) + " needs --" + std::string(other)};
    }
}

void refuse_value(std::string_view option, const std::string& why) {
    throw UsageError{"Invalid value for '--" + std::string(option) + "': " + why};
}

std::optional<std::uint64_t> count_value(const Arguments& arguments, std::string_view option, std::uint64_t least) {
    const auto text = arguments.value(option);
    if (!text) return {};
    std::string_view digits = *text;
    if (digits.starts_with('+') || digits.starts_with('-')) digits.remove_prefix(1);
    if (digits.empty() || digits.size() > 1000 || !std::ranges::all_of(digits, is_digit))
        refuse_value(option, "'" + sentence(*text) + "' is not a number in plain digits");
    const auto number = plain_number(digits);
    if (!number || *number < least || text->starts_with('-'))
        refuse_value(option, *text + " is not " + std::to_string(least) + " to 2^64 - 1");
    return number;
}

std::optional<std::uint64_t> size_value(const Arguments& arguments, std::string_view option) {
    const auto text = arguments.value(option);
    if (!text) return {};
    std::string_view rest = *text;
    const auto n_digits = static_cast<std::size_t>(std::ranges::find_if_not(rest, is_digit) - rest.begin());
    const bool has_number = n_digits != 0 && n_digits <= 1000;
    const auto number = plain_number(rest.substr(0, n_digits));
    rest.remove_prefix(n_digits);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    std::string unit(rest);
    std::ranges::transform(unit, unit.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    const std::size_t power = unit.empty() ? 0 : std::string_view("kmgt").find(unit[0]) + 1;
    const std::string_view end = unit.empty() ? "" : std::string_view(unit).substr(1);
    if (!has_number || (power == 0 && !unit.empty()) || !(end.empty() || end == "b" || end == "ib"))
        refuse_value(option, "'" + sentence(*text) + "' is not a size such as 65536, 64K or 1MiB");
    if (!number || *number > UINT64_MAX >> (10 * power))
        refuse_value(option, "'" + *text + "' is not below 2^64 bytes");
    return *number << (10 * power);
}

void require_numbers(const Arguments& arguments) {
    for (const Option& option : arguments.command().options) {
        if (option.is_size()) size_value(arguments, option.name);
        if (option.is_count()) count_value(arguments, option.name);
    }
}

std::optional<Digest> digest_value(const Arguments& arguments, std::string_view option) {
    const auto text = arguments.value(option);
    if (!text) return {};
    const auto digest = Digest::from_hex(*text);
    if (!digest) refuse_value(option, "'" + sentence(*text) + "' is not 64 hexadecimal digits");
    return digest;
}

namespace {

template <class Value>
Value required(const std::optional<Value>& value, std::string_view option) {
    if (!value) throw UsageError{"Missing option '--" + std::string(option) + "'."};
    return *value;
}

}  // namespace

std::uint64_t required_count(const Arguments& arguments, std::string_view option) {
    return required(count_value(arguments, option), option);
}

Digest required_digest(const Arguments& arguments, std::string_view option) {
    return required(digest_value(arguments, option), option);
}

std::optional<std::vector<std::byte>> hex_bytes(std::string_view text) {
    std::vector<std::byte> bytes;
    if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
    if (text.size() % 2 != 0) return {};
    const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const auto lower = [&](std::size_t at) { return static_cast<char>(text[at] | (text[at] >= 'A' ? 0x20 : 0)); };
        const int high = digit(lower(i)), low = digit(lower(i + 1));
        if (high < 0 || low < 0) return {};
        bytes.push_back(static_cast<std::byte>(high << 4 | low));
    }
    return bytes;
}

std::optional<std::uint64_t> plain_number(std::string_view text) noexcept {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::string human_bytes(double count) {
    for (const char* unit : {" bytes", " KiB", " MiB", " GiB"}) {
        if (count < 1024) return formatted("%.4g", count) + unit;
        count /= 1024;
    }
    return formatted("%.4g", count) + " TiB";
}

std::string human_time(double seconds) {
    if (seconds >= 1) return formatted("%.3g s", seconds);
    if (seconds * 1e3 >= 1) return formatted("%.3g ms", seconds * 1e3);
    return formatted("%.3g us", seconds * 1e6);
}

std::string human_count(std::uint64_t count) {
    std::string text = std::to_string(count);
    for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
    return text;
}

}  // namespace merklize::command
