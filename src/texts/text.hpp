#pragma once

#include <span>
#include <string>
#include <string_view>

namespace merklize::texts {

/// Names of files are any bytes; what is written is UTF-8, whatever the locale says.

/// Length in bytes of the character that `text` begins with, or 0: no UTF-8. `wrong` is then how many bytes one U+FFFD stands for.
std::size_t character_at(std::string_view text, std::size_t& wrong) noexcept;
bool is_utf8(std::string_view text) noexcept;
/// The code point of a character that character_at() has found.
char32_t code_point(std::string_view character) noexcept;

/// Bytes as text: what is not UTF-8 becomes U+FFFD, as b3sum does it.
std::string display(std::string_view bytes);
/// Bytes for use in a sentence: a line end in it must not pass for one of ours, nor anything else that is not seen.
std::string sentence(std::string_view bytes);
/// Characters of UTF-8 text.
std::size_t width_of(std::string_view text) noexcept;
/// A text for an error: at most 200 characters of it.
std::string cut(std::string text);

/// Two lower-case digits a byte.
void append_hex(std::string& out, std::span<const std::byte> bytes);
std::string to_hex(std::span<const std::byte> bytes);

}  // namespace merklize::texts
