#pragma once

#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>

#include <merklize/cxx20.h>

namespace merklize::inline v0 {

/// A type of one byte: std::byte, a character, std::uint8_t.
template <class T>
concept Byte = sizeof(T) == 1 && (std::same_as<T, std::byte> || (std::integral<T> && !std::same_as<T, bool>));

/// Bytes of host memory that a call reads: a text, or any contiguous range of bytes, such as std::string,
/// std::vector<std::uint8_t> and std::span<const std::byte>. Such a range converts to a ByteView in a call, which keeps
/// it no longer than it runs.
class ByteView : public std::span<const std::byte> {
public:
    constexpr ByteView() noexcept = default;
    /// A text up to its zero byte.
    ByteView(const char* text) noexcept : ByteView(std::string_view(text)) {}  // NOLINT: implicit, as spans are
    ByteView(std::nullptr_t) = delete;                                         ///< no text: it would be read
    template <std::ranges::contiguous_range Range>
        requires std::ranges::sized_range<Range> && Byte<std::ranges::range_value_t<Range>> &&
                 (!std::is_array_v<std::remove_cvref_t<Range>> ||
                  !std::same_as<std::ranges::range_value_t<Range>, char>)
    ByteView(const Range& range) noexcept  // NOLINT: implicit, as spans are
        : span(std::as_bytes(std::span(std::ranges::data(range), std::ranges::size(range)))) {}
    template <Byte T>
    ByteView(const T* first, std::size_t count) noexcept : span(std::as_bytes(std::span(first, count))) {}
};

}  // namespace merklize::inline v0
