#include "texts/text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace merklize::texts {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t i) { return static_cast<std::uint8_t>(text[i]); }

// Characters that terminals do not show as one sign: controls, formats, separators, private use (Unicode 15, categories
// Cc, Cf, Zl, Zp, Zs without the space, Co, Cs).
bool is_seen(char32_t c) noexcept {
    constexpr std::pair<char32_t, char32_t> unseen[] = {
        {0x00, 0x1f},     {0x7f, 0xa0},     {0xad, 0xad},       {0x600, 0x605},      {0x61c, 0x61c},
        {0x6dd, 0x6dd},   {0x70f, 0x70f},   {0x1680, 0x1680},   {0x180e, 0x180e},    {0x2000, 0x200f},
        {0x2028, 0x202f}, {0x205f, 0x206f}, {0x3000, 0x3000},   {0xd800, 0xf8ff},    {0xfeff, 0xfeff},
        {0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0x1d173, 0x1d17a}, {0xe0000, 0x10ffff},
    };
    return std::ranges::none_of(unseen, [c](const auto& range) { return range.first <= c && c <= range.second; });
}

}  // namespace

std::size_t character_at(std::string_view text, std::size_t& wrong) noexcept {
    const std::uint8_t first = byte_at(text, 0);
    wrong = 1;
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4) return 0;
    // The second byte excludes overlong forms, surrogates, and code points beyond U+10FFFF (Unicode 15, table 3-7).
    const std::uint8_t least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const std::uint8_t most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    for (; wrong < length; wrong++) {
        if (wrong == text.size()) return 0;
        const std::uint8_t next = byte_at(text, wrong);
        if (next < (wrong == 1 ? least : 0x80) || next > (wrong == 1 ? most : 0xbf)) return 0;
    }
    return length;
}

bool is_utf8(std::string_view text) noexcept {
    for (std::size_t wrong = 0; !text.empty();) {
        const std::size_t length = character_at(text, wrong);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

char32_t code_point(std::string_view character) noexcept {
    char32_t point = byte_at(character, 0);
    if (character.size() > 1) point &= 0x7fu >> character.size();
    for (std::size_t i = 1; i < character.size(); i++) point = point << 6 | (byte_at(character, i) & 0x3fu);
    return point;
}

std::string display(std::string_view bytes) {
    if (is_utf8(bytes)) return std::string(bytes);
    std::string text;
    for (std::size_t wrong = 0; !bytes.empty();) {
        const std::size_t length = character_at(bytes, wrong);
        text += length == 0 ? "\ufffd" : bytes.substr(0, length);
        bytes.remove_prefix(length == 0 ? wrong : length);
    }
    return text;
}

std::string sentence(std::string_view bytes) {
    const std::string shown = display(bytes);
    std::string text;
    std::size_t wrong = 0;
    for (std::string_view rest = shown; !rest.empty();) {
        const std::string_view character = rest.substr(0, character_at(rest, wrong));
        rest.remove_prefix(character.size());
        const char32_t c = code_point(character);
        if (is_seen(c)) {
            text += character;
        } else if (c == '\n' || c == '\r' || c == '\t') {
            text += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
        } else {
            char escaped[12];
            std::snprintf(escaped, sizeof escaped,
                          c < 0x100     ? "\\x%02x"
                          : c < 0x10000 ? "\\u%04x"
                                        : "\\U%08x",
                          static_cast<unsigned>(c));
            text += escaped;
        }
    }
    return text;
}

std::size_t width_of(std::string_view text) noexcept {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<std::uint8_t>(c) & 0xc0) != 0x80; }));
}

std::string cut(std::string text) {
    constexpr std::size_t most = 200;
    if (width_of(text) <= most) return text;
    std::size_t end = 0;
    for (std::size_t wrong = 0, n = 3; n < most; n++) end += character_at(std::string_view(text).substr(end), wrong);
    return text.substr(0, end) + "...";
}

std::string in_quotes(std::string_view name) {
    const char quote = name.find('\'') != name.npos && name.find('"') == name.npos ? '"' : '\'';
    std::string text(1, quote);
    std::string escaped;
    for (const char c : name) {
        if (c == quote || c == '\\') escaped += '\\';
        escaped += c;
    }
    return cut(text + sentence(escaped) + quote);
}

std::string_view foreign_kind(std::string_view first) noexcept {
    constexpr std::string_view pickle =
        "a pickle of Python, as PyTorch writes: safetensors.torch.save_file() writes safetensors";
    constexpr std::pair<std::string_view, std::string_view> kinds[] = {
        {"version ", "a pointer of Git LFS in the place of the file: git lfs pull fetches it"},
        {"PK\x03\x04",
         "a zip archive, as PyTorch's .pt and .bin are: safetensors.torch.save_file() writes safetensors"},
        {"\x80\x02", pickle},
        {"\x80\x03", pickle},
        {"\x80\x04", pickle},
        {"\x80\x05", pickle},
        {"GGUF", "a GGUF file"},
        {"\x89HDF\r\n\x1a\n", "an HDF5 file, as Keras' .h5 are"},
        {"\x93NUMPY", "an array of NumPy (.npy): safetensors.numpy.save_file() writes safetensors"},
        {"\x1f\x8b", "compressed by gzip"},
        {"\x28\xb5\x2f\xfd", "compressed by zstd"},
        {"<!", "a page of HTML, perhaps of a failed download"},
        {"<html", "a page of HTML, perhaps of a failed download"},
        {"<?xml", "an XML text, perhaps of a failed download"},
        {"\xef\xbb\xbf", "UTF-8 behind a byte order mark, which must go"},
        {"\xff\xfe", "UTF-16, not UTF-8"},
        {"\xfe\xff", "UTF-16, not UTF-8"},
    };
    for (const auto& [begin, kind] : kinds)
        if (first.starts_with(begin)) return kind;
    return {};
}

void append_hex(std::string& out, std::span<const std::byte> bytes) {
    constexpr char digits[] = "0123456789abcdef";
    const std::size_t before = out.size();
    out.resize(before + 2 * bytes.size());
    char* to = out.data() + before;
    for (const std::byte b : bytes) {
        *to++ = digits[std::to_integer<unsigned>(b) >> 4];
        *to++ = digits[std::to_integer<unsigned>(b) & 15];
    }
}

std::string to_hex(std::span<const std::byte> bytes) {
    std::string text;
    append_hex(text, bytes);
    return text;
}

}  // namespace merklize::texts
