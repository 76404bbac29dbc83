// Shell completions and the manual page, made from the table of commands.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "command/endings.hpp"
#include "command/line/arguments.hpp"
#include "command/line/help.hpp"
#include "command/line/options.hpp"
#include "command/output/output.hpp"
#include "merklize/version.h"

namespace merklize::command {
namespace {

// Calls use(command, " tree build") for each command and group, beginning with the program itself, whose name is "".
template <class Use>
void each_command(const Use& use, const Command& command = whole_command(), const std::string& name = {}) {
    use(command, name);
    for (const Command* below : command.commands) each_command(use, *below, name + " " + std::string(below->name));
}

// The options that completions offer.
std::vector<Option> offered(const Command& command) {
    std::vector<Option> found;
    std::ranges::copy_if(command.options, std::back_inserter(found),
                         [](const Option& option) { return !option.help.empty(); });
    return found;
}

// "-o --output"
std::string names_of(const Option& option) {
    return (option.letter == 0 ? "" : std::string{'-', option.letter} + " ") + "--" + std::string(option.name);
}

// "a, b" or "a|b" as "a b".
std::string as_words(std::string text) {
    std::erase(text, ',');
    std::ranges::replace(text, '|', ' ');
    return text;
}

std::string choices_of(const Option& option) { return as_words(expanded(option.choices)); }

// The words that may follow the name of a command, other than files: the commands of a group, or fixed words.
std::string words_of(const Command& command) {
    if (!command.words.empty()) return as_words(std::string(command.words));
    std::string words;
    for (const Command* below : command.commands) words += (words.empty() ? "" : " ") + std::string(below->name);
    return command.arguments.find('|') == command.arguments.npos ? words : as_words(std::string(command.arguments));
}

// The text in a shell's single quotes.
std::string in_quotes(std::string_view text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string{c};
    return out + "'";
}

// Escapes hyphens, backslashes, and points at the start of a line, because man(7) interprets them.
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
    std::string known, commands, values;
    each_command([&](const Command& command, const std::string& name) {
        if (!name.empty()) known += (known.empty() ? "" : "|") + in_quotes(name);
        std::string options;
        for (const Option& option : offered(command)) {
            options += (options.empty() ? "" : " ") + names_of(option);
            if (option.value.empty()) continue;
            if (option.letter != 0) values += "        " + in_quotes(name + " -" + option.letter) + ") ;&\n";
            values += "        " + in_quotes(name + " --" + std::string(option.name)) +
                      ") options= words=" + in_quotes(choices_of(option)) +
                      (option.choices.empty() && !option.is_file() ? "; return" : "") + " ;;\n";
        }
        commands += "        " + in_quotes(name) + ") words=" + in_quotes(words_of(command)) +
                    " options=" + in_quotes(options) + " ;;\n";
    });
    return "# bash completions of merklize, made by `merklize completions bash`.\n"
           "_merklize() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} name= words= options= i\n"
           "    if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; "
           "fi\n"
           "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
           "        case \"$name ${COMP_WORDS[i]}\" in\n"
           "            " +
           known +
           ") name+=\" ${COMP_WORDS[i]}\" ;;\n"
           "        esac\n"
           "    done\n"
           "    case $name in\n" +
           commands +
           "    esac\n"
           "    case \"$name $before\" in\n" +
           values +
           "    esac\n"
           "    if [[ $word == -* && $options ]]; then words=$options; fi\n"
           "    if [[ $words ]]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
           "    else\n"
           "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
           "    fi\n"
           "}\n"
           "complete -o filenames -F _merklize merklize\n";
}

std::string zsh_completions() {
    // A colon or a closing bracket would end the text.
    const auto plain = [](std::string_view text) {
        std::string out;
        for (const char c : text)
            out += c == ':' || c == '[' || c == ']' || c == '\\' ? std::string{'\\', c}
                   : c == '\''                                   ? std::string("'\\''")
                                                                 : std::string{c};
        return out;
    };
    const auto function = [](std::string name) {
        std::ranges::replace_if(name, [](char c) { return c == ' ' || c == '-'; }, '_');
        return "_merklize" + name;
    };
    std::string text =
        "#compdef merklize\n"
        "# zsh completions of merklize, made by `merklize completions zsh`.\n";
    each_command([&](const Command& command, const std::string& name) {
        std::string named, calls;
        for (const Command* below : command.commands) {
            named += "\n        '" + plain(below->name) + ":" + plain(below->summary) + "'";
            calls += "                " + std::string(below->name) + ") " +
                     function(name + " " + std::string(below->name)) + " ;;\n";
        }
        text += function(name) + "() {\n";
        if (!named.empty())
            text += "    local curcontext=$curcontext state line\n    local -a commands=(" + named + ")\n";
        text += named.empty() ? "    _arguments" : "    _arguments -C";
        for (const Option& option : offered(command)) {
            const std::string choices = choices_of(option);
            const std::string value = option.value.empty() ? ""
                                      : option.is_file()   ? ":" + plain(option.value) + ":_files"
                                      : choices.empty()    ? ":" + plain(option.value) + ": "
                                                           : ":" + plain(option.value) + ":(" + choices + ")";
            const std::string end = "[" + plain(expanded(option.help)) + "]" + value + "'";
            text += " \\\n        '--" + std::string(option.name) + (value.empty() ? "" : "=") + end;
            if (option.letter != 0)
                text += " \\\n        '-" + std::string{option.letter} + (value.empty() ? "" : "+") + end;
        }
        if (named.empty()) {
            const std::string words = words_of(command), place = command.arguments.ends_with("...") ? "*" : "1";
            text += words.empty() ? " \\\n        '*:file:_files'\n}\n"
                                  : " \\\n        '" + place + ":word:(" + words + ")'\n}\n";
        } else {
            text +=
                " \\\n        '1: :->command' '*:: :->rest'\n"
                "    case $state in\n"
                "        command) _describe command commands ;;\n"
                "        rest)\n"
                "            case $line[1] in\n" +
                calls + "            esac ;;\n    esac\n}\n";
        }
    });
    return text + "_merklize \"$@\"\n";
}

std::string fish_completions() {
    std::string known, text;
    each_command([&](const Command& command, const std::string& name) {
        if (!name.empty()) known += " " + in_quotes(name);
        const std::string begin = "complete -c merklize -n " + in_quotes("__merklize_at '" + name + "'");
        for (const Command* below : command.commands)
            text += begin + " -f -a " + in_quotes(below->name) + " -d " + in_quotes(below->summary) + "\n";
        if (command.commands.empty() && !words_of(command).empty())
            text += begin + " -f -a " + in_quotes(words_of(command)) + "\n";
        for (const Option& option : offered(command)) {
            text += begin + " -l " + std::string(option.name);
            if (option.letter != 0) text += " -s " + std::string{option.letter};
            if (!option.value.empty()) text += option.is_file() ? " -r -F" : " -x";
            if (!option.choices.empty()) text += " -a " + in_quotes(choices_of(option));
            text += " -d " + in_quotes(expanded(option.help)) + "\n";
        }
    });
    return "# fish completions of merklize, made by `merklize completions fish`.\n"
           "function __merklize_at\n"
           "    set -l name ''\n"
           "    for word in (commandline -opc)[2..-1]\n"
           "        if contains -- \"$name $word\"" +
           known +
           "\n"
           "            set name \"$name $word\"\n"
           "        end\n"
           "    end\n"
           "    test \"$name\" = \"$argv[1]\"\n"
           "end\n" +
           text;
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
    each_command([&](const Command& command, const std::string& name) {
        if (!name.empty()) manual_of(page, command, name.substr(1));
    });
    const auto section = [&](const char* title, const char* text) {
        page += std::string(".SH ") + title + "\n" + roff(text) + "\n";
    };
    section(
        "EXIT STATUS",
        "0: all went well. 1: a file could not be read, did not match or is not valid. 2: the command line is wrong. "
        "130 and 143: interrupted. 141: the reader of the output has gone.");
    section("ENVIRONMENT",
            "MERKLIZE_DEVICE names the device that --device auto stands for. MERKLIZE_CACHE_DIR names the folder of "
            "compiled kernels. MERKLIZE_PYTHON names the Python that opens URLs and runs fetch, bench, tune and "
            "build-kernels. MERKLIZE_PEERS names the program, or its source, of bench --peers. NO_COLOR and COLUMNS "
            "are respected.");
    section("SEE ALSO", "b3sum(1)");
    return page;
}

namespace {

int run_completions(Call& call, const Arguments& arguments) {
    const std::string& shell = arguments.words()[0];
    if (shell == "bash") {
        call.write(bash_completions());
    } else if (shell == "zsh") {
        call.write(zsh_completions());
    } else if (shell == "fish") {
        call.write(fish_completions());
    } else if (shell == "man") {
        call.write(manual_page());
    } else {
        throw UsageError{"'" + sentence(shell) + "' is neither bash, zsh nor fish, and not man"};
    }
    return 0;
}

}  // namespace

extern constinit const Command completions_command{
    .name = "completions",
    .arguments = "bash|zsh|fish|man",
    .summary = "Print completions for a shell, or the manual page.",
    .help =
        "Print completions for a shell, or the manual page.\n\n"
        "For bash: source <(merklize completions bash). They come from the same table as --help.",
    .options = options::only_help,
    .run = run_completions,
};

}  // namespace merklize::command
