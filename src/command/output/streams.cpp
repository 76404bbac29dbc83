#include "command/output/streams.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>

#include "command/endings.hpp"
#include "command/line/values.hpp"
#include "command/output/progress.hpp"
#include "command/output/text.hpp"

namespace merklize::command {
namespace {

bool closed[3];
std::atomic<const KeptByInterruption*> kept_file{nullptr};

}  // namespace

// Calls what may be called in a signal handler.
void end_by_signal(int number) {
    erase_bar();
    if (const KeptByInterruption* kept = kept_file; kept != nullptr && access(kept->path_.c_str(), F_OK) == 0)
        static_cast<void>(!::write(STDERR_FILENO, kept->text_.data(), kept->text_.size()));
    _exit(128 + number);
}

KeptByInterruption::KeptByInterruption(const std::string& path)
    : path_(path),
      text_("merklize: interrupted; " + sentence(path) + " is kept, and the same command goes on from there\n") {
    kept_file = this;
}

KeptByInterruption::~KeptByInterruption() { kept_file = nullptr; }

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

std::size_t columns_of(int fd) noexcept {
    constexpr std::size_t usual = 80, least = 20;
    const char* set = std::getenv("COLUMNS");
    std::uint64_t width = plain_number(set == nullptr ? "" : set).value_or(0);
    if (winsize size{}; width == 0 && ioctl(fd, TIOCGWINSZ, &size) == 0) width = size.ws_col;
    return width == 0 ? usual : std::max<std::size_t>(width, least);
}

int standard_input() {
    if (was_closed(STDIN_FILENO)) throw Failure{"standard input is closed"};
    return STDIN_FILENO;
}

}  // namespace merklize::command
