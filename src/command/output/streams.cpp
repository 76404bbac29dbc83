#include "command/output/streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "command/endings.hpp"
#include "command/output/progress.hpp"

namespace merklize::command {
namespace {

bool closed[3];

extern "C" void end_by_signal(int number) {
    erase_bar();
    _exit(128 + number);
}

}  // namespace

void prepare_streams() {
    for (int fd = 0; fd < 3; fd++) {
        closed[fd] = fcntl(fd, F_GETFD) < 0;
        if (closed[fd]) static_cast<void>(open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY));  // the lowest free number
    }
    std::signal(SIGPIPE, SIG_IGN);
#ifdef SIGXFSZ
    std::signal(SIGXFSZ, SIG_IGN);
#endif
    for (const int number : {SIGINT, SIGTERM}) {
        struct sigaction action{};
        if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;  // nohup, background
        action = {};
        action.sa_handler = end_by_signal;
        sigaction(number, &action, nullptr);
    }
}

bool was_closed(int fd) noexcept { return closed[fd]; }

int standard_input() {
    if (was_closed(STDIN_FILENO)) throw Failure{"standard input is closed"};
    return STDIN_FILENO;
}

}  // namespace merklize::command
