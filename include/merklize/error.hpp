#pragma once

#include <stdexcept>
#include <string>
#include <utility>

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
    /// io: what the system refused.
    /// number  errno's value;  path  the file
    Error(ErrorCode code, const std::string& text, int number, std::string path)
        : std::runtime_error(text), code_(code), system_error_(number), path_(std::move(path)) {}

    ErrorCode code() const noexcept { return code_; }
    /// errno's value, or 0: the system refused nothing.
    int system_error() const noexcept { return system_error_; }
    /// The file, or empty: not known.
    const std::string& path() const noexcept { return path_; }

private:
    ErrorCode code_;
    int system_error_ = 0;
    std::string path_;
};

}  // namespace merklize
