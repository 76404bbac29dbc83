#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace merklize::json {

/// Writes JSON, with the spaces of Python's json.dumps(). A value is its text.

/// How characters beyond ASCII are written.
enum class Characters { escaped, as_they_are };
/// A string in quotes.
/// value  UTF-8
std::string text(std::string_view value, Characters characters = Characters::escaped);
/// The shortest text from which the same number is read.
std::string number(double value);

/// {"name": value, ...}
class Object {
public:
    Object& put(std::string_view name, const std::string& value);  ///< any JSON
    Object& text(std::string_view name, std::string_view value) { return put(name, json::text(value)); }
    /// The name of a file. If it is not UTF-8, its bytes follow as "<key>_hex".
    Object& name(std::string_view key, std::string_view bytes);
    template <class Number>
        requires std::is_arithmetic_v<Number>
    Object& number(std::string_view name, Number value) {
        if constexpr (std::is_same_v<Number, bool>) return put(name, value ? "true" : "false");
        if constexpr (std::is_floating_point_v<Number>) return put(name, json::number(value));
        return put(name, std::to_string(value));
    }
    std::string done() const { return "{" + members_ + "}"; }

private:
    std::string members_;
};

/// [value, ...]
class Array {
public:
    Array& put(const std::string& value) {
        items_ += (items_.empty() ? "" : ", ") + value;
        return *this;
    }
    std::string done() const { return "[" + items_ + "]"; }

private:
    std::string items_;
};

/// The same value, with one line for each member.
/// width  spaces for each depth
std::string indented(std::string_view json, std::size_t width = 2);

}  // namespace merklize::json
