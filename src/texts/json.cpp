#include "texts/json.hpp"

#include <charconv>
#include <cstdio>

#include "texts/text.hpp"

namespace merklize::json {

using namespace texts;

std::string text(std::string_view value, Characters characters) {
    std::string quoted = "\"";
    const auto escape = [&](unsigned unit) {
        char digits[12];
        std::snprintf(digits, sizeof digits, "\\u%04x", unit);
        quoted += digits;
    };
    for (std::size_t wrong = 0; !value.empty();) {
        const std::string_view character = value.substr(0, character_at(value, wrong));
        const std::size_t length = character.empty() ? wrong : character.size();
        const char32_t c = character.empty() ? 0xfffd : code_point(character);
        value.remove_prefix(length);
        switch (c) {
            case '"': quoted += "\\\""; break;
            case '\\': quoted += "\\\\"; break;
            case '\n': quoted += "\\n"; break;
            case '\r': quoted += "\\r"; break;
            case '\t': quoted += "\\t"; break;
            case '\b': quoted += "\\b"; break;
            case '\f': quoted += "\\f"; break;
            default:
                if (c >= 0x20 && c < 0x7f) {
                    quoted += static_cast<char>(c);
                } else if (c >= 0x7f && characters == Characters::as_they_are) {
                    quoted += character.empty() ? "\ufffd" : character;
                } else if (c < 0x10000) {
                    escape(c);
                } else {
                    escape(0xd800 + ((c - 0x10000) >> 10));
                    escape(0xdc00 + ((c - 0x10000) & 0x3ff));
                }
        }
    }
    return quoted + "\"";
}

std::string number(double value) {
    char digits[64];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return {digits, end};
}

Object& Object::put(std::string_view name, const std::string& value) {
    members_ += (members_.empty() ? "" : ", ") + json::text(name) + ": " + value;
    return *this;
}

std::string indented(std::string_view json, std::size_t width) {
    std::string lines;
    std::size_t depth = 0;
    bool quoted = false;
    const auto new_line = [&] { lines += "\n" + std::string(width * depth, ' '); };
    for (std::size_t i = 0; i < json.size(); i++) {
        const char c = json[i];
        if (quoted) {
            lines += c;
            if (c == '\\') lines += json[++i];
            if (c == '"') quoted = false;
            continue;
        }
        quoted = c == '"';
        const bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
        if (opens && json[i + 1] == (c == '{' ? '}' : ']')) {
            lines += json.substr(i++, 2);
            continue;
        }
        if (closes) depth--, new_line();
        if (c != ' ' || lines.ends_with(':')) lines += c;
        if (opens) depth++;
        if (opens || c == ',') new_line();
    }
    return lines;
}

Object& Object::name(std::string_view key, std::string_view bytes) {
    text(key, display(bytes));
    return is_utf8(bytes) ? *this : text(std::string(key) + "_hex", to_hex(std::as_bytes(std::span(bytes))));
}

}  // namespace merklize::json
