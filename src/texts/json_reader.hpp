#pragma once

#include <bitset>
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

/// Reads one value, which must be the whole text (RFC 8259). What other readers read in different ways is an error: two
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

/// Takes a text piece by piece, and says at the first possible character that read() would refuse the text, or that it
/// is no object. So most inputs without an end are refused early. White space before the first members is 64 KiB at
/// most.
class Prefix {
public:
    /// Takes the next piece. False: read() would refuse the text, or it is no object. Allocates nothing.
    bool take(std::string_view more) noexcept;

private:
    enum class Want : std::uint8_t { object, value, value_or_end, name, name_or_end, colon, comma_or_end, nothing };
    enum class Token : std::uint8_t { none, string, escape, word, number };

    bool take(char c) noexcept;
    bool begin(char c) noexcept;
    bool open(bool is_list) noexcept;
    bool close(bool is_list) noexcept;
    bool end_token() noexcept;

    Want want_ = Want::object;
    Token token_ = Token::none;
    bool is_name_ = false;
    std::string_view word_{};  // what is left of true, false or null
    std::bitset<128> is_list_{};
    std::size_t depth_ = 0, white_ = 0;
};

/// Bytes of the longest document that is read from a source without a size: a pipe, a device, a server that states
/// none. Such a document may have no end, although every byte fits.
inline constexpr std::uint64_t most_streamed = std::uint64_t{32} << 20;

/// How long a document may be.
struct SizeLimit {
    bool has_size;       ///< the size is known before the document is read
    std::uint64_t most;  ///< bytes

    SizeLimit(bool is_size_known, std::uint64_t most_with_size) noexcept
        : has_size(is_size_known), most(is_size_known ? most_with_size : most_streamed) {}
    /// What an error says of a longer document.
    std::string text() const;
};

/// The member of that name, or null.
const Value* find(const Members& members, std::string_view name) noexcept;

}  // namespace merklize::json
