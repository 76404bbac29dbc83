#include "command/line/arguments.hpp"

#include <algorithm>

#include "command/endings.hpp"
#include "command/output/text.hpp"
#include "command/settings.hpp"
#include "command/urls.hpp"

namespace merklize::command {
namespace {

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

// text  with its dashes; may have a value
[[noreturn]] void no_such_option(const Command& command, std::string_view text) {
    const std::string_view name = text.substr(0, text.find('='));
    throw UsageError{"No such option '" + sentence(name) + "'." +
                     (name.starts_with("--") ? hint_of_option(command, name.substr(2)) : "")};
}

bool is_option(std::string_view word) { return word.size() > 1 && word[0] == '-' && (word[1] < '0' || word[1] > '9'); }

bool is_path(std::string_view wanted) { return wanted == "TREE" || wanted == "DATA" || wanted == "HASHES"; }

std::string with_dashes(const Option& option) {
    return option.letter != 0 ? std::string{'-', option.letter} : "--" + std::string(option.name);
}

[[noreturn]] void needs_value(std::string_view text) {
    throw UsageError{"Option '" + std::string(text) + "' requires an argument."};
}

}  // namespace

Arguments::Arguments(const Command& command, std::string usage_name, std::span<const std::string> words)
    : command_(command), usage_name_(std::move(usage_name)) {
    for (std::size_t at = 0; at < words.size(); at++) {
        const std::string_view text = words[at];
        if (text == "--") {
            for (at++; at < words.size(); at++) words_.push_back(local_name(words[at]));
            break;
        }
        if (!is_option(text)) {
            words_.push_back(local_name(words[at]));
            continue;
        }
        // The next word, which is no value if it is an option; --name=-x has one. No option is a digit, so -1 is a
        // value.
        const auto next = [&](std::string_view option) -> const std::string& {
            if (at + 1 == words.size() || is_option(words[at + 1])) needs_value(option);
            return words[++at];
        };
        if (text.starts_with("--")) {
            const std::size_t equals = text.find('=');
            const Option* option = find_option(command, text.substr(2, equals - 2));
            if (option == nullptr) no_such_option(command, text);
            if (option->value.empty() && equals != text.npos)
                throw UsageError{"Option '--" + std::string(option->name) + "' does not take a value."};
            add(*option, option->value.empty() ? std::string()
                         : equals == text.npos ? next(text)
                                               : std::string(text.substr(equals + 1)));
            continue;
        }
        for (std::size_t k = 1; k < text.size(); k++) {  // -abc, -l5, -l=5, -l 5
            const std::string shown{'-', text[k]};
            const auto option = std::ranges::find(command.options, text[k], &Option::letter);
            if (option == command.options.end()) no_such_option(command, shown);
            if (option->value.empty()) {
                add(*option, {});
                continue;
            }
            std::string_view value = text.substr(k + 1);
            if (value.starts_with('=')) value.remove_prefix(1);
            add(*option, k + 1 == text.size() ? next(shown) : std::string(value));
            break;
        }
    }
    if (!has("help") && !has("version")) require_words();
}

void Arguments::add(const Option& option, std::string value) {
    const Option* same = option.same_as.empty() ? &option : find_option(command_, option.same_as);
    if (same->is_file() && value.empty()) throw UsageError{with_dashes(*same) + ": the name of the file is empty"};
    given_.emplace_back(same, same->is_file() ? local_name(value) : std::move(value));
}

void Arguments::require_words() const {
    std::size_t at = 0;
    bool any = false;
    const std::vector<std::string_view> all = wanted_words(command_.arguments);
    for (const std::string_view wanted : all) {
        const bool optional = wanted.starts_with('['), repeated = wanted.ends_with("...");
        if (!optional && at == words_.size()) throw UsageError{"Missing argument '" + std::string(wanted) + "'."};
        if (repeated) any = true;
        if (!repeated) at++;
    }
    if (!any && words_.size() > at)
        throw UsageError{"Got unexpected extra argument (" + (is_url(words_[at]) ? "a URL" : sentence(words_[at])) +
                         ")"};
    for (std::size_t i = 0; i < words_.size(); i++) {
        const std::string wanted(all[std::min(i, all.size() - 1)]);
        if (words_[i].empty()) throw UsageError{"Argument '" + wanted + "' is empty."};
        if (words_[i] == standard_input_name && is_path(wanted))
            throw UsageError{wanted + " must be a path: ./- is a file of the name -"};
    }
    require_one_reader(all);
}

// What reads standard input gets all of it. (Of several FILEs the first one does, as in b3sum.)
void Arguments::require_one_reader(std::span<const std::string_view> wanted) const {
    const bool is_keyed = has("keyed");
    auto readers = std::ranges::count_if(given_, [](const auto& given) {
        return given.first->is_file() && !given.first->is_output() && given.second == standard_input_name;
    });
    for (std::size_t i = 0; i < words_.size(); i++)
        if (words_[i] == standard_input_name && !wanted[std::min(i, wanted.size() - 1)].ends_with("...")) readers++;
    if (readers + is_keyed < 2) return;
    throw UsageError{is_keyed ? "--keyed needs a FILE: standard input holds the key"
                              : "standard input can be read once: give one of the inputs as a file"};
}

bool Arguments::has(std::string_view option) const noexcept {
    for (const auto& [one, value] : given_)
        if (one->name == option) return true;
    return false;
}

std::optional<std::string> Arguments::value(std::string_view option) const {
    std::optional<std::string> last;
    for (const auto& [one, value] : given_)
        if (one->name == option) last = value;
    return last;
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

std::vector<std::string> Arguments::files() const {
    std::vector<std::string> found = words_;
    for (const auto& [one, value] : given_)
        if (one->is_file()) found.push_back(value);
    return found;
}

}  // namespace merklize::command
