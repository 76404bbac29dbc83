#include "command/line/arguments.hpp"

#include <getopt.h>

#include <cstring>
#include <ranges>

#include "command/endings.hpp"
#include "command/output/output.hpp"

namespace merklize::command {
namespace {

constexpr int word = 1;          // getopt_long()'s answer for what is no option
constexpr int long_begin = 256;  // its answers for long options: behind all letters

// The words of "TREE [INDEX]...".
std::vector<std::string_view> wanted_words(std::string_view arguments) {
    std::vector<std::string_view> words;
    while (!arguments.empty()) {
        const std::size_t end = std::min(arguments.find(' '), arguments.size());
        words.push_back(arguments.substr(0, end));
        arguments.remove_prefix(std::min(end + 1, arguments.size()));
    }
    return words;
}

// getopt_long() also takes the beginnings of names. A script that uses one would break when an option is added.
std::string_view name_in(std::string_view text) {
    text.remove_prefix(2);
    return text.substr(0, text.find('='));
}

// text  with its dashes; may have a value
[[noreturn]] void no_such_option(const Command& command, std::string_view text) {
    const std::string_view name = text.substr(0, text.find('='));
    throw UsageError{"No such option '" + sentence(name) + "'." +
                     (name.starts_with("--") ? hint_of_option(command, name.substr(2)) : "")};
}

[[noreturn]] void needs_value(std::string_view text) {
    throw UsageError{"Option '" + std::string(text) + "' requires an argument."};
}

}  // namespace

Arguments::Arguments(const Command& command, std::string usage_name, const std::vector<char*>& words)
    : command_(command), usage_name_(std::move(usage_name)) {
    std::string letters = "-:";  // words in order, and an own answer for a missing value
    std::vector<option> longs;
    std::vector<std::string> names;  // with a zero byte at the end
    names.reserve(command.options.size());
    for (const Option& one : command.options) {
        const bool takes_value = !one.value.empty();
        if (one.letter != 0) letters += takes_value ? std::string{one.letter, ':'} : std::string{one.letter};
        names.emplace_back(one.name);
        longs.push_back({names.back().c_str(), takes_value ? required_argument : no_argument, nullptr,
                         long_begin + static_cast<int>(&one - command.options.data())});
    }
    longs.push_back({});
    std::vector<char*> argv{const_cast<char*>("merklize")};
    argv.insert(argv.end(), words.begin(), words.end());
    argv.push_back(nullptr);
    const int argc = static_cast<int>(argv.size()) - 1;
    opterr = 0;
    optind = 0;
    for (;;) {
        const int at = optind == 0 ? 1 : optind;
        const int found = getopt_long(argc, argv.data(), letters.c_str(), longs.data(), nullptr);
        if (found < 0) break;
        const std::string_view text = argv[at];
        if (found == word) {
            words_.emplace_back(optarg);
            continue;
        }
        const bool is_long = text.starts_with("--");
        if (found == '?') {
            if (!is_long) no_such_option(command, std::string{'-', static_cast<char>(optopt)});
            const Option* known = find_option(command, name_in(text));
            if (known == nullptr) no_such_option(command, text);
            throw UsageError{"Option '--" + std::string(known->name) + "' does not take a value."};
        }
        if (is_long && find_option(command, name_in(text)) == nullptr) no_such_option(command, text);
        const std::string shown =
            is_long ? std::string(text) : std::string{'-', static_cast<char>(found == ':' ? optopt : found)};
        if (found == ':') needs_value(shown);
        const char* value = optarg;
        if (value != nullptr && value == argv[static_cast<std::size_t>(optind) - 1]) {
            if (value[0] == '-' && value[1] != 0) needs_value(shown);  // it is the next option; --name=-x is a value
        } else if (value != nullptr && !is_long && value[0] == '=') {
            value++;  // -l=5
        }
        for (const Option& one : command.options) {
            if (found != one.letter && found != long_begin + (&one - command.options.data())) continue;
            given_.emplace_back(one.same_as.empty() ? &one : find_option(command, one.same_as), value);
            break;
        }
    }
    const auto rest = std::span(argv).first(static_cast<std::size_t>(argc)).subspan(static_cast<std::size_t>(optind));
    words_.insert(words_.end(), rest.begin(), rest.end());
    if (!has("help") && !has("version")) require_words();
}

void Arguments::require_words() const {
    std::size_t at = 0;
    bool any = false;
    for (const std::string_view wanted : wanted_words(command_.arguments)) {
        const bool optional = wanted.starts_with('['), repeated = wanted.ends_with("...");
        if (!optional && at == words_.size()) throw UsageError{"Missing argument '" + std::string(wanted) + "'."};
        if (repeated) any = true;
        if (!repeated) at++;
    }
    if (!any && words_.size() > at) throw UsageError{"Got unexpected extra argument (" + sentence(words_[at]) + ")"};
}

std::vector<std::string> Arguments::plain() const {
    std::vector<std::string> all;
    for (const auto& [one, value] : given_)
        all.push_back("--" + std::string(one->name) + (value == nullptr ? "" : "=" + std::string(value)));
    all.emplace_back("--");
    all.insert(all.end(), words_.begin(), words_.end());
    return all;
}

bool Arguments::has(std::string_view option) const noexcept {
    for (const auto& [one, value] : given_)
        if (one->name == option) return true;
    return false;
}

std::optional<std::string> Arguments::value(std::string_view option) const {
    for (const auto& [one, value] : std::views::reverse(given_))
        if (one->name == option) return value;
    return {};
}

std::string Arguments::value_or(std::string_view option, std::string_view otherwise) const {
    return value(option).value_or(std::string(otherwise));
}

std::vector<std::string> Arguments::values(std::string_view option) const {
    std::vector<std::string> found;
    for (const auto& [one, value] : given_)
        if (one->name == option) found.emplace_back(value);
    return found;
}

}  // namespace merklize::command
