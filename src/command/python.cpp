#include "command/python.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "command/endings.hpp"
#include "command/libraries.hpp"

namespace merklize::command {
namespace {

// Python reports a missing package, because only Python knows which packages it has.
constexpr char start[] =
    "import sys\n"
    "try:\n"
    "    from merklize.__main__ import main\n"
    "except ImportError as error:\n"
    "    sys.exit(f'merklize: {sys.argv[1]} is a command of the Python package: pip install merklize ({error})')\n"
    "main()\n";

std::string python() {
    if (const char* named = std::getenv("MERKLIZE_PYTHON"); named != nullptr && *named != 0) return named;
    const std::string beside = (python_environment() / "bin" / "python3").string();
    return access(beside.c_str(), X_OK) == 0 ? beside : "python3";
}

}  // namespace

void become_python(const std::vector<std::string>& words) {
    const std::string program = python();
    std::vector<char*> argv;
    for (const char* word : {program.c_str(), "-c", start}) argv.push_back(const_cast<char*>(word));
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    std::signal(SIGPIPE, SIG_DFL);
    std::signal(SIGXFSZ, SIG_DFL);
    execvp(argv[0], argv.data());
    throw Failure{words[0] + " is a command of the Python package, and " + program +
                  " cannot be run: " + strerror(errno) + "; MERKLIZE_PYTHON names another one"};
}

}  // namespace merklize::command
