#pragma once

#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <string>
#include <type_traits>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

// Runs tests in a process of their own: a child of fork(), or this program started again.
namespace child {

/// Starts a child of fork() that runs `body`. Its exit status is the result of `body`, or 0 for true and 1 for false. A
/// child that hangs for 20 minutes is killed.
template <class Body>
pid_t start(Body body) {
    std::cout << std::flush;
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(1200);
        const auto result = body();
        if constexpr (std::is_same_v<decltype(result), const bool>) ::_exit(result ? 0 : 1);
        ::_exit(result);
    }
    return child;
}

/// Exit status of a child; -1 if it was killed, or never started.
inline int end_of(pid_t child) {
    int status = -1;
    if (child < 0 || ::waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The exit status of a child of fork() that runs `body`, as for start().
template <class Body>
int in_fork(Body body) {
    return end_of(start(body));
}

/// Counts the steps of a child, so that its parent knows when to kill it. Must be made before the child.
class Steps {
public:
    Steps() : made_(::pipe2(ends_, O_CLOEXEC | O_NONBLOCK) == 0) {}
    Steps(const Steps&) = delete;
    Steps& operator=(const Steps&) = delete;
    ~Steps() {
        for (const int end : ends_) ::close(end);
    }

    /// For the child: one more step is done.
    void tell() const { (void)!::write(ends_[1], "", 1); }

    /// For the parent: waits for one step. False if the child ended first.
    bool wait() {
        ::close(std::exchange(ends_[1], -1));
        pollfd told{.fd = ends_[0], .events = POLLIN, .revents = 0};
        while (::poll(&told, 1, -1) < 0 && errno == EINTR) {}
        return made_ && (told.revents & POLLIN) != 0;
    }

private:
    int ends_[2] = {-1, -1};
    bool made_;
};

/// True in a process that in_new_process() started. A test that needs one does nothing elsewhere.
inline bool is_new_process() { return std::getenv("MERKLIZE_TEST_CHILD") != nullptr; }

/// Exit status of this program started again for the tests of that name.
inline int in_new_process(const char* name) {
    setenv("MERKLIZE_TEST_CHILD", "1", 1);
    std::string program = "/proc/self/exe", which = name;
    char* arguments[] = {program.data(), which.data(), nullptr};
    pid_t child = -1;
    const int started = ::posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ);
    unsetenv("MERKLIZE_TEST_CHILD");
    return end_of(started == 0 ? child : -1);
}

}  // namespace child
