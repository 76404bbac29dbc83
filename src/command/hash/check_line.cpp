#include "command/hash/check_line.hpp"

#include <algorithm>
#include <optional>

#include "command/output/text.hpp"

namespace merklize::command {
namespace {

constexpr std::string_view tag_begin = "BLAKE3 (", tag_end = ") = ", between = "  ", replacement = "\ufffd";

bool is_hex(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

std::byte value_of(char high, char low) noexcept {
    const auto digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
    return static_cast<std::byte>(digit(high) << 4 | digit(low));
}

std::string escaped(std::string_view name) {
    std::string text;
    for (const char c : name) {
        if (c == '\\' || c == '\n' || c == '\r') text += '\\';
        text += c == '\n' ? 'n' : c == '\r' ? 'r' : c;
    }
    return text;
}

std::optional<std::string> unescaped(std::string_view name) {
    std::string plain;
    for (std::size_t i = 0; i < name.size(); i++) {
        char c = name[i];
        if (c == '\\') {
            const char next = i + 1 < name.size() ? name[++i] : 0;
            if (next != '\\' && next != 'n' && next != 'r') return {};
            c = next == 'n' ? '\n' : next == 'r' ? '\r' : '\\';
        }
        plain += c;
    }
    return plain;
}

CheckLine bad(std::string_view why) {
    CheckLine line;
    line.why_bad = why;
    return line;
}

}  // namespace

void append_frame(std::string_view name, bool tag, std::string& before, std::string& after) {
    if (name.find_first_of("\\\n\r") != name.npos) {
        before += '\\';
        const std::string text = escaped(name);
        (tag ? before += tag_begin : after += between) += text;
    } else {
        (tag ? before += tag_begin : after += between) += name;
    }
    if (tag) before += tag_end;
    after += '\n';
}

CheckLine parse_check_line(std::string_view text, std::uint64_t length) {
    if (!is_utf8(text)) return bad("not UTF-8");
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    if (text.empty()) return bad("empty line");
    const bool marked = text[0] == '\\';
    if (marked) text.remove_prefix(1);

    // No digest starts with "BLAKE3 (", so the two forms cannot be confused. A name may contain either separator: the digest is what lies
    // before the first "  " or after the last ") = ".
    const bool tagged = text.starts_with(tag_begin);
    if (tagged) text.remove_prefix(tag_begin.size());
    const std::size_t at = tagged ? text.rfind(tag_end) : text.find(between);
    if (at == text.npos) return bad("not a check line");
    const std::string_view left = text.substr(0, at), right = text.substr(at + (tagged ? tag_end : between).size());
    const std::string_view digits = tagged ? right : left, name = tagged ? left : right;
    if (!std::ranges::all_of(digits, is_hex)) return bad("the digest is not lower-case hexadecimal");
    if (digits.size() != 2 * length) {
        CheckLine line;
        line.bad_length = "the digest has " + std::to_string(digits.size()) + " hexadecimal digits, not " +
                          std::to_string(2 * length);
        return line;
    }
    if (name.empty()) return bad("no file name");
    if (name.find('\0') != name.npos) return bad("zero byte in the file name");
    if (name.find(replacement) != name.npos)
        return bad("replacement character (U+FFFD) in the file name: the real name is not known");

    std::optional<std::string> plain = marked ? unescaped(name) : std::string(name);
    if (!plain) return bad("unknown backslash escape in the file name");
    CheckLine line{std::move(*plain), (marked ? "\\" : "") + std::string(name), {}, {}, {}};
    line.digest.reserve(length);
    for (std::size_t i = 0; i < digits.size(); i += 2) line.digest.push_back(value_of(digits[i], digits[i + 1]));
    return line;
}

}  // namespace merklize::command
