#pragma once

#include <string_view>

#include "command/line/arguments.hpp"

namespace merklize::command {

/// Whether a word names an object of a store: "s3://...". "./a://b" is a file.
bool is_url(std::string_view word) noexcept;

/// Whether any file that a command line names is a URL.
/// errors  UsageError (the command, or an option of it, takes none; a word that was perhaps meant as one)
bool has_urls(const Command& command, const Arguments& arguments);

}  // namespace merklize::command
