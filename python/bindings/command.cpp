// The command line in a process of Python. It handles no signal, ends no process, and asks Python for what only Python
// can do.
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "command/call.hpp"
#include "command/endings.hpp"
#include "command/line/values.hpp"
#include "command/output/progress.hpp"
#include "command/output/text.hpp"
#include "module.hpp"
#include "run.hpp"
#include "source.hpp"
#include "storage.hpp"

namespace merklize::binding {

namespace {

// Runs Python code. Errors of the package become those of the command line; other exceptions pass.
template <class Work>
auto ask(const Work& work) {
    const GilTaken taken;
    try {
        return in_python(work);
    } catch (nb::python_error& raised) {
        if (nb::isinstance(raised.value(), nb::module_::import_("merklize.errors").attr("Error")))
            throw command::Failure{text_of(raised.value())};
        throw;
    }
}

// merklize.stores._opener.Opener.
class PythonOpener : public command::Opener {
public:
    // A borrowed reference to the caller, which makes the opener at first use.
    explicit PythonOpener(nb::handle caller) : caller_(caller) {}

    std::string shown(const std::string& url) override {
        return ask([&] { return text_of(opener().attr("shown")(to_file_name(url))); });
    }
    std::size_t most_at_once() override {
        return ask([&] { return to_u64(opener().attr("most_at_once")(), "most_at_once"); });
    }
    std::unique_ptr<runtime::ByteSource> open(const std::string& url, std::uint64_t first) override {
        return ask([&] { return std::make_unique<PythonSource>(opener().attr("open")(to_file_name(url), first)); });
    }
    void upload(const std::filesystem::path& file, const std::string& url) override {
        ask([&] { opener().attr("upload")(to_file_name(file.string()), to_file_name(url)); });
    }
    void require_writable(const std::string& url) override {
        ask([&] { opener().attr("require_writable")(to_file_name(url)); });
    }
    manifests::Place find_weights(const std::string& url, const std::vector<std::string>& ignore,
                                  const std::string& exclude, const RunOptions& options) override {
        return ask([&] {
            nb::list patterns;
            for (const std::string& pattern : ignore) patterns.append(to_str(pattern));
            const nb::object threads = options.threads == 0 ? nb::none() : nb::object(nb::int_(options.threads));
            return to_place(opener().attr("find_weights")(to_file_name(url), patterns, to_file_name(exclude),
                                                          to_str(options.device.info().id), threads));
        });
    }

private:
    nb::object opener() const { return caller_.attr("opener"); }

    const nb::handle caller_;
};

// Raised in Python where the command is to end, so that `finally` clauses run; RunningCommand knows how it ends.
class CommandEnds : public std::exception {
public:
    const char* what() const noexcept override { return "the command ends"; }
};

// A command of Python's package while it runs: its arguments as the table read them, and its output.
class RunningCommand {
public:
    RunningCommand(command::Call& call, const command::Arguments& arguments) : call_(&call), arguments_(&arguments) {}

    // An exception of the command line passes through Python's frames and is thrown again after them.
    template <class Work>
    auto with(const Work& work) {
        if (call_ == nullptr) throw Error(ErrorCode::invalid_argument, "Command: the command has ended");
        try {
            return work(*call_, *arguments_);
        } catch (...) {
            ending_ = std::current_exception();
            throw CommandEnds();
        }
    }
    void rethrow_ending() const {
        if (ending_) std::rethrow_exception(ending_);
    }
    // Python may keep this longer than the command lasts.
    void end() noexcept {
        bar_.reset();
        call_ = nullptr;
    }

    void begin_bar(const std::string& what, std::uint64_t parts) {
        with([&](command::Call& call, auto&) { bar_.emplace(call, what, parts); });
    }
    void show_progress(double done) {
        if (bar_) bar_->show(done);
    }
    void end_part() {
        if (bar_) bar_->advance();
    }

private:
    command::Call* call_;
    const command::Arguments* arguments_;
    std::optional<command::Bar> bar_{};
    std::exception_ptr ending_{};
};

// merklize.__main__.Caller. Its functions are called with the GIL, by the thread that runs the command line.
class PythonCaller : public command::Caller {
public:
    // A borrowed reference, because the caller of the binding holds the object during the call.
    explicit PythonCaller(nb::handle object) : object_(object), opener_(object) {}

    command::Opener* opener() noexcept override { return &opener_; }
    int run_in_python(command::Call& call, const command::Arguments& arguments,
                      const std::vector<std::string>&) override {
        const GilTaken taken;
        const nb::object object = nb::cast(new RunningCommand(call, arguments), nb::rv_policy::take_ownership);
        auto& running = bound<RunningCommand>(object);
        try {
            const int code = to_int(object_.attr("run")(object), "run: exit code");
            running.end();
            return code;
        } catch (nb::python_error& raised) {
            running.end();
            if (nb::isinstance(raised.value(), nb::module_::import_("merklize._native").attr("CommandEnds")))
                running.rethrow_ending();
            throw;
        }
    }
    void prepare_libraries(std::string_view device) override {
        ask([&] { binding::prepare_libraries(device); });
    }
    std::filesystem::path installed() override {
        return ask([&] { return to_path(object_.attr("installed")(), "installed"); });
    }
    bool can_cancel() const noexcept override { return true; }
    bool is_cancelled() override {
        const GilReleased::Interrupted taken_back;
        try {
            check_signals();
            return false;
        } catch (...) {
            raised_ = std::current_exception();
            return true;
        }
    }

    bool keeps(const std::exception_ptr& thrown) override {
        try {
            std::rethrow_exception(thrown);
        } catch (nb::python_error&) {
            raised_ = thrown;
        } catch (...) {}
        return raised_ != nullptr;
    }

    // Raises the Python exception that ended the call, if there was one.
    void raise() {
        if (raised_) std::rethrow_exception(raised_);
    }

private:
    const nb::handle object_;
    PythonOpener opener_;
    std::exception_ptr raised_{};
};

std::string option_of(nb::handle name) { return std::string(to_text(name, "option")); }

std::vector<std::string> to_cells(nb::handle cells) {
    std::vector<std::string> texts;
    for (nb::handle cell : cells) texts.push_back(text_of(cell));
    return texts;
}

void bind_running_command(nb::module_& m) {
    using command::Arguments;
    using command::Call;
    nb::exception<CommandEnds>(m, "CommandEnds", PyExc_BaseException);
    const auto any = nb::arg().none();
    nb::class_<RunningCommand>(m, "Command", "A command of Python's while it runs: its arguments and its output.")
        .def_prop_ro(
            "name",
            [](RunningCommand& self) {
                return self.with([](Call&, const Arguments& given) {
                    const std::string& all = given.usage_name();  // behind "merklize "
                    return to_str(std::string_view(all).substr(all.find(' ') + 1));
                });
            },
            nb::sig("def name(self) -> str"), "As it is typed: \"tune list\".")
        .def_prop_ro(
            "words",
            [](RunningCommand& self) {
                nb::list words;
                self.with([&](Call&, const Arguments& given) {
                    for (const std::string& word : given.words()) words.append(to_file_name(word));
                });
                return words;
            },
            nb::sig("def words(self) -> list[str]"), "What is no option.")
        .def(
            "has",
            [](RunningCommand& self, nb::handle option) {
                return self.with([&](Call&, const Arguments& given) { return given.has(option_of(option)); });
            },
            any, nb::sig("def has(self, option: str, /) -> bool"), "Whether an option is given.")
        .def(
            "values",
            [](RunningCommand& self, nb::handle option) {
                nb::list values;
                self.with([&](Call&, const Arguments& given) {
                    for (const std::string& value : given.values(option_of(option))) values.append(to_file_name(value));
                });
                return values;
            },
            any, nb::sig("def values(self, option: str, /) -> list[str]"), "All values of an option.")
        .def(
            "value",
            [](RunningCommand& self, nb::handle option) -> nb::object {
                return self.with([&](Call&, const Arguments& given) -> nb::object {
                    const auto value = given.value(option_of(option));
                    return value ? nb::object(to_file_name(*value)) : nb::none();
                });
            },
            any, nb::sig("def value(self, option: str, /) -> str | None"), "The last value of an option.")
        .def(
            "count",
            [](RunningCommand& self, nb::handle option, nb::handle otherwise, nb::handle least) {
                return self.with([&](Call&, const Arguments& given) {
                    const auto count = command::count_value(given, option_of(option), to_u64(least, "least"));
                    return count ? *count : to_u64(otherwise, "otherwise");
                });
            },
            any, any, nb::arg("least") = 0,
            nb::sig("def count(self, option: str, otherwise: int, /, least: int = 0) -> int"),
            "The value of an option that is a whole number.")
        .def(
            "size",
            [](RunningCommand& self, nb::handle option) -> nb::object {
                return self.with([&](Call&, const Arguments& given) -> nb::object {
                    const auto size = command::size_value(given, option_of(option));
                    return size ? nb::object(nb::int_(*size)) : nb::none();
                });
            },
            any, nb::sig("def size(self, option: str, /) -> int | None"), "The value that is a size, such as 64K.")
        .def(
            "digest",
            [](RunningCommand& self, nb::handle option) {
                return self.with([&](Call&, const Arguments& given) {
                    const auto digest = command::digest_value(given, option_of(option));
                    if (!digest) throw command::UsageError{"Missing option '--" + option_of(option) + "'."};
                    return to_bytes(digest->bytes);
                });
            },
            any, nb::sig("def digest(self, option: str, /) -> bytes"), "The value, which must be given, of 64 digits.")
        .def(
            "refuse",
            [](RunningCommand& self, nb::handle option, nb::handle why) {
                self.with([&](Call&, const Arguments&) { command::refuse_value(option_of(option), text_of(why)); });
            },
            any, any, nb::sig("def refuse(self, option: str, why: object, /) -> typing.NoReturn"),
            "End it: an option's value is wrong.")
        .def(
            "refuse_line",
            [](RunningCommand& self, nb::handle why) {
                self.with([&](Call&, const Arguments&) { throw command::UsageError{text_of(why)}; });
            },
            any, nb::sig("def refuse_line(self, why: object, /) -> typing.NoReturn"),
            "End it: the command line is wrong.")
        .def(
            "fail",
            [](RunningCommand& self, nb::handle why) {
                self.with([&](Call&, const Arguments&) { throw command::Failure{text_of(why)}; });
            },
            any, nb::sig("def fail(self, why: object, /) -> typing.NoReturn"), "End it: something else went wrong.")
        .def(
            "line",
            [](RunningCommand& self, nb::handle text) {
                self.with([&](Call& call, const Arguments&) { call.line(text_of(text)); });
            },
            any, nb::sig("def line(self, text: str, /) -> None"), "Write a line to standard output.")
        .def(
            "flush", [](RunningCommand& self) { self.with([](Call& call, const Arguments&) { call.flush(); }); },
            "Write what is kept back.")
        .def(
            "standard_output",
            [](RunningCommand& self) {
                return self.with([](Call& call, const Arguments&) { return call.standard_output(); });
            },
            nb::sig("def standard_output(self) -> int"), "The descriptor, behind what was written before.")
        .def(
            "complain",
            [](RunningCommand& self, nb::handle text) {
                self.with([&](Call& call, const Arguments&) { call.complain(text_of(text)); });
            },
            any, nb::sig("def complain(self, text: object, /) -> None"), "Write a line to standard error.")
        .def(
            "begin_bar",
            [](RunningCommand& self, nb::handle what, nb::handle parts) {
                self.begin_bar(text_of(what), to_u64(parts, "parts"));
            },
            any, nb::arg("parts") = 1, nb::sig("def begin_bar(self, what: str, /, parts: int = 1) -> None"),
            "Begin a progress bar over equal parts of the work.")
        .def("show_progress", &RunningCommand::show_progress, "Show how much of a part is done, 0 to 1.")
        .def("end_part", &RunningCommand::end_part, "Count a part as done.");
    define(
        m, "def table_text(rows: collections.abc.Iterable[collections.abc.Iterable[str]], right: str, /) -> str",
        +[](nb::handle rows, nb::handle right) {
            std::vector<std::vector<std::string>> texts;
            for (nb::handle row : rows) texts.push_back(to_cells(row));
            return to_str(command::table_text(texts, to_text(right, "right")));
        });
    define(
        m,
        "def table_row(cells: collections.abc.Iterable[str], widths: collections.abc.Iterable[int], right: str, /) -> "
        "str",
        +[](nb::handle cells, nb::handle widths, nb::handle right) {
            std::vector<std::size_t> sizes;
            for (nb::handle width : widths) sizes.push_back(to_u64(width, "table_row: width"));
            auto texts = to_cells(cells);
            texts.resize(sizes.size());
            return to_str(command::table_row(std::move(texts), sizes, to_text(right, "right")));
        });
    m.def("human_bytes", &command::human_bytes, nb::sig("def human_bytes(count: float, /) -> str"));
    m.def("human_time", &command::human_time, nb::sig("def human_time(seconds: float, /) -> str"));
}

int run_command(nb::handle words, nb::handle streams, nb::handle caller) {
    std::vector<std::string> line;
    for (nb::handle word : words) line.push_back(to_path(word, "run_command: word").string());
    const nb::tuple three = to_tuple(streams, "run_command: streams");
    const auto stream = [&](std::size_t i) { return static_cast<int>(to_i64(three[i], "run_command: stream")); };
    PythonCaller asked(caller);
    command::Call call({stream(0), stream(1), stream(2)}, asked);
    int code = 0;
    Run::without_gil([&] { code = command::run(call, line); });
    asked.raise();
    return code;
}

}  // namespace

void bind_command(nb::module_& m) {
    bind_running_command(m);
    define(m, "def run_command(words: list[bytes], streams: tuple[int, int, int], caller: object, /) -> int",
           run_command);
}

}  // namespace merklize::binding
