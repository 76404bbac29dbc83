#include "texts/urls.hpp"

#include <algorithm>
#include <charconv>

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

// The :: between two URLs of a chain, or before names of caches and a URL (blockcache::s3://); not that of an address,
// nor one of the bytes that data: carries.
std::size_t end_of_part(std::string_view url) {
    if (equals(url.substr(0, 5), "data:")) return url.npos;
    for (std::size_t at = url.find("::"); at != url.npos;) {
        std::size_t end = at;
        while (url.substr(end, 2) == "::" && end + 2 < url.size() && is_letter(url[end + 2])) {
            end += 2;
            while (end < url.size() && (is_of_scheme(url[end]) || url[end] == '_')) end++;
        }
        if (end > at && url.substr(end, 3) == "://") return at;
        at = url.find("::", std::max(end, at + 1));
    }
    return url.npos;
}

constexpr std::string_view marks = "?;#&";   // query, parameters and fragment begin with one of these
constexpr std::string_view slashes = "/\\";  // some programs read https:\\host
constexpr std::string_view ends_host = "/\\?#";

// Where a query begins in a word that may be a path: a path may have the marks in a name, so a value must follow.
std::size_t query_of_path(std::string_view path) {
    const bool is_path = path.starts_with('/') || path.starts_with('.');
    const std::size_t mark = path.find_first_of(is_path ? "?" : marks), equal = path.rfind('=');
    return mark != path.npos && equal != path.npos && equal > mark + 1 ? mark : path.npos;
}

std::string without_query(std::string_view word, std::size_t mark) {
    return mark >= word.size() ? std::string(word) : std::string(word.substr(0, mark + 1)) + "...";
}

// Whether a host is an address in brackets, perhaps with a port. No user and no password look like one.
bool is_address(std::string_view host) {
    const std::size_t end = std::min(host.find(']'), host.size()), zone = std::min(host.find('%'), end);
    const std::string_view port = host.substr(std::min(end + 1, host.size()));
    const auto is_of_address = [](char c) {
        return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f') || c == ':' || c == '.';
    };
    return end < host.size() && host.starts_with('[') && std::ranges::count(host.substr(0, zone), ':') >= 2 &&
           std::ranges::all_of(host.substr(1, zone - 1), is_of_address) &&
           (port.empty() || (port[0] == ':' && std::ranges::all_of(port.substr(1), is_digit)));
}

// Server and path of a URL, without user and password.
// rest      what follows https://
// mark      where its query begins
// has_user  whether an @ follows anywhere
std::string shown_place(std::string_view rest, std::size_t mark, bool has_user) {
    const std::string_view place = rest.substr(0, mark), host = rest.substr(0, rest.find_first_of(ends_host));
    const std::size_t server = host.rfind('@') + 1, at = rest.rfind('@');
    const std::string_view name = host.substr(server, host.find_first_of(marks, server) - server);
    if (server <= place.size() && is_address(name)) return std::string(place.substr(server));
    const std::size_t colon = name.find(':');
    const bool is_number = colon != name.npos && std::ranges::all_of(name.substr(colon + 1), is_digit);
    if (server == 0 && (colon == name.npos || (is_number && !has_user))) return std::string(place);
    // A password with a mark or a / in it ends at the last @. A port, a path or a query with an @ may look like one:
    // then nobody knows where the host is.
    if (at >= place.size()) return "...";
    const bool is_known = server == 0 ? !is_number && rest.find('@') == at : at < server;
    const std::size_t path = std::min(place.find_first_of(slashes, at), place.size());
    return is_known && path > at + 1 ? std::string(place.substr(at + 1)) : "..." + std::string(place.substr(path));
}

// A part of a chain.
// has_user  whether an @ is in it or in a part behind it, whose :: may be one of a password
std::string shown_part(std::string_view url, bool has_user) {
    const std::size_t colon = url.find(is_url(url) ? "://" : ":");  // of jdbc:mysql://host the second one
    if (colon == url.npos) return std::string(behind_last(url.substr(0, url.find_first_of(marks)), '@'));
    const std::string_view scheme = behind_last(url.substr(0, colon), ':');
    const bool is_path = equals(scheme, "file") || equals(scheme, "local");
    const std::size_t all = std::min(url.find_first_not_of(slashes, colon + 1), url.size()) - colon - 1;
    const std::size_t n_slashes = is_path ? std::min<std::size_t>(all, 2) : all;  // a third one may be a slip
    const std::string begin(url.substr(0, colon + 1 + n_slashes));
    const std::string_view rest = url.substr(begin.size());
    if (equals(scheme, "data")) return begin + (rest.empty() ? "" : "...");
    if (is_path && rest.starts_with('/'))
        return begin + without_query(rest, std::min(rest.find('?'), query_of_path(rest)));
    const std::size_t user = rest.substr(0, rest.find_first_of(ends_host)).rfind('@');  // its name may have a mark
    const std::size_t mark = rest.find_first_of(marks, user == rest.npos ? 0 : user);
    return begin + shown_place(rest, mark, has_user) + (mark == rest.npos ? "" : std::string{rest[mark]} + "...");
}

// A word with every escape as its letter (%3A is a colon), no matter how often it was escaped.
std::string unescaped(std::string_view word) {
    std::string plain;
    for (const char letter : word) {
        plain += letter;
        while (plain.size() > 2 && plain[plain.size() - 3] == '%') {
            unsigned value = 0;
            const char* end = plain.data() + plain.size();
            if (std::from_chars(end - 2, end, value, 16).ptr != end || value <= ' ' || value > '~') break;
            plain.resize(plain.size() - 3);
            plain += static_cast<char>(value);
        }
    }
    return plain;
}

// What mask() shows of a word. Where escapes hide what a URL has, it is shown without them.
std::string also_unescaped(std::string_view word, std::string (*mask)(std::string_view)) {
    std::string shown = mask(word);
    if (shown.find('%') == shown.npos) return shown;
    const std::string plain = unescaped(shown);
    return mask(plain) == plain ? shown : mask(unescaped(word));
}

std::string shown_chain(std::string_view url) {
    std::string shown;
    for (std::size_t end = 0; end != url.npos; url.remove_prefix(end == url.npos ? url.size() : end + 2)) {
        end = end_of_part(url);
        shown += shown_part(url.substr(0, end), url.find('@') != url.npos) + (end == url.npos ? "" : "::");
    }
    return shown;
}

// The length of the scheme that a text begins with, or 0.
std::size_t scheme_at(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && is_of_scheme(text[end])) end++;
    return end > 0 && end < text.size() && is_letter(text[0]) && text[end] == ':' ? end : 0;
}

// A word without spaces and escapes. It may begin with a quote.
std::string masked_plain(std::string_view word) {
    std::size_t size = word.find_last_not_of(":,;)]") + 1;
    const std::size_t open = word.rfind('[');  // of an address
    if (size < word.size() && word[size] == ']' && open != word.npos && open > 0 &&
        (word[open - 1] == '/' || word[open - 1] == '@'))
        size++;
    const std::string_view body = word.substr(0, size), end = word.substr(size);
    const std::size_t bare = body.find("//");  // a host without a scheme, behind a bracket or a dash
    const auto is_mark = [](char c) { return !is_letter(c) && !is_digit(c); };
    if (bare != body.npos && std::ranges::all_of(body.substr(0, bare), is_mark) && body.find('@') != body.npos) {
        const std::size_t begin = std::min(body.find_first_not_of('/', bare), body.size());
        const std::string_view rest = body.substr(begin);
        return std::string(body.substr(0, begin)) + shown_place(rest, query_of_path(rest), true) + std::string(end);
    }
    for (std::size_t at = 0; at < body.size(); at++) {
        if (at > 0 && is_letter(body[at - 1])) continue;
        const std::string_view here = body.substr(at);
        const std::size_t scheme = scheme_at(here);
        if (scheme == 0) continue;
        const std::string_view rest = here.substr(scheme + 1);
        if (at > 0 && is_digit(body[at - 1]) && !rest.starts_with("//")) continue;
        const std::string_view behind = rest.substr(std::min(rest.find_first_not_of(slashes), rest.size()));
        const std::string_view host = behind.substr(0, behind.find_first_of(slashes));
        const bool has_user = host.find('@') != host.npos;
        const bool has_secret = has_user || rest.find('?') != rest.npos || query_of_path(rest) != rest.npos;
        if (scheme == 1 && (!has_user || behind.size() < rest.size())) continue;  // a drive, or a user of one letter
        if (rest.starts_with("//") || equals(here.substr(0, scheme), "data") || has_secret)
            return std::string(body.substr(0, at)) + shown_url(here) + std::string(end);
    }
    return without_query(body, query_of_path(body)) + std::string(end);
}

// A word without spaces.
std::string masked_word(std::string_view word) { return also_unescaped(word, masked_plain); }

}  // namespace

bool is_url(std::string_view word) noexcept {
    const std::size_t end = word.find("://");
    return end != word.npos && end != 0 && is_letter(word[0]) &&
           std::ranges::all_of(word.substr(0, end), [](char c) { return is_of_scheme(c) || c == ':'; });
}

std::string shown_url(std::string_view url) { return also_unescaped(url, shown_chain); }

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
