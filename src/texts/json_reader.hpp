#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace merklize::json {

/// A value that was read. Whole numbers from 0 to 2^64 - 1 have a value; all other numbers are `Other`.
struct Value;
using Members = std::vector<std::pair<std::string, Value>>;
using Items = std::vector<Value>;
/// null, true, false, another number
struct Other {
    std::string text{};  ///< as it was written
};

struct Value : std::variant<Other, std::uint64_t, std::string, Items, Members> {
    using variant::variant;
    template <class T>
    const T* as() const noexcept {
        return std::get_if<T>(this);
    }
};

/// Reads one value, which must be the whole text (RFC 8259). What readers take in different ways is an error: two
/// members of one name (also by escapes), half of a surrogate pair, a mark of the order of bytes. Values are nested at
/// most 100 deep.
/// most_separators  limit of commas and opening brackets, because memory grows with them
/// errors           invalid_argument (the text says what is wrong, and at which byte)
/// cost             proportional to the text, and n log n of an object's n members
Value read(std::string_view text, std::size_t most_separators = SIZE_MAX);

/// read(), whose every error begins with "not JSON".
Value read_text(std::string_view text);

/// A value as errors quote it, in JSON's words; null: "nothing".
std::string shown(const Value* value);

/// Whether a text that is read piece by piece may be an object: it begins with a brace, and a quote or another brace,
/// with at most 64 KiB of white space before each, and has no control characters. A reader need not go on where it is
/// none.
/// begin    what has been read
/// checked  characters of it that were there in the call before
bool may_be_object(std::string_view begin, std::size_t checked) noexcept;

/// The member of that name, or null.
const Value* find(const Members& members, std::string_view name) noexcept;

}  // namespace merklize::json
