#pragma once

#include <exception>
#include <string>
#include <utility>

/// Exceptions that end a command; run() catches them.
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

/// The command line is wrong: the usage and the text on standard error, exit code 2.
class UsageError : public TextError {
    using TextError::TextError;
};

/// This exit code, without a text.
class Exit : public std::exception {
public:
    explicit Exit(int with) : code(with) {}

    const int code;
};

}  // namespace merklize::command
