#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace merklize::command {

class Arguments;
class Call;

/// An option of a command.
struct Option {
    std::string_view name;       ///< its long name, without the dashes
    char letter = 0;             ///< its short name, or 0
    std::string_view value{};    ///< what --help calls its value; empty: a flag
    std::string_view help{};     ///< one paragraph; empty: --help leaves it out
    std::string_view same_as{};  ///< it is another name of this option
    std::string_view
        choices{};  ///< what its value may be, for completions: "a, b"; {hashes} and {formats} stand for all names

    /// Whether its value is a number: plain digits, or a size such as 64K.
    constexpr bool is_count() const noexcept {
        return value == "NUM" || value == "N" || value == "LEN" || value == "SEEK" || value == "BYTES" ||
               value == "SECONDS";
    }
    constexpr bool is_size() const noexcept { return value == "SIZE"; }
    /// Whether its value names a file.
    constexpr bool is_file() const noexcept {
        return value == "FILE" || value == "TREE" || value == "PROOF" || value == "INPUT";
    }
    /// Whether that file is written.
    constexpr bool is_output() const noexcept {
        return name == "output" || name == "html" || name == "json" || name == "plot";
    }
};

/// A command, or a group of commands. They are the only source of --help, the man page, completions and parsing.
struct Command {
    std::string_view name;
    std::string_view arguments{};  ///< as the usage line has them: "INPUT", "[FILE]...", "TREE INDEX..."
    std::string_view summary;      ///< one line
    std::string_view help;  ///< paragraphs, an empty line between them; {hashes} and {formats} stand for all names
    std::span<const Option> options{};
    std::span<const Command* const> commands{};
    /// Runs it and returns its exit code. Null: of a group alone, nothing; otherwise Python's package runs it.
    int (*run)(Call& call, const Arguments& arguments) = nullptr;
    bool takes_urls = false;   ///< its files may be URLs
    bool is_python = false;    ///< Python's package runs it, also if it is a group
    std::string_view words{};  ///< what its arguments may be, for completions: "a, b"
};

/// The command `merklize` itself.
const Command& whole_command() noexcept;

/// The option of that name; null if the command has none. Every command has --help.
const Option* find_option(const Command& command, std::string_view name) noexcept;
const Command* find_command(const Command& group, std::string_view name) noexcept;
/// " Did you mean 'build'?" of the name that is most like a misspelt one, or nothing if none is like it. An option's
/// has its dashes.
std::string hint_of_option(const Command& command, std::string_view name);
std::string hint_of_command(const Command& group, std::string_view name);

}  // namespace merklize::command
