#pragma once

#include <string>
#include <vector>

namespace merklize::command {

/// Replaces the process by `python -m merklize WORDS...`, for commands that need Python: `bench` needs NumPy, plots and
/// packages of peers, and only Python opens URLs. The Python is that of MERKLIZE_PYTHON, else the one beside this
/// program, else python3 on the PATH. Modules of the working directory are not imported, unless an entry of PYTHONPATH
/// names it.
/// errors  Failure (there is no Python). A Python without the package reports that itself
[[noreturn]] void become_python(const std::vector<std::string>& words);

}  // namespace merklize::command
