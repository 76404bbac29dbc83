#include "command/python.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "command/endings.hpp"
#include "command/libraries.hpp"

namespace merklize::command {
namespace {

// Python reports a missing package, because only Python knows which packages it has. `python -c` looks for modules in
// the working directory first, so what lies there would run: a downloaded folder may have a json.py. PYTHONSAFEPATH
// keeps that folder out from Python 3.11 on; before, this text takes it out, and no module but the built-in `sys` is
// imported until then.
constexpr char start[] =
    "import sys\n"
    "if not (sys.flags.isolated or getattr(sys.flags, 'safe_path', False)): del sys.path[0]\n"
    "try:\n"
    "    from merklize.__main__ import main\n"
    "except ImportError as error:\n"
    "    sys.exit(f'merklize: {sys.argv[1]} is a command of the Python package: pip install merklize ({error})')\n"
    "main()\n";

// The entries of a list of folders, such as PATH.
std::vector<std::string> folders_of(std::string_view list) {
    std::vector<std::string> folders;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t end = std::min(list.find(':', at), list.size());
        folders.emplace_back(list.substr(at, end - at));
        at = end + 1;
    }
    return folders;
}

// A program of that name on the PATH. Folders that depend on the working directory, such as empty ones, do not count.
std::string on_path(const std::string& name) {
    const char* path = std::getenv("PATH");
    for (const std::string& folder : folders_of(path == nullptr ? "/usr/bin:/bin" : path)) {
        const std::string program = std::filesystem::path(folder) / name;
        if (folder.starts_with('/') && access(program.c_str(), X_OK) == 0) return program;
    }
    return {};
}

std::string python() {
    const char* named = std::getenv("MERKLIZE_PYTHON");
    if (named != nullptr && *named != 0) return named;
    const std::string beside = (python_environment() / "bin" / "python3").string();
    return access(beside.c_str(), X_OK) == 0 ? beside : "python3";
}

// Python takes an empty entry of PYTHONPATH, which `PYTHONPATH=$PYTHONPATH:/more` easily makes, as the working
// directory.
void drop_empty_entries() {
    const char* list = std::getenv("PYTHONPATH");
    if (list == nullptr) return;
    std::string kept;
    for (const std::string& folder : folders_of(list)) {
        if (!folder.empty()) kept += (kept.empty() ? "" : ":") + folder;
    }
    setenv("PYTHONPATH", kept.c_str(), 1);
}

}  // namespace

void become_python(const std::vector<std::string>& words) {
    const std::string named = python();
    const std::string program = named.find('/') == named.npos ? on_path(named) : named;
    std::vector<char*> argv;
    for (const char* word : {program.c_str(), "-c", start}) argv.push_back(const_cast<char*>(word));
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    std::signal(SIGPIPE, SIG_DFL);
    std::signal(SIGXFSZ, SIG_DFL);
    setenv("PYTHONSAFEPATH", "1", 1);
    drop_empty_entries();
    execv(argv[0], argv.data());
    throw Failure{words[0] + " is a command of the Python package, and " + named +
                  " cannot be run: " + strerror(errno) + "; MERKLIZE_PYTHON names another Python"};
}

}  // namespace merklize::command
