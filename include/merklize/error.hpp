#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <merklize/cxx20.h>
#include <merklize/export.h>

namespace merklize::inline v0 {

/// What went wrong, for programs. The text of an Error is for people and has the numbers and names.
enum class ErrorCode {
    invalid_argument = 1,  ///< the caller's value is outside what the function takes
    out_of_memory = 2,     ///< memory of the host or the device
    unavailable = 3,       ///< the device or instruction set that was named cannot be used here
    io = 4,                ///< a file could not be opened, read or written, or changed while being read
    cancelled = 5,         ///< the caller's progress function asked to stop
    internal = 6,          ///< a driver failed, or this library has a bug
};

/// The only exception type of the library. A call that throws leaves no half-written output, unless its documentation
/// says so.
class MERKLIZE_API Error : public std::runtime_error {
public:
    Error(ErrorCode code, const std::string& text) : std::runtime_error(text), code_(code) {}
    /// An io error from a system call.
    /// number  errno's value
    /// path    the file
    Error(ErrorCode code, const std::string& text, int number, std::string path)
        : std::runtime_error(text), code_(code), system_error_(number), path_(std::move(path)) {}
    /// An error of a call. The text is "call: rule", or the rule alone if `call` is empty.
    Error(ErrorCode code, std::string call, const std::string& rule)
        : std::runtime_error(call.empty() ? rule : call + ": " + rule), code_(code), call_(std::move(call)) {}

    /// An error of an argument of a call. The text is "call: argument rule".
    Error(ErrorCode code, std::string call, std::string argument, const std::string& rule)
        : Error(code, std::move(call), argument + ' ' + rule) {
        argument_ = std::move(argument);
    }

    ErrorCode code() const noexcept { return code_; }
    /// errno's value, or 0 if no system call failed.
    int system_error() const noexcept { return system_error_; }
    /// The file, or empty if it is not known.
    const std::string& path() const noexcept { return path_; }
    /// The function that was called, if the text begins with it; else empty.
    const std::string& call() const noexcept { return call_; }
    /// The argument that is wrong, if the rule does not name it itself; else empty.
    const std::string& argument() const noexcept { return argument_; }
    /// The text without the function and the argument: what is wrong, and how it should be.
    const char* rule() const noexcept {
        return what() + (call_.empty() ? 0 : call_.size() + 2) + (argument_.empty() ? 0 : argument_.size() + 1);
    }

private:
    ErrorCode code_;
    int system_error_ = 0;
    std::string path_;
    std::string call_, argument_;
};

}  // namespace merklize::inline v0
