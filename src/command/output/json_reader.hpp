#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace merklize::command::json {

/// A value that was read. Of a number only what is a whole one from 0 to 2^64 - 1 has a value; any other is `Other`.
struct Value;
using Members = std::vector<std::pair<std::string, Value>>;
using Items = std::vector<Value>;
struct Other {};  ///< null, true, false, another number

struct Value : std::variant<Other, std::uint64_t, std::string, Items, Members> {
    using variant::variant;
    template <class T>
    const T* as() const noexcept {
        return std::get_if<T>(this);
    }
};

/// Reads one value that is all of the text (RFC 8259); of two members with one name the last one counts.
/// errors  Failure (the text says what is wrong, and at which byte)
Value read(std::string_view text);

}  // namespace merklize::command::json
