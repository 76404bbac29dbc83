#include "texts/urls.hpp"

#include <algorithm>

namespace merklize::texts {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
constexpr bool is_of_scheme(char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '.' || c == '-'; }

bool equals(std::string_view word, std::string_view lower) {
    return std::ranges::equal(word, lower, {}, [](char c) { return is_letter(c) ? static_cast<char>(c | 32) : c; });
}

std::string_view behind_last(std::string_view text, char mark) {
    const std::size_t at = text.rfind(mark);
    return at == text.npos ? text : text.substr(at + 1);
}

// The :: between two URLs of a chain; not that of an address.
std::size_t end_of_part(std::string_view url) {
    for (std::size_t at = url.find("::"); at != url.npos; at = url.find("::", at + 1)) {
        const std::string_view next = url.substr(at + 2);
        std::size_t end = 0;
        while (end < next.size() && (is_of_scheme(next[end]) || next[end] == '_')) end++;
        const std::string_view mark = next.substr(end);
        if (end > 0 && is_letter(next[0]) && (mark.starts_with("://") || mark.starts_with("::"))) return at;
    }
    return url.npos;
}

std::string shown_part(std::string_view url) {
    const std::size_t colon = url.find(':');
    if (colon == url.npos) return std::string(behind_last(url.substr(0, url.find('?')), '@'));
    const std::string_view scheme = url.substr(0, colon);
    const bool is_path = equals(scheme, "file") || equals(scheme, "local");
    const std::size_t all = std::min(url.find_first_not_of('/', colon + 1), url.size()) - colon - 1;
    const std::size_t slashes = is_path ? std::min<std::size_t>(all, 2) : all;  // a third one may be a slip
    const std::string begin(url.substr(0, colon + 1 + slashes));
    const std::string_view rest = url.substr(begin.size());
    if (equals(scheme, "data")) return begin + (rest.empty() ? "" : "...");
    const std::size_t question = rest.find('?');
    std::string_view place = rest.substr(0, question);
    if (equals(scheme, "http") || equals(scheme, "https")) place = place.substr(0, place.find('#'));
    const std::string_view host = place.substr(0, place.find('/'));
    const std::size_t bracket = host.rfind(']');
    const std::string_view behind = bracket == host.npos ? host : host.substr(bracket + 1);
    const std::size_t port = behind.find(':');
    std::string made;
    if (host.find('@') != host.npos) {
        made = std::string(behind_last(host, '@')) + std::string(place.substr(host.size()));
    } else if (port != behind.npos && port + 1 < behind.size() &&
               !std::ranges::all_of(behind.substr(port + 1), is_digit)) {
        // The begin of a password with a / or a ? in it.
        made = place.find('@') == place.npos ? "..." : behind_last(place, '@');
    } else {
        made = place;
    }
    return begin + made + (question == rest.npos ? "" : "?...");
}

// The length of the scheme that a text begins with, or 0.
std::size_t scheme_at(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && is_of_scheme(text[end])) end++;
    return end > 0 && end < text.size() && is_letter(text[0]) && text[end] == ':' ? end : 0;
}

// A word without spaces. It may begin with a quote.
std::string masked_word(std::string_view word) {
    const std::size_t last = word.find_last_not_of(":,;)]");
    const std::string_view body = word.substr(0, last == word.npos ? 0 : last + 1), end = word.substr(body.size());
    for (std::size_t at = 0; at < body.size(); at++) {
        if (at > 0 && (is_letter(body[at - 1]) || is_digit(body[at - 1]))) continue;
        const std::string_view here = body.substr(at);
        const std::size_t scheme = scheme_at(here);
        if (scheme == 0) continue;
        const std::string_view rest = here.substr(scheme + 1);
        const std::string_view behind = rest.substr(std::min(rest.find_first_not_of('/'), rest.size()));
        const std::string_view host = behind.substr(0, behind.find('/'));
        const bool has_user = host.find('@') != host.npos, has_secret = rest.find('?') != rest.npos || has_user;
        if (scheme == 1 && (!has_user || rest.starts_with('/'))) continue;  // a drive, or a user of one letter
        if (rest.starts_with("//") || equals(here.substr(0, scheme), "data") || has_secret)
            return std::string(body.substr(0, at)) + shown_url(here) + std::string(end);
    }
    const std::size_t question = body.find('?'), equal = body.find('=', question == body.npos ? 0 : question);
    const bool is_query = question != body.npos && equal != body.npos && equal > question + 1;
    return is_query ? std::string(body.substr(0, question + 1)) + "..." + std::string(end) : std::string(word);
}

}  // namespace

bool is_url(std::string_view word) noexcept {
    const std::size_t end = word.find("://");
    return end != word.npos && end != 0 && is_letter(word[0]) &&
           std::ranges::all_of(word.substr(0, end), [](char c) { return is_of_scheme(c) || c == ':'; });
}

std::string shown_url(std::string_view url) {
    std::string shown;
    for (std::size_t end = 0; end != url.npos; url.remove_prefix(end == url.npos ? url.size() : end + 2)) {
        end = end_of_part(url);
        shown += shown_part(url.substr(0, end)) + (end == url.npos ? "" : "::");
    }
    return shown;
}

std::string masked(std::string_view text) {
    constexpr std::string_view between = " \t\n\r\v\f\"`<>", behind_quotes = " \t\n\r\v\f\"`<>:,;.)]}'";
    std::string made;
    while (!text.empty()) {
        std::size_t end = std::min(text.find_first_of(between), text.size());
        // A URL may have a ' in it, as a password has. One that closes has an end or a mark behind it.
        for (std::size_t at = text.find('\''); at < end; at = text.find('\'', at + 1))
            if (at + 1 == text.size() || behind_quotes.find(text[at + 1]) != behind_quotes.npos) end = at;
        made += masked_word(text.substr(0, end));
        const bool is_quote = end < text.size() && text[end] == '\'';
        const std::size_t next = std::min(text.find_first_not_of(between, end + (is_quote ? 1 : 0)), text.size());
        made += text.substr(end, next - end);
        text.remove_prefix(next);
    }
    return made;
}

std::string_view begin_of_no_url(std::string_view word) noexcept {
    const std::size_t end = word.find(':');
    const auto may_be = [](char c) { return is_of_scheme(c) || c == ' ' || c == '\t'; };
    if (end == word.npos || end < 2 || is_url(word) || !std::ranges::all_of(word.substr(0, end), may_be)) return {};
    const std::string_view rest = word.substr(end + 1);
    const bool has_data = equals(word.substr(0, end), "data") && rest.find(',') != rest.npos;
    const bool is_meant = rest.starts_with('/') || rest.find_first_of("?@") != rest.npos || has_data;
    if (!is_meant) return {};
    return word.substr(0, end + (rest.starts_with('/') ? 2 : 1));
}

}  // namespace merklize::texts
