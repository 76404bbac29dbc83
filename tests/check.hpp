#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <iostream>
#include <optional>
#include <ranges>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

#include <merklize/error.hpp>

// The tests' own small harness: TEST("name") { CHECK(...); } in as many files as there are; check.cpp has main().
namespace check {

using Function = void (*)();

/// Adds a test to the list that main() runs. The result exists to initialise a static variable.
bool add(const char* name, Function function) noexcept;
/// Notes a failure of the running test. Safe to call from any thread.
void fail(const char* file, int line, std::string_view what);

/// A value as text: a digest in hexadecimal, a byte or an enumerator as a decimal number; "?" for a type without text.
template <class T>
std::string shown(const T& value) {
    std::ostringstream out;
    if constexpr (std::is_same_v<T, bool>) {
        out << (value ? "true" : "false");
    } else if constexpr (std::is_same_v<T, std::byte> || std::is_enum_v<T>) {
        out << +static_cast<std::underlying_type_t<T>>(value);
    } else if constexpr (std::is_integral_v<T> && sizeof(T) == 1) {
        out << +value;
    } else if constexpr (requires { value.hex(); }) {
        out << value.hex();
    } else if constexpr (requires { out << value; }) {
        out << value;
    } else {
        out << '?';
    }
    return out.str();
}

/// Around 40 characters of a text from `first` on, in quotation marks.
std::string excerpt(std::string_view text, std::size_t first);

template <class T>
concept Text = std::convertible_to<const T&, std::string_view>;
template <class T>
concept Nullable = requires(const T& t) {
    t.has_value();
    *t;
};
template <class T>
concept Items = std::ranges::range<const T> && !std::same_as<std::ranges::range_value_t<const T>, T>;  // no path
template <class T>
concept Serialized = requires(const T& t) { t.to_bytes(); };

/// Whether two ranges are equal because their bytes are. A comparison item by item would take most of the time of a
/// suite.
template <class A, class B>
bool same_bytes(const A& a, const B& b) {
    if constexpr (std::ranges::contiguous_range<const A> && std::ranges::contiguous_range<const B>) {
        using Item = std::ranges::range_value_t<const A>;
        if constexpr (std::same_as<Item, std::ranges::range_value_t<const B>> &&
                      std::has_unique_object_representations_v<Item>) {
            const std::size_t n = std::ranges::size(a);
            return n == std::ranges::size(b) &&
                   (n == 0 || std::memcmp(std::ranges::data(a), std::ranges::data(b), n * sizeof(Item)) == 0);
        }
    }
    return false;
}

/// Where two values first differ: "[2][7]: 3 against 4". Nothing if they are equal.
/// place  where the two values stand in the values that contain them
template <class A, class B>
std::optional<std::string> difference(const A& a, const B& b, const std::string& place = {}) {
    const std::string at = place.empty() ? place : place + ": ";
    if constexpr (Nullable<A> && Nullable<B>) {
        if (a.has_value() && b.has_value()) return difference(*a, *b, place);
        if (a.has_value() == b.has_value()) return std::nullopt;
        return at + (a.has_value() ? "a value against none" : "none against a value");
    } else if constexpr (Nullable<A>) {
        if (a.has_value()) return difference(*a, b, place);
        return at + "none against a value";
    } else if constexpr (Text<A> && Text<B>) {
        const std::string_view x = a, y = b;
        if (x == y) return std::nullopt;
        const auto first = static_cast<std::size_t>(std::ranges::mismatch(x, y).in1 - x.begin());
        return at + "[" + std::to_string(first) + "]: " + excerpt(x, first) + " against " + excerpt(y, first);
    } else if constexpr (Items<A> && Items<B>) {
        if (same_bytes(a, b)) return std::nullopt;
        std::size_t i = 0;
        auto x = std::ranges::begin(a);
        auto y = std::ranges::begin(b);
        for (; x != std::ranges::end(a) && y != std::ranges::end(b); ++x, ++y, ++i) {
            auto found = difference(*x, *y, place + "[" + std::to_string(i) + "]");
            if (!found) continue;
            const auto n = std::ranges::distance(a), m = std::ranges::distance(b);
            return n == m ? *found : *found + ", of " + std::to_string(n) + " against " + std::to_string(m) + " items";
        }
        const auto n = std::ranges::distance(a), m = std::ranges::distance(b);
        if (n == m) return std::nullopt;
        return at + std::to_string(n) + " against " + std::to_string(m) + " items, the first " + std::to_string(i) +
               " equal";
    } else {
        if (a == b) return std::nullopt;
        if constexpr (Serialized<A> && Serialized<B>) {
            if (auto found = difference(a.to_bytes(), b.to_bytes(), place)) return "to_bytes()" + *found;
        }
        return at + shown(a) + " against " + shown(b);
    }
}

template <class A, class B>
void equal(const char* file, int line, const char* text, const A& a, const B& b) {
    if (const auto found = difference(a, b)) fail(file, line, std::string(text) + ": " + *found);
}

/// The call must throw merklize::Error with this code and a text that holds `part`.
template <class Call>
void error(const char* file, int line, merklize::ErrorCode code, std::string_view part, Call&& call) {
    try {
        call();
    } catch (const merklize::Error& e) {
        const std::string_view text = e.what();
        if (e.code() == code && text.find(part) != text.npos) return;
        std::ostringstream out;
        out << "error " << static_cast<int>(e.code()) << " \"" << text << "\", not " << static_cast<int>(code)
            << " with \"" << part << '"';
        return fail(file, line, out.str());
    }
    fail(file, line, "no error, not even one with \"" + std::string(part) + '"');
}

}  // namespace check

#define TEST(name) TEST_NUMBER(name, __COUNTER__)
#define TEST_NUMBER(name, number) TEST_NAMES(name, number)
#define TEST_NAMES(name, number) TEST_FUNCTIONS(name, test_##number, added_##number)
#define TEST_FUNCTIONS(name, test, added)                              \
    static void test();                                                \
    [[maybe_unused]] static const bool added = check::add(name, test); \
    static void test()
#define CHECK(condition) ((condition) ? void() : check::fail(__FILE__, __LINE__, #condition))
#define CHECK_EQ(a, b) check::equal(__FILE__, __LINE__, #a " == " #b, a, b)
#define CHECK_ERROR(code, part, ...) \
    check::error(__FILE__, __LINE__, merklize::ErrorCode::code, part, [&] { (void)(__VA_ARGS__); })
