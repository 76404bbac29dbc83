#pragma once

#include <span>
#include <string>
#include <string_view>

namespace merklize::texts {

/// Names of files may be any bytes. Output is UTF-8, whatever the locale says.

/// Length in bytes of the first character of `text`, or 0 if that is not UTF-8. Then `wrong` is the number of bytes
/// that one U+FFFD replaces.
std::size_t character_at(std::string_view text, std::size_t& wrong) noexcept;
bool is_utf8(std::string_view text) noexcept;
/// The code point of a character that character_at() has accepted.
char32_t code_point(std::string_view character) noexcept;

/// Bytes as text. Bytes that are not UTF-8 become U+FFFD, as in b3sum.
std::string display(std::string_view bytes);
/// Bytes for use in a sentence. Line ends and invisible characters are escaped, so that they cannot pass for text of
/// the library.
std::string sentence(std::string_view bytes);
/// The number of characters in UTF-8 text.
std::size_t width_of(std::string_view text) noexcept;
/// At most 200 characters of a text, for an error.
std::string cut(std::string text);
/// A name in quotes, as by Python's repr(); a long one is cut.
std::string in_quotes(std::string_view name);

/// What a file is by its first 8 bytes, and the remedy, where another kind of file often lies in place of weights or of
/// JSON; otherwise empty.
std::string_view foreign_kind(std::string_view first) noexcept;

/// Appends two lower-case hexadecimal digits for each byte.
void append_hex(std::string& out, std::span<const std::byte> bytes);
std::string to_hex(std::span<const std::byte> bytes);

}  // namespace merklize::texts
