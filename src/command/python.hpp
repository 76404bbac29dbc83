#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace merklize::command {

/// Whether a word names an object of a store: "s3://...". "./a://b" is a file.
bool is_url(std::string_view word) noexcept;

/// Some commands are Python's: measuring needs NumPy, plots and other people's packages. Becomes `python -m merklize.cli NAME WORDS...`,
/// of the Python that MERKLIZE_PYTHON names, else of the one beside this program, else of python3 on the PATH.
/// name    "bench"; of a command of a group "manifest create"
/// errors  Failure (there is no Python). A Python without the package says so itself
[[noreturn]] void hand_over(const std::string& name, std::vector<std::string> words);

}  // namespace merklize::command
