#pragma once

#include <string>

#include "command/line/table.hpp"

namespace merklize::command {

/// Texts that are made from the table of commands.

/// "Usage: merklize tree build [OPTIONS] INPUT"
std::string usage_line(const Command& command, const std::string& usage_name);
/// --help, as wide as the terminal, 40 to 80 columns.
std::string help_text(const Command& command, const std::string& usage_name, std::size_t columns);
/// The text of an option with {hashes} and {formats} replaced by the names.
std::string expanded(std::string_view text);

std::string bash_completions();
std::string zsh_completions();
std::string fish_completions();
/// In the macros of man(7).
std::string manual_page();

}  // namespace merklize::command
