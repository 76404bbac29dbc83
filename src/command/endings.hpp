#pragma once

#include <string>

/// How a command ends otherwise than by returning: thrown, and caught in main().
namespace merklize::command {

/// One line on standard error, exit code 1.
struct Failure {
    std::string text;
};

/// The command line is wrong: usage and text on standard error, exit code 2.
struct UsageError {
    std::string text;
};

/// This exit code, and nothing is said.
struct Exit {
    int code;
};

}  // namespace merklize::command
