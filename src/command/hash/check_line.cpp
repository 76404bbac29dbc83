#include "command/hash/check_line.hpp"

#include <algorithm>
#include <optional>

#include "command/output/text.hpp"

namespace merklize::command {
namespace {

constexpr std::string_view tag_begin = " (", tag_end = ") = ", between = "  ", replacement = "\ufffd";
constexpr std::string_view own_tag_begin = "BLAKE3 (";

// What a hash is called in front of "(name) = ". --tag writes the first name.
struct Tag {
    Hash hash;
    std::string_view name;
};
constexpr Tag tags[] = {
    {Hash::blake3, "BLAKE3"},       {Hash::sha256, "SHA256"},        {Hash::sha256, "SHA2-256"},
    {Hash::sha3_256, "SHA3-256"},   {Hash::keccak256, "KECCAK-256"}, {Hash::blake2s, "BLAKE2s"},
    {Hash::blake2s, "BLAKE2S-256"}, {Hash::blake2s, "BLAKE2s256"},
};

bool is_lower_hex(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }
bool is_hex(char c) noexcept { return is_lower_hex(c) || (c >= 'A' && c <= 'F'); }
bool is_space(char c) noexcept { return c == ' ' || c == '\t'; }

// Appends the bytes of an even count of hexadecimal digits.
void append_bytes(std::vector<std::byte>& bytes, std::string_view digits) {
    const auto digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : (c | 32) - 'a' + 10); };
    bytes.reserve(bytes.size() + digits.size() / 2);
    for (std::size_t i = 0; i < digits.size(); i += 2)
        bytes.push_back(static_cast<std::byte>(digit(digits[i]) << 4 | digit(digits[i + 1])));
}

void skip_spaces(std::string_view& text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
}

bool needs_escape(std::string_view name) { return name.find_first_of("\\\n\r") != name.npos; }

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

CheckLine wrong_length(std::size_t digits, std::uint64_t length) {
    CheckLine line;
    line.bad_length =
        "the digest has " + std::to_string(digits) + " hexadecimal digits, not " + std::to_string(2 * length);
    return line;
}

CheckLine empty_line() {
    CheckLine line;
    line.is_empty = true;
    return line;
}

}  // namespace

std::string_view tag_of(Hash hash) noexcept {
    const auto* found = std::ranges::find(tags, hash, &Tag::hash);
    return found == std::end(tags) ? std::string_view() : found->name;
}

bool can_be_listed(std::string_view name, Hash hash) noexcept {
    return hash != Hash::blake3 || (is_utf8(name) && name.find(replacement) == name.npos);
}

void append_frame(std::string_view name, std::string_view tag, std::string& before, std::string& after) {
    const bool is_escaped = needs_escape(name);
    if (is_escaped) before += '\\';
    std::string& side = tag.empty() ? after : before;
    if (tag.empty()) {
        side += between;
    } else {
        (side += tag) += tag_begin;
    }
    is_escaped ? side += escaped(name) : side += name;
    if (!tag.empty()) side += tag_end;
    after += '\n';
}

CheckLine parse_check_line(std::string_view text, std::uint64_t length) {
    if (text.starts_with('#')) return empty_line();
    if (!is_utf8(text)) return bad("not UTF-8");
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    if (text.empty()) return empty_line();
    const bool marked = text[0] == '\\';
    if (marked) text.remove_prefix(1);

    // No digest starts with "BLAKE3 (", so the two forms cannot be confused. A name may contain either separator: the
    // digest is what lies
    // before the first "  " or after the last ") = ".
    const bool tagged = text.starts_with(own_tag_begin);
    if (tagged) text.remove_prefix(own_tag_begin.size());
    const std::size_t at = tagged ? text.rfind(tag_end) : text.find(between);
    if (at == text.npos) return bad("not a check line");
    const std::string_view left = text.substr(0, at), right = text.substr(at + (tagged ? tag_end : between).size());
    const std::string_view digits = tagged ? right : left, name = tagged ? left : right;
    if (!std::ranges::all_of(digits, is_lower_hex)) return bad("the digest is not lower-case hexadecimal");
    if (digits.size() != 2 * length) return wrong_length(digits.size(), length);
    if (name.empty()) return bad("no file name");
    if (name.find('\0') != name.npos) return bad("zero byte in the file name");
    if (name.find(replacement) != name.npos)
        return bad("replacement character (U+FFFD) in the file name: the real name is not known");

    std::optional<std::string> plain = marked ? unescaped(name) : std::string(name);
    if (!plain) return bad("unknown backslash escape in the file name");
    CheckLine line{.name = std::move(*plain), .shown = (marked ? "\\" : "") + std::string(name)};
    line.is_tagged = tagged;
    append_bytes(line.digest, digits);
    return line;
}

CheckLine SumLines::parse(std::string_view text) {
    if (text.starts_with('#')) return empty_line();
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.empty()) return empty_line();
    if (text.find('\0') != text.npos) return bad("zero byte in the line");
    skip_spaces(text);
    const bool marked = text.starts_with('\\');
    if (marked) text.remove_prefix(1);

    for (const Tag& tag : tags) {
        if (tag.hash != hash_ || !text.starts_with(tag.name)) continue;
        std::string_view rest = text.substr(tag.name.size());
        if (rest.starts_with(' ')) rest.remove_prefix(1);
        if (rest.starts_with('(')) return parse_tagged(rest.substr(1), marked);
    }
    const auto digits = std::ranges::find_if_not(text, is_hex) - text.begin();
    const std::string_view digest = text.substr(0, static_cast<std::size_t>(digits));
    std::string_view rest = text.substr(digest.size());
    if (digest.empty() || rest.empty() || !is_space(rest[0])) return bad("not a check line");
    if (digest.size() != 2 * length_) return wrong_length(digest.size(), length_);
    rest.remove_prefix(1);
    if (rest.empty()) return bad("no file name");
    const bool has_one_space = rest.size() == 1 || (rest[0] != ' ' && rest[0] != '*');
    if (has_one_space && has_one_space_ == false)
        return bad("one space between digest and name, and two in lines before");
    if (!has_one_space_) has_one_space_ = has_one_space;
    if (!*has_one_space_) rest.remove_prefix(1);
    return made(rest, marked, digest);
}

// text  the name and what follows it
CheckLine SumLines::parse_tagged(std::string_view text, bool marked) const {
    const std::size_t end = text.rfind(')');
    if (end == text.npos) return bad("not a check line");
    std::string_view rest = text.substr(end + 1);
    skip_spaces(rest);
    if (!rest.starts_with('=')) return bad("not a check line");
    rest.remove_prefix(1);
    skip_spaces(rest);
    if (!std::ranges::all_of(rest, is_hex)) return bad("the digest is not hexadecimal");
    if (rest.size() != 2 * length_) return wrong_length(rest.size(), length_);
    CheckLine line = made(text.substr(0, end), marked, rest);
    line.is_tagged = true;
    return line;
}

CheckLine SumLines::made(std::string_view name, bool marked, std::string_view digits) const {
    std::optional<std::string> plain = marked ? unescaped(name) : std::string(name);
    if (!plain) return bad("unknown backslash escape in the file name");
    CheckLine line{.name = std::move(*plain)};
    line.shown = line.name.find('\n') != line.name.npos ? "\\" + escaped(line.name) : line.name;
    append_bytes(line.digest, digits);
    return line;
}

}  // namespace merklize::command
