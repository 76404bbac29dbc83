// Finds the command in the table, runs it, and turns errors into a line and an exit code.
#include <algorithm>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "command/call.hpp"
#include "command/endings.hpp"
#include "command/line/arguments.hpp"
#include "command/line/help.hpp"
#include "command/line/values.hpp"
#include "command/output/text.hpp"
#include "command/settings.hpp"
#include "command/urls.hpp"
#include "merklize/version.h"
#include "texts/argument_words.hpp"
#include "texts/json.hpp"

namespace merklize::command {
namespace {

using Words = std::span<const std::string>;

// One run of a command line, from its words to the exit code.
class Line {
public:
    Line(Call& call, const std::vector<std::string>& all) : call_(call), all_(all) {}

    int run() noexcept try {
        const int code = run(whole_command(), "merklize", all_);
        call_.flush();
        return code;
    } catch (const Exit& end) {
        return end.code;
    } catch (const Failure& failure) {
        return fail(failure.text);
    } catch (const Error& error) {
        return error.code() == ErrorCode::cancelled ? interrupted : fail(reason_of(error));
    } catch (const std::bad_alloc&) {
        return fail("not enough memory");
    } catch (const std::exception& error) {
        return call_.caller().keeps(std::current_exception()) ? interrupted : fail(error.what());
    }

private:
    static constexpr int interrupted = 130;

    int run(const Command& command, const std::string& name, Words words) {
        const bool is_group = !command.commands.empty();
        try {
            note_json(command, words);
            const Arguments arguments(command, name, is_group ? take_own(command, words) : words);
            if (arguments.has("help")) {
                call_.write(help_text(command, name, call_.output_columns()));
                return 0;
            }
            if (arguments.has("version")) {
                call_.line("merklize " MERKLIZE_VERSION_STRING);
                return 0;
            }
            require_numbers(arguments);
            if (!is_group || (command.is_python && words.empty())) {
                const bool is_for_python =
                    command.is_python || (has_urls(command, arguments) && call_.caller().opener() == nullptr);
                return is_for_python ? call_.caller().run_in_python(call_, arguments, all_) : run(command, arguments);
            }
        } catch (const UsageError& error) {
            return wrong_usage(command, name, error.text);
        }
        if (words.empty()) {
            call_.write_error(help_text(command, name, call_.output_columns()));
            return wrong_line;
        }
        const Command* chosen = find_command(command, words[0]);
        if (chosen == nullptr && words[0] == "help") {  // `merklize help tree build`
            std::vector<std::string> asked(words.begin() + 1, words.end());
            asked.emplace_back("--help");
            return run(command, name, asked);
        }
        if (chosen == nullptr) {
            return wrong_usage(command, name,
                               "No such command '" + sentence(words[0]) + "'." + hint_of_command(command, words[0]));
        }
        return run(*chosen, name + " " + words[0], words.subspan(1));
    }

    // An error of the library about an argument that an option gives is one of the command line.
    int run(const Command& command, const Arguments& arguments) try {
        return command.run(call_, arguments);
    } catch (const Error& error) {
        std::string word(texts::argument_word(&texts::ArgumentWords::python, error.argument()));
        std::ranges::replace(word, '_', '-');
        if (error.code() != ErrorCode::invalid_argument || word.empty()) throw;
        for (const Option& option : command.options) {
            const bool is_mode = error.argument() == "mode" && (option.name == "keyed" || option.name == "derive-key");
            const bool is_value = !option.value.empty() && (option.name == word || option.name.ends_with("-" + word));
            if ((is_mode || is_value) && arguments.has(option.name)) refuse_value(option.name, error.rule());
        }
        throw;
    }

    // The words of the group itself: its options, up to the name of a command.
    static Words take_own(const Command& command, Words& words) {
        std::size_t n = 0;
        while (n < words.size() && words[n].size() > 1 && words[n][0] == '-' && words[n] != "--") {
            const Option* option = words[n].starts_with("--") ? find_option(command, words[n].substr(2)) : nullptr;
            n = std::min<std::size_t>(n + (option != nullptr && !option->value.empty() ? 2 : 1), words.size());
        }
        const Words own = words.first(n);
        words = words.subspan(n);
        return own;
    }

    void note_json(const Command& command, Words words) {
        const Option* option = find_option(command, "json");
        const auto end = std::ranges::find(words, "--");
        wants_json_ = option != nullptr && option->value.empty() && std::find(words.begin(), end, "--json") != end;
    }

    // With --json an error is JSON, as the answer would be. Where standard output takes nothing, standard error alone
    // tells it.
    void answer_error(const std::string& text) try {
        if (!wants_json_ || call_.has_written()) return;
        call_.line(json::Object().text("error", texts::masked(text)).done());
        call_.flush();
    } catch (const Failure&) {}

    int wrong_usage(const Command& command, const std::string& name, const std::string& text) {
        answer_error(text);
        call_.flush();
        call_.write_error(usage_line(command, name) + "\nTry '" + name +
                          " --help' for help.\n\nError: " + sentence(texts::masked(text)) + "\n");
        return wrong_line;
    }

    int fail(const std::string& text) noexcept try {
        answer_error(text);
        call_.complain(text);
        return 1;
    } catch (const Exit& end) {
        return end.code;
    } catch (...) {
        return 1;
    }

    static constexpr int wrong_line = 2;

    Call& call_;
    const std::vector<std::string>& all_;
    bool wants_json_ = false;
};

}  // namespace

int run(Call& call, const std::vector<std::string>& words) noexcept {
    const int code = Line(call, words).run();
    call.erase_bar();
    return code;
}

}  // namespace merklize::command
