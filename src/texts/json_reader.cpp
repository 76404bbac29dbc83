#include "texts/json_reader.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "host/invalid.hpp"
#include "texts/text.hpp"

namespace merklize::json {

using namespace texts;

namespace {

constexpr unsigned most_depth = 100;

class Reader {
public:
    Reader(std::string_view text, std::size_t most_separators) : text_(text), most_separators_(most_separators) {}

    Value whole() {
        Value found = value(0);
        skip_space();
        if (at_ != text_.size()) fail("something follows the value");
        return found;
    }

private:
    [[noreturn]] void fail(const char* what) const {
        invalid(std::string("not JSON: ") + what + " at byte " + std::to_string(at_));
    }

    void skip_space() {
        while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos) at_++;
    }

    char peek() {
        skip_space();
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    bool take(char c) {
        if (peek() != c) return false;
        at_++;
        return true;
    }

    void count_separator() {
        if (++separators_ <= most_separators_) return;
        invalid("it must have at most " + std::to_string(most_separators_) + " commas and opening brackets");
    }

    bool take_comma() {
        if (!take(',')) return false;
        count_separator();
        return true;
    }

    void open(unsigned depth) {
        if (depth == most_depth) invalid("nested more than " + std::to_string(most_depth) + " deep");
        count_separator();
        at_++;
    }

    Value value(unsigned depth) {
        switch (peek()) {
            case '{': return members(depth);
            case '[': return items(depth);
            case '"': return string();
            case 't': return word("true");
            case 'f': return word("false");
            case 'n': return word("null");
            default: return number();
        }
    }

    Value word(std::string_view wanted) {
        if (!text_.substr(at_).starts_with(wanted)) fail("no value");
        at_ += wanted.size();
        return Other{std::string(wanted)};
    }

    Value items(unsigned depth) {
        Items found;
        open(depth);
        if (take(']')) return found;
        do {
            found.push_back(value(depth + 1));
        } while (take_comma());
        if (!take(']')) fail("neither , nor ]");
        return found;
    }

    Value members(unsigned depth) {
        Members found;
        open(depth);
        if (take('}')) return found;
        do {
            if (peek() != '"') fail("no name");
            std::string name = string();
            if (!take(':')) fail("no :");
            Value one = value(depth + 1);
            found.emplace_back(std::move(name), std::move(one));
        } while (take_comma());
        if (!take('}')) fail("neither , nor }");
        require_no_doubles(found);
        return found;
    }

    static void require_no_doubles(const Members& members) {
        std::vector<std::string_view> names;
        names.reserve(members.size());
        for (const auto& [name, _] : members) names.push_back(name);
        std::ranges::sort(names);
        if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
            invalid("the key '" + cut(sentence(*twice)) + "' is there twice");
    }

    Value number() {
        const std::size_t begin = at_;
        const auto digits = [&] {
            const std::size_t first = at_;
            while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') at_++;
            if (at_ == first) fail("no value");
            return at_ - first;
        };
        const auto take_sign = [&](std::string_view signs) {
            if (at_ < text_.size() && signs.find(text_[at_]) != signs.npos) at_++;
        };
        take_sign("-");
        const std::size_t first = at_;
        if (digits() > 1 && text_[first] == '0') fail("a zero before a number");
        bool is_whole = begin == first;
        if (at_ < text_.size() && text_[at_] == '.') {
            is_whole = false;
            at_++;
            digits();
        }
        if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
            is_whole = false;
            at_++;
            take_sign("+-");
            digits();
        }
        std::uint64_t found = 0;
        const auto [end, error] = std::from_chars(text_.data() + begin, text_.data() + at_, found);
        if (!is_whole || error != std::errc()) return Other{std::string(text_.substr(begin, at_ - begin))};
        return found;
    }

    unsigned hex4() {
        unsigned unit = 0;
        const std::string_view digits = text_.substr(at_, 4);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
        if (digits.size() != 4 || error != std::errc() || end != digits.data() + 4) fail("no four digits behind \\u");
        at_ += 4;
        return unit;
    }

    static void append(std::string& out, char32_t c) {
        const auto more = [&](unsigned shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
        if (c < 0x80) {
            out += static_cast<char>(c);
        } else if (c < 0x800) {
            out += static_cast<char>(0xc0 | c >> 6), more(0);
        } else if (c < 0x10000) {
            out += static_cast<char>(0xe0 | c >> 12), more(6), more(0);
        } else {
            out += static_cast<char>(0xf0 | c >> 18), more(12), more(6), more(0);
        }
    }

    std::string string() {
        std::string out;
        at_++;
        for (;;) {
            if (at_ == text_.size()) fail("the text ends in a string");
            const char c = text_[at_++];
            if (c == '"') return out;
            if (static_cast<unsigned char>(c) < 0x20) fail("a control character in a string");
            if (c != '\\') {
                out += c;
                continue;
            }
            constexpr std::string_view escapes = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
            const char next = at_ < text_.size() ? text_[at_++] : '\0';
            if (const std::size_t which = escapes.find(next); next != 0 && which != escapes.npos) {
                out += meant[which];
            } else if (next == 'u') {
                char32_t point = hex4();
                if (point >= 0xd800 && point < 0xdc00 && text_.substr(at_, 2) == "\\u") {
                    at_ += 2;
                    const unsigned low = hex4();
                    if (low >= 0xdc00 && low < 0xe000) point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
                }
                if (point >= 0xd800 && point < 0xe000) fail("half of a surrogate pair");
                append(out, point);
            } else {
                fail("an unknown escape");
            }
        }
    }

    std::string_view text_;
    std::size_t at_ = 0, separators_ = 0, most_separators_;
};

}  // namespace

Value read(std::string_view text, std::size_t most_separators) {
    if (const std::string_view kind = foreign_kind(text); !kind.empty())
        invalid("not JSON: it is " + std::string(kind));
    for (std::size_t at = 0, wrong = 0; at < text.size();) {
        const std::size_t length = character_at(text.substr(at), wrong);
        if (length == 0) invalid("must be UTF-8, byte " + std::to_string(at) + " is not");
        at += length;
    }
    return Reader(text, most_separators).whole();
}

Value read_text(std::string_view text) {
    try {
        return read(text);
    } catch (const Error& error) {
        const std::string reason(error.rule());
        invalid(reason.starts_with("not JSON") ? reason : "not JSON: " + reason);
    }
}

std::string shown(const Value* value) {
    if (value == nullptr) return "nothing";
    if (const auto* text = value->as<std::string>()) return texts::in_quotes(*text);
    if (const auto* number = value->as<std::uint64_t>()) return std::to_string(*number);
    if (const auto* other = value->as<Other>()) return texts::cut(other->text);
    return value->as<Items>() != nullptr ? "a list" : "an object";
}

bool Prefix::open(bool is_list) noexcept {
    if (depth_ == most_depth) return false;
    is_list_[depth_++] = is_list;
    want_ = is_list ? Want::value_or_end : Want::name_or_end;
    return true;
}

bool Prefix::close(bool is_list) noexcept {
    if (is_list_[depth_ - 1] != is_list) return false;
    want_ = --depth_ == 0 ? Want::nothing : Want::comma_or_end;
    return true;
}

bool Prefix::end_token() noexcept {
    token_ = Token::none;
    want_ = is_name_ ? Want::colon : Want::comma_or_end;
    return true;
}

// The first character of a token.
bool Prefix::begin(char c) noexcept {
    const bool is_value = want_ == Want::value || want_ == Want::value_or_end;
    is_name_ = want_ == Want::name || want_ == Want::name_or_end;
    white_ = 0;
    switch (c) {
        case '{': return (is_value || want_ == Want::object) && open(false);
        case '[': return is_value && open(true);
        case '}': return (want_ == Want::name_or_end || want_ == Want::comma_or_end) && close(false);
        case ']': return (want_ == Want::value_or_end || want_ == Want::comma_or_end) && close(true);
        case ':': return std::exchange(want_, Want::value) == Want::colon;
        case ',':
            return std::exchange(want_, is_list_[depth_ - (depth_ > 0)] ? Want::value : Want::name) ==
                   Want::comma_or_end;
        case '"': token_ = Token::string; return is_value || is_name_;
        case 't': word_ = "rue"; break;
        case 'f': word_ = "alse"; break;
        case 'n': word_ = "ull"; break;
        default: token_ = Token::number; return is_value && (c == '-' || (c >= '0' && c <= '9'));
    }
    token_ = Token::word;
    return is_value;
}

bool Prefix::take(char c) noexcept {
    constexpr std::size_t most_white = 64 << 10;
    constexpr std::string_view escapes = "\"\\/bfnrtu", of_numbers = "0123456789+-.eE", white = " \t\n\r";
    switch (token_) {
        case Token::none: break;
        case Token::escape: token_ = Token::string; return escapes.find(c) != escapes.npos;
        case Token::string:
            if (c == '"') return end_token();
            if (c == '\\') token_ = Token::escape;
            return static_cast<unsigned char>(c) >= ' ';
        case Token::word:
            if (c != word_[0]) return false;
            word_.remove_prefix(1);
            return !word_.empty() || end_token();
        case Token::number:
            if (of_numbers.find(c) != of_numbers.npos) return true;
            end_token();  // the character belongs to the next token
    }
    if (white.find(c) == white.npos) return begin(c);
    return (want_ != Want::object && want_ != Want::name_or_end) || ++white_ <= most_white;
}

bool Prefix::take(std::string_view more) noexcept {
    return std::ranges::all_of(more, [this](char c) { return take(c); });
}

std::string SizeLimit::text() const {
    return "must have at most " + std::to_string(most) + " bytes, got more" +
           (has_size ? "" : "; longer ones must be in a file, whose size is known");
}

const Value* find(const Members& members, std::string_view name) noexcept {
    const auto found = std::ranges::find(members, name, &Members::value_type::first);
    return found == members.end() ? nullptr : &found->second;
}

}  // namespace merklize::json
