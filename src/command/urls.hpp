#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "command/call.hpp"
#include "command/line/arguments.hpp"

namespace merklize::command {

/// Whether a word names an object of a store: "s3://...". "./a://b" is a file.
bool is_url(std::string_view word) noexcept;
/// The path that a URL such as file:///data/x names; any other word as it is.
/// errors  UsageError (a URL that names a file of another machine)
std::string local_name(const std::string& word);

/// Whether any file that a command line names is a URL.
/// errors  UsageError (the command, or an option of it, takes none; a word that was perhaps meant as one)
bool has_urls(const Command& command, const Arguments& arguments);

/// The name of an input as texts may show it.
std::string shown_name(Call& call, const std::string& word);
/// A file, an object of a store, or standard input for "-".
std::unique_ptr<runtime::ByteSource> open_input(Call& call, const std::string& word);
/// All of it, or more than `most` bytes.
std::vector<std::byte> read_all(Call& call, const runtime::ByteSource& source, std::size_t most = SIZE_MAX);

}  // namespace merklize::command
