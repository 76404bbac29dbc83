#pragma once

#include <cstdlib>
#include <iostream>
#include <string>
#include <type_traits>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

// Tests in a process of their own: a forked one, or this program started again.
namespace child {

/// Starts a child of fork() that runs `body` and ends: with what it returns, or 0 for true and 1 for false. One that hangs is killed.
template <class Body>
pid_t start(Body body) {
    std::cout << std::flush;
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(60);
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

/// Exit status of `body` in a child of fork(), as start() has it.
template <class Body>
int in_fork(Body body) {
    return end_of(start(body));
}

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
