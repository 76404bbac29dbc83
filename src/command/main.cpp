// The command `merklize`: finds the command in the table, runs it, and turns what can go wrong into a line and an exit code.
#include <unistd.h>
#include <algorithm>
#include <cctype>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "command/endings.hpp"
#include "command/line/arguments.hpp"
#include "command/line/help.hpp"
#include "command/output/output.hpp"
#include "command/output/progress.hpp"
#include "command/output/streams.hpp"
#include "command/python.hpp"
#include "command/settings.hpp"
#include "host/mapped_file.hpp"
#include "jobs/progress.hpp"
#include "merklize/version.h"
#include "texts/json.hpp"

namespace merklize::command {
namespace {

// Whether the command line has the flag --json: answers are JSON then, and so is the error that comes instead of one.
bool wants_json = false;

void note_json(const Command& command, const std::vector<char*>& words) {
    const Option* option = find_option(command, "json");
    const auto is = [](const char* text) { return [text](const char* word) { return std::strcmp(word, text) == 0; }; };
    const auto end = std::ranges::find_if(words, is("--"));
    wants_json = option != nullptr && option->value.empty() && std::any_of(words.begin(), end, is("--json"));
}

void answer_error(const std::string& text) {
    if (!wants_json || has_written()) return;
    line(json::Object().text("error", text).done());
    flush();
}

int wrong_usage(const Command& command, const std::string& name, const std::string& text) {
    answer_error(text);
    flush();
    const std::string all =
        usage_line(command, name) + "\nTry '" + name + " --help' for help.\n\nError: " + sentence(text) + "\n";
    static_cast<void>(!::write(STDERR_FILENO, all.data(), all.size()));
    return 2;
}

// The words that belong to a group itself: its options, up to the name of a command.
std::vector<char*> own_words(std::vector<char*>& words) {
    std::size_t n = 0;
    while (n < words.size() && words[n][0] == '-' && words[n][1] != 0 && std::strcmp(words[n], "--") != 0) n++;
    std::vector<char*> own(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n));
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n));
    return own;
}

// The protocol of a word that was perhaps meant as a URL (`https ://`, `http:/`) and is neither one nor a file; else nothing.
// What follows it may hold secrets, so no error shows that.
std::string protocol_of_no_url(const std::string& word) {
    const std::size_t end = word.find(":/");
    const auto is_of_protocol = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == ' ' || c == '\t';
    };
    const bool is_meant = end != word.npos && end >= 2 && std::ranges::all_of(word.substr(0, end), is_of_protocol);
    return is_meant && !is_url(word) && access(word.c_str(), F_OK) != 0 ? word.substr(0, end + 2) : std::string();
}

// Files that are URLs are Python's.
void hand_over_urls(const Command& command, const std::string& name, const Arguments& arguments) {
    std::vector<std::string> files = arguments.words();
    for (const char* option : {"output", "leaf-file", "from", "outboard"}) {
        if (find_option(command, option) == nullptr) continue;
        for (const std::string& value : arguments.values(option)) files.push_back(value);
    }
    for (const std::string& file : files) {
        if (const std::string protocol = protocol_of_no_url(file); !protocol.empty())
            throw UsageError{"'" + protocol + "...' is no file, and no URL such as https://host/name"};
    }
    if (std::ranges::none_of(files, is_url)) return;
    for (const char* option : {"check", "xet", "recursive", "timings"}) {
        if (find_option(command, option) != nullptr && arguments.has(option))
            throw UsageError{std::string("--") + option + " is for files, not for URLs"};
    }
    if (!command.takes_urls) throw UsageError{"this command takes files, not URLs"};
    hand_over(name.substr(name.find(' ') + 1), arguments.plain());
}

int run(const Command& command, const std::string& name, std::vector<char*> words) {
    const bool is_group = !command.commands.empty();
    try {
        if (!is_group && command.run == nullptr)
            hand_over(name.substr(name.find(' ') + 1), {words.begin(), words.end()});
        note_json(command, words);
        const Arguments arguments(command, name, is_group ? own_words(words) : words);
        if (arguments.has("help")) {
            write(help_text(command, name));
            return 0;
        }
        if (arguments.has("version")) {
            line("merklize " MERKLIZE_VERSION_STRING);
            return 0;
        }
        if (!is_group) {
            hand_over_urls(command, name, arguments);
            return command.run(arguments);
        }
    } catch (const UsageError& error) {
        return wrong_usage(command, name, error.text);
    }
    if (words.empty()) {
        const std::string text = help_text(command, name);
        static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
        return 2;
    }
    const Command* chosen = find_command(command, words[0]);
    if (chosen == nullptr)
        return wrong_usage(command, name,
                           "No such command '" + sentence(words[0]) + "'." + hint_of_command(command, words[0]));
    return run(*chosen, name + " " + words[0], {words.begin() + 1, words.end()});
}

int fail(const std::string& text) noexcept try {
    answer_error(text);
    complain(text);
    return 1;
} catch (const Exit& end) {
    return end.code;
} catch (...) {
    return 1;
}

int guarded_run(std::vector<char*> words) noexcept try {
    const int code = run(whole_command(), "merklize", std::move(words));
    flush();
    return code;
} catch (const Exit& end) {
    return end.code;
} catch (const Failure& failure) {
    return fail(failure.text);
} catch (const Error& error) {
    return fail(reason_of(error));
} catch (const std::bad_alloc&) {
    return fail("not enough memory");
} catch (const std::exception& error) {
    return fail(error.what());
}

}  // namespace
}  // namespace merklize::command

int main(int argc, char** argv) {
    merklize::command::prepare_streams();
    merklize::runtime::MappedFile::allow();
    merklize::runtime::on_compiling = merklize::command::show_compiling;
    const int code = merklize::command::guarded_run({argv + (argc > 0), argv + argc});
    merklize::command::erase_bar();
    _exit(code);  // everything is written; threads that wait for work need not be told
}
