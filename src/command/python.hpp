#pragma once

#include <string>
#include <vector>

namespace merklize::command {

/// Some commands are Python's: measuring needs NumPy, plots and other people's packages. Becomes `python -m merklize.cli NAME WORDS...`,
/// of the Python that MERKLIZE_PYTHON names, else of the one beside this program, else of python3 on the PATH.
/// name    "bench"; of a command of a group "manifest create"
/// errors  Failure (there is no Python). A Python without the package says so itself
[[noreturn]] void hand_over(const std::string& name, const std::vector<char*>& words);

}  // namespace merklize::command
