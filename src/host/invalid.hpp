#pragma once

#include <string>
#include <string_view>

#include "merklize/error.hpp"

namespace merklize::inline v0 {

[[noreturn]] inline void invalid(const std::string& text) { throw Error(ErrorCode::invalid_argument, text); }

/// The text begins with the function that the user called.
[[noreturn]] inline void invalid(std::string_view function, const std::string& text) {
    invalid(std::string(function) + ": " + text);
}

}  // namespace merklize::inline v0
