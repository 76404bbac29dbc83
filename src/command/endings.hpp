#pragma once

#include <exception>
#include <string>
#include <utility>

/// How a command ends otherwise than by returning: thrown, and caught in main().
namespace merklize::command {

class TextError : public std::exception {
public:
    explicit TextError(std::string said) : text(std::move(said)) {}
    const char* what() const noexcept override { return text.c_str(); }

    const std::string text;
};

/// One line on standard error, exit code 1.
class Failure : public TextError {
    using TextError::TextError;
};

/// The command line is wrong: usage and text on standard error, exit code 2.
class UsageError : public TextError {
    using TextError::TextError;
};

/// This exit code, and nothing is said.
class Exit : public std::exception {
public:
    explicit Exit(int with) : code(with) {}

    const int code;
};

}  // namespace merklize::command
