#include "command/line/help.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "command/output/text.hpp"
#include "merklize/formats.hpp"
#include "merklize/hash.hpp"

namespace merklize::command {
namespace {

constexpr std::size_t most_columns = 80;

template <class Range>
std::string joined(const Range& all) {
    std::string text;
    for (const auto& one : all) text += (text.empty() ? "" : ", ") + std::string(one.name);
    return text;
}

void replace(std::string& text, std::string_view from, const std::string& to) {
    if (const std::size_t at = text.find(from); at != text.npos) text.replace(at, from.size(), to);
}

using Rows = std::vector<std::pair<std::string, std::string>>;

// Two columns, as options and commands are listed.
std::string listed(const Rows& rows, std::size_t width) {
    std::size_t first = 0;
    for (const auto& [name, text] : rows) first = std::max(first, width_of(name));
    std::string lines;
    for (const auto& [name, text] : rows) {
        std::string right = wrapped(text, width, first + 4);
        right.replace(2, name.size(), name);
        lines += "  " + right.substr(2) + "\n";
    }
    return lines;
}

}  // namespace

std::string expanded(std::string_view text) {
    std::string out(text);
    replace(out, "{hashes}", joined(hashes()));
    replace(out, "{formats}", joined(formats()) + ", fs_verity");
    return out;
}

std::string usage_line(const Command& command, const std::string& usage_name) {
    std::string text = "Usage: " + usage_name + " [OPTIONS]";
    if (!command.commands.empty()) text += " COMMAND [ARGS]...";
    return text + (command.arguments.empty() ? "" : " ") + std::string(command.arguments);
}

std::string help_text(const Command& command, const std::string& usage_name, std::size_t columns) {
    const std::size_t width = std::clamp<std::size_t>(columns, 40, most_columns);
    std::string text = usage_line(command, usage_name) + "\n";
    for (std::string_view rest = command.help; !rest.empty();) {
        const std::string_view paragraph = rest.substr(0, rest.find("\n\n"));
        text += "\n" + wrapped(paragraph, width, 2) + "\n";
        rest.remove_prefix(std::min(paragraph.size() + 2, rest.size()));
    }
    Rows rows;
    for (const Option& option : command.options) {
        if (option.help.empty()) continue;
        const std::string letter = option.letter == 0 ? "" : std::string{'-', option.letter} + ", ";
        rows.emplace_back(
            letter + "--" + std::string(option.name) + (option.value.empty() ? "" : " ") + std::string(option.value),
            expanded(option.help));
    }
    text += "\nOptions:\n" + listed(rows, width);
    if (command.commands.empty()) return text;
    rows.clear();
    for (const Command* one : command.commands) rows.emplace_back(one->name, one->summary);
    return text + "\nCommands:\n" + listed(rows, width);
}

}  // namespace merklize::command
