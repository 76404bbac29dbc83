#pragma once

#include <string>
#include <string_view>

namespace merklize::texts {

/// URLs in texts. User, password, query string and what `data:` carries may be secrets, so no text of the library shows
/// them.

/// A URL for texts: without user, password and query string. Of a chain (`zip://a::https://host/b`) each part.
std::string shown_url(std::string_view url);

/// A text of the library with every word in it that looks like a URL as by shown_url(), and `name?key=...` without its
/// end. Such a word ends at a space or a quote. Doing it twice changes nothing.
std::string masked(std::string_view text);

/// What may be shown of a word that was perhaps meant as a URL (`https ://`, `http:/`, `http:host?key=x`, `data:`), if
/// it is none; otherwise empty.
std::string_view begin_of_no_url(std::string_view word) noexcept;

/// Whether a word is a URL: "s3://...". "./a://b" is a file.
bool is_url(std::string_view word) noexcept;

}  // namespace merklize::texts
