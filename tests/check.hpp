#pragma once

#include <iostream>
#include <sstream>
#include <string_view>

#include <merklize/error.hpp>

// The tests' own small harness: TEST("name") { CHECK(...); } in as many files as there are; check.cpp has main().
namespace check {

using Function = void (*)();

/// Adds a test to the list that main() runs; the value only serves to initialise a static.
bool add(const char* name, Function function) noexcept;
/// Notes a failure of the running test. Safe to call from any thread.
void fail(const char* file, int line, std::string_view what);

template <class A, class B>
void equal(const char* file, int line, const char* text, const A& a, const B& b) {
    if (a == b) return;
    std::ostringstream out;
    out << text;
    if constexpr (requires { out << a << b; }) out << ": " << a << " against " << b;
    if constexpr (requires {
                      a.hex();
                      b.hex();
                  })
        out << ": " << a.hex() << " against " << b.hex();
    fail(file, line, out.str());
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

#define CHECK_JOIN2(a, b) a##b
#define CHECK_JOIN(a, b) CHECK_JOIN2(a, b)
#define TEST(name)                                                                                                   \
    static void CHECK_JOIN(test_, __LINE__)();                                                                       \
    [[maybe_unused]] static const bool CHECK_JOIN(added_, __LINE__) = check::add(name, CHECK_JOIN(test_, __LINE__)); \
    static void CHECK_JOIN(test_, __LINE__)()
#define CHECK(condition) ((condition) ? void() : check::fail(__FILE__, __LINE__, #condition))
#define CHECK_EQ(a, b) check::equal(__FILE__, __LINE__, #a " == " #b, a, b)
#define CHECK_ERROR(code, part, ...) \
    check::error(__FILE__, __LINE__, merklize::ErrorCode::code, part, [&] { (void)(__VA_ARGS__); })
