// Shell completions and the manual page, made of the table of commands.
#include <functional>
#include <string>

#include "command/endings.hpp"
#include "command/line/arguments.hpp"
#include "command/line/commands.hpp"
#include "command/line/help.hpp"
#include "command/output/output.hpp"
#include "merklize/version.h"

namespace merklize::command {
namespace {

// use(command, "tree build") for each command that is no group, and for each group.
void each_command(const std::function<void(const Command&, const std::string&)>& use) {
    for (const Command& command : whole_command().commands) {
        use(command, std::string(command.name));
        for (const Command& below : command.commands)
            use(below, std::string(command.name) + " " + std::string(below.name));
    }
}

std::string option_words(const Command& command) {
    std::string words;
    for (const Option& option : command.options) {
        if (option.help.empty()) continue;
        if (option.letter != 0) words += std::string{'-', option.letter} + " ";
        words += "--" + std::string(option.name) + " ";
    }
    return words;
}

std::string command_words(const Command& group) {
    std::string words;
    for (const Command& command : group.commands) words += std::string(command.name) + " ";
    return words;
}

// In single quotes of a shell.
std::string in_quotes(std::string_view text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string{c};
    return out + "'";
}

// A hyphen, a backslash and a point at the start of a line mean something to man(7).
std::string roff(std::string_view text) {
    std::string out;
    for (const char c : text) out += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string{c};
    return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

void manual_of(std::string& page, const Command& command, const std::string& name) {
    page +=
        ".SS merklize " + roff(name + (command.arguments.empty() ? "" : " ") + std::string(command.arguments)) + "\n";
    std::string help(command.help.empty() ? command.summary : command.help);
    for (std::size_t at; (at = help.find("\n\n")) != help.npos;) help.replace(at, 2, " ");
    page += roff(help) + "\n";
    for (const Option& option : command.options) {
        if (option.help.empty() || option.name == "help") continue;
        page += ".TP\n\\fB";
        if (option.letter != 0) page += roff(std::string{'-', option.letter}) + "\\fR, \\fB";
        page += roff("--" + std::string(option.name)) + "\\fR";
        if (!option.value.empty()) page += " \\fI" + roff(option.value) + "\\fR";
        page += "\n" + roff(expanded(option.help)) + "\n";
    }
}

}  // namespace

std::string bash_completions() {
    std::string text =
        "# bash completions of merklize, made by `merklize completions bash`.\n"
        "_merklize() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} name=${COMP_WORDS[1]} words=\n"
        "    if [ \"$COMP_CWORD\" -gt 1 ] && [ \"$name\" = tree ]; then name=\"tree ${COMP_WORDS[2]}\"; fi\n"
        "    case \"$COMP_CWORD $name\" in\n"
        "        \"1 \"*) words='" +
        command_words(whole_command()) + option_words(whole_command()) + "' ;;\n        \"2 tree \"*) words='" +
        command_words(*find_command(whole_command(), "tree")) + "' ;;\n";
    each_command([&](const Command& command, const std::string& name) {
        text += "        *\" " + name + "\") words='" + (name == "completions" ? "bash zsh fish man " : std::string()) +
                option_words(command) + "' ;;\n";
    });
    return text +
           "    esac\n"
           "    if [[ $word == -* || $COMP_CWORD -eq 1 || ( $COMP_CWORD -eq 2 && ${COMP_WORDS[1]} == tree ) || $name "
           "== "
           "completions ]]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
           "    else\n"
           "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
           "    fi\n"
           "}\n"
           "complete -o filenames -F _merklize merklize\n";
}

std::string zsh_completions() {
    // A colon in a text would end it, and so would a closing bracket.
    const auto plain = [](std::string_view text) {
        std::string out;
        for (const char c : text)
            out += c == ':' || c == '[' || c == ']' ? std::string{'\\', c}
                   : c == '\''                      ? std::string("'\\''")
                                                    : std::string{c};
        return out;
    };
    std::string text =
        "#compdef merklize\n"
        "# zsh completions of merklize, made by `merklize completions zsh`.\n"
        "_merklize() {\n"
        "    local name=${words[2]}\n"
        "    local -a commands\n"
        "    if (( CURRENT > 2 )) && [[ $name == tree ]]; then name=\"tree ${words[3]}\"; fi\n"
        "    if (( CURRENT == 2 )); then\n"
        "        commands=(";
    for (const Command& command : whole_command().commands)
        text += "\n            '" + plain(command.name) + ":" + plain(command.summary) + "'";
    text +=
        ")\n        _describe command commands\n        return\n    fi\n"
        "    if (( CURRENT == 3 )) && [[ ${words[2]} == tree ]]; then\n        commands=(";
    for (const Command& command : find_command(whole_command(), "tree")->commands)
        text += "\n            '" + plain(command.name) + ":" + plain(command.summary) + "'";
    text += ")\n        _describe command commands\n        return\n    fi\n    case $name in\n";
    each_command([&](const Command& command, const std::string& name) {
        text += "        " + in_quotes(name) + ")\n            _arguments";
        for (const Option& option : command.options) {
            if (option.help.empty()) continue;
            const std::string end = "[" + plain(expanded(option.help)) + "]" +
                                    (option.value.empty() ? "" : ":" + plain(option.value) + ":_files") + "'";
            text += " \\\n                '--" + std::string(option.name) + (option.value.empty() ? "" : "=") + end;
            if (option.letter != 0) text += " \\\n                '-" + std::string{option.letter} + end;
        }
        text += name == "completions" ? " \\\n                '1:shell:(bash zsh fish man)' ;;\n"
                                      : " \\\n                '*:file:_files' ;;\n";
    });
    return text + "    esac\n}\n_merklize \"$@\"\n";
}

std::string fish_completions() {
    std::string text = "# fish completions of merklize, made by `merklize completions fish`.\n";
    const std::string none = "not __fish_seen_subcommand_from " + command_words(whole_command());
    for (const Command& command : whole_command().commands) {
        text += "complete -c merklize -n " + in_quotes(none) + " -f -a " + in_quotes(command.name) + " -d " +
                in_quotes(command.summary) + "\n";
    }
    const Command& tree = *find_command(whole_command(), "tree");
    for (const Command& command : tree.commands) {
        text +=
            "complete -c merklize -n " +
            in_quotes("__fish_seen_subcommand_from tree; and not __fish_seen_subcommand_from " + command_words(tree)) +
            " -f -a " + in_quotes(command.name) + " -d " + in_quotes(command.summary) + "\n";
    }
    each_command([&](const Command& command, const std::string& name) {
        const std::size_t space = name.find(' ');
        const std::string when =
            space == name.npos
                ? "__fish_seen_subcommand_from " + name
                : "__fish_seen_subcommand_from tree; and __fish_seen_subcommand_from " + name.substr(space + 1);
        for (const Option& option : command.options) {
            if (option.help.empty()) continue;
            text += "complete -c merklize -n " + in_quotes(when) + " -l " + std::string(option.name);
            if (option.letter != 0) text += " -s " + std::string{option.letter};
            if (!option.value.empty()) text += " -r";
            text += " -d " + in_quotes(expanded(option.help)) + "\n";
        }
        if (name == "completions")
            text += "complete -c merklize -n " + in_quotes(when) + " -f -a 'bash zsh fish man'\n";
    });
    return text;
}

std::string manual_page() {
    std::string page = ".TH MERKLIZE 1 \"\" \"merklize " MERKLIZE_VERSION_STRING
                       "\" \"User Commands\"\n.SH NAME\nmerklize \\- digests and whole Merkle trees of files\n"
                       ".SH SYNOPSIS\n\\fBmerklize\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIARGS\\fR]...\n"
                       ".SH DESCRIPTION\n" +
                       roff(
                           "BLAKE3 digests of files, as b3sum prints and checks them, and whole binary Merkle trees "
                           "over files, on all "
                           "cores or on a GPU. --help explains each command.") +
                       "\n.SH COMMANDS\n";
    each_command([&](const Command& command, const std::string& name) { manual_of(page, command, name); });
    const auto section = [&](const char* title, const char* text) {
        page += std::string(".SH ") + title + "\n" + roff(text) + "\n";
    };
    section(
        "EXIT STATUS",
        "0: all went well. 1: a file could not be read, did not match or is not valid. 2: the command line is wrong. "
        "130 and 143: interrupted. 141: whoever read the output has gone.");
    section("ENVIRONMENT",
            "MERKLIZE_DEVICE names the device that --device auto stands for. MERKLIZE_CACHE_DIR names the folder of "
            "compiled kernels. MERKLIZE_PYTHON names the Python that runs manifest create and refresh, bench, tune and "
            "build-kernels. NO_COLOR and COLUMNS are respected.");
    section("SEE ALSO", "b3sum(1)");
    return page;
}

int run_completions(const Arguments& arguments) {
    const std::string& shell = arguments.words()[0];
    if (shell == "bash") {
        write(bash_completions());
    } else if (shell == "zsh") {
        write(zsh_completions());
    } else if (shell == "fish") {
        write(fish_completions());
    } else if (shell == "man") {
        write(manual_page());
    } else {
        throw UsageError{"'" + sentence(shell) + "' is neither bash, zsh nor fish, and not man"};
    }
    return 0;
}

}  // namespace merklize::command
