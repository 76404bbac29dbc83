#pragma once

#include <stdexcept>
#include <string>

namespace merklize {

/// What went wrong, for programs; the text is for people and holds the numbers and names.
enum class ErrorCode {
    invalid_argument = 1,  ///< the caller's value is outside what the function takes
    out_of_memory = 2,     ///< memory of the host or the device
    unavailable = 3,       ///< a device or instruction set asked for by name is not there
    io = 4,                ///< a file could not be opened, read or written, or changed while being read
    cancelled = 5,         ///< the caller's progress function asked to stop
    internal = 6,          ///< a driver failed, or a fault of this library
};

/// The one exception type of the library. Nothing that it reports leaves half-written output behind, unless a function
/// says so.
class Error : public std::runtime_error {
public:
    Error(ErrorCode code, const std::string& text) : std::runtime_error(text), code_(code) {}
    ErrorCode code() const noexcept { return code_; }

private:
    ErrorCode code_;
};

}  // namespace merklize
