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
    // A borrowed reference to the caller, who makes it when it is asked for.
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
    void write(const std::string& url, std::span<const std::byte> content) override {
        ask([&] { opener().attr("write")(to_file_name(url), to_bytes(content)); });
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

// merklize.__main__.Caller. Its functions are called with the GIL, by the thread that runs the command line.
class PythonCaller : public command::Caller {
public:
    // A borrowed reference: the caller of the binding has it for as long as the call lasts.
    explicit PythonCaller(nb::handle object) : object_(object), opener_(object) {}

    command::Opener* opener() noexcept override { return &opener_; }
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

    bool keeps(const std::exception_ptr& thrown) override {
        try {
            std::rethrow_exception(thrown);
        } catch (nb::python_error&) {
            raised_ = thrown;
        } catch (...) {}
        return raised_ != nullptr;
    }

    // Raises what ended the call, if it was an exception of Python's.
    void raise() {
        if (raised_) std::rethrow_exception(raised_);
    }

private:
    const nb::handle object_;
    PythonOpener opener_;
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
