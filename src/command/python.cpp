#include "command/python.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "command/endings.hpp"
#include "command/libraries.hpp"

namespace merklize::command {
namespace {

// The answer to a missing package belongs to Python: only it knows what is there.
constexpr char start[] =
    "import sys\n"
    "try:\n"
    "    from merklize.cli import main\n"
    "except ImportError as error:\n"
    "    sys.exit(f'merklize: {sys.argv[1]} is a command of the Python package: pip install \"merklize[cli]\" "
    "({error})')\n"
    "main()\n";

std::string python() {
    if (const char* named = std::getenv("MERKLIZE_PYTHON"); named != nullptr && *named != 0) return named;
    const std::string beside = (python_environment() / "bin" / "python3").string();
    return access(beside.c_str(), X_OK) == 0 ? beside : "python3";
}

}  // namespace

bool is_url(std::string_view word) noexcept {
    const std::size_t end = word.find("://");
    const auto is_letter = [](char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; };
    return end != word.npos && end != 0 && is_letter(word[0]) && std::ranges::all_of(word.substr(0, end), [&](char c) {
               return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == ':';
           });
}

void hand_over(const std::string& name, std::vector<std::string> words) {
    const std::string program = python();
    std::vector<char*> argv;
    std::vector<std::string> names;
    for (std::size_t at = 0, end = 0; end != name.npos; at = end + 1) {
        end = name.find(' ', at);
        names.push_back(name.substr(at, end - at));
    }
    for (const char* word : {program.c_str(), "-c", start}) argv.push_back(const_cast<char*>(word));
    for (std::string& word : names) argv.push_back(word.data());
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::signal(SIGPIPE, SIG_DFL);
    std::signal(SIGXFSZ, SIG_DFL);
    execvp(argv[0], argv.data());
    throw Failure{name + " is a command of the Python package, and " + program + " cannot be run: " + strerror(errno) +
                  "; MERKLIZE_PYTHON names another one"};
}

}  // namespace merklize::command
