// The command line, for Python's processes: it handles no signal, ends no process, and asks Python for what only Python can do.
#include <exception>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "command/call.hpp"
#include "command/endings.hpp"
#include "module.hpp"
#include "run.hpp"
#include "source.hpp"

namespace merklize::binding {

namespace {

// merklize.__main__.Caller. Its functions are called with the GIL, by the thread that runs the command line.
class PythonCaller : public command::Caller {
    // The library's errors become those of the command line. Any other exception ends the call, and is raised at its end.
    template <class Work>
    auto ask(const Work& work) {
        try {
            return in_python(work);
        } catch (const Error&) {
            throw;
        } catch (nb::python_error& raised) {
            const GilReleased::Interrupted taken_back;
            if (nb::isinstance(raised.value(), nb::module_::import_("merklize.errors").attr("Error")))
                throw command::Failure{text_of(raised.value())};
            raised_ = std::current_exception();
            throw Error(ErrorCode::cancelled, "an exception of Python");
        } catch (...) {
            raised_ = std::current_exception();
            throw Error(ErrorCode::cancelled, "an exception of Python");
        }
    }

public:
    // A borrowed reference: the caller of the binding has it for as long as the call lasts.
    explicit PythonCaller(nb::handle object) : object_(object) {}

    int hand_over(const std::vector<std::string>& words) override {
        return ask([&] {
            nb::list list;
            for (const std::string& word : words) list.append(to_file_name(word));
            return to_int(object_.attr("hand_over")(list), "hand_over");
        });
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

    // Raises what ended the call, if it was an exception of Python's.
    void raise() {
        if (raised_) std::rethrow_exception(raised_);
    }

private:
    const nb::handle object_;
    std::exception_ptr raised_{};
};

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
    define(m, "run_command", run_command,
           "def run_command(words: list[bytes], streams: tuple[int, int, int], caller: object, /) -> int");
}

}  // namespace merklize::binding
