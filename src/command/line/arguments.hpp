#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command/line/table.hpp"

namespace merklize::command {

/// The parsed command line of one command.
class Arguments {
public:
    /// words  the words after the name of the command
    /// errors  UsageError
    Arguments(const Command& command, std::string usage_name, std::span<const std::string> words);

    const Command& command() const noexcept { return command_; }
    /// The words up to the command, as the user typed them: "merklize tree build".
    const std::string& usage_name() const noexcept { return usage_name_; }

    bool has(std::string_view option) const noexcept;
    /// The last value of an option; none if the option is not given.
    std::optional<std::string> value(std::string_view option) const;
    std::string value_or(std::string_view option, std::string_view otherwise) const;
    /// All values, in order.
    std::vector<std::string> values(std::string_view option) const;
    /// The words, and all values of options that name files.
    std::vector<std::string> files() const;
    /// The words that are no options, in order; as many as the command takes.
    const std::vector<std::string>& words() const noexcept { return words_; }

private:
    void add(const Option& option, std::string value);
    void require_words() const;
    void require_one_reader(std::span<const std::string_view> wanted) const;

    const Command& command_;
    std::string usage_name_;
    std::vector<std::pair<const Option*, std::string>> given_;
    std::vector<std::string> words_;
};

}  // namespace merklize::command
