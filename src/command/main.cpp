// The program `merklize`: the command line in its own process.
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "command/call.hpp"
#include "command/libraries.hpp"
#include "command/output/progress.hpp"
#include "command/python.hpp"
#include "host/mapped_file.hpp"
#include "jobs/cancelling.hpp"
#include "jobs/progress.hpp"

namespace merklize::command {
namespace {

class Program : public Caller {
public:
    int run_in_python(Call&, const Arguments&, const std::vector<std::string>& line) override { become_python(line); }
    void prepare_libraries(std::string_view device) override { command::prepare_libraries(device); }
    std::filesystem::path installed() override { return python_environment(); }
};

Call* the_call = nullptr;  // for signal handlers, and for callbacks that take no context

// Opens /dev/null in place of closed standard streams, so that no file gets their descriptors.
Streams prepared_streams() {
    int streams[3];
    for (int fd = 0; fd < 3; fd++) {
        const bool is_closed = fcntl(fd, F_GETFD) < 0;
        if (is_closed) static_cast<void>(open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY));  // the lowest free number
        streams[fd] = is_closed ? -1 : fd;
    }
    return {streams[0], streams[1], streams[2]};
}

// No cleanup is needed, because every file that the command writes appears only when it is whole.
void end_by_signal(int number) {
    if (runtime::past_cancelling) return;  // the file is being given its name, or has it
    the_call->erase_bar();
    the_call->tell_kept();
    _exit(128 + number);
}

// SIGPIPE and SIGXFSZ become errors of calls.
void prepare_signals() {
    std::signal(SIGPIPE, SIG_IGN);
#ifdef SIGXFSZ
    std::signal(SIGXFSZ, SIG_IGN);
#endif
    for (const int number : {SIGINT, SIGTERM}) {
        struct sigaction action{};
        if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;  // nohup, background
        action = {};
        action.sa_handler = end_by_signal;
        action.sa_flags = SA_RESTART;
        sigaction(number, &action, nullptr);
    }
}

// A heap of its own for each thread would be five changes of the process's mappings, for which threads that start, or
// touch new pages, wait (docs/notes/files.md).
void share_one_heap() {
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);
#endif
}

}  // namespace
}  // namespace merklize::command

int main(int argc, char** argv) {
    using namespace merklize;
    command::Program program;
    command::Call call(command::prepared_streams(), program);
    command::the_call = &call;
    command::prepare_signals();
    command::share_one_heap();
    runtime::MappedFile::allow();
    runtime::on_compiling = [](std::string_view device, bool kept) {
        command::show_compiling(*command::the_call, device, kept);
    };
    // Everything is written by now. Idle threads need not be stopped.
    _exit(command::run(call, {argv + (argc > 0), argv + argc}));
}
