#pragma once

#include <string>
#include <vector>

namespace merklize::command {

/// Some commands are Python's: measuring needs NumPy, plots and other people's packages; and Python alone opens URLs. Becomes
/// `python -m merklize WORDS...`, of the Python that MERKLIZE_PYTHON names, else of the one beside this program, else of python3 on the
/// PATH.
/// errors  Failure (there is no Python). A Python without the package says so itself
[[noreturn]] void become_python(const std::vector<std::string>& words);

}  // namespace merklize::command
