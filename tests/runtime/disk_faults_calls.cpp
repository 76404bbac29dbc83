// Calls that change the disk and end the process, or fail: the tree file is as before or as after.
#include <csignal>
#include <functional>

#include <fcntl.h>
#include <unistd.h>

#include "child.hpp"
#include "runtime/changed_tree.hpp"
#include "runtime/disk_model.hpp"

using namespace disk_faults;
using namespace support;
using merklize::TreeFile;
using merklize::runtime::DiskCalls;

namespace {

// Calls of the system that end the process at the n-th call, before it or in its middle.
int calls_left = 0;

bool is_last() {
    if (--calls_left < 0) ::kill(::getpid(), SIGKILL);
    return calls_left == 0;
}

// NOLINTNEXTLINE(bugprone-throwing-static-initialization): a constant
constinit const DiskCalls killing{
    .open = [](const char* path, int flags, mode_t mode) { return is_last(), ::open(path, flags, mode); },
    .pwrite =
        [](int fd, const void* data, std::size_t bytes, off_t offset) {
            if (!is_last()) return ::pwrite(fd, data, bytes, offset);
            (void)!::pwrite(fd, data, bytes / 2, offset);
            ::kill(::getpid(), SIGKILL);
            return ssize_t{-1};
        },
    .copy_range = [](int, off_t*, int, off_t*, std::size_t) -> ssize_t { return errno = EOPNOTSUPP, -1; },
    .ftruncate = [](int fd, off_t bytes) { return is_last(), ::ftruncate(fd, bytes); },
    .fsync = [](int fd) { return is_last(), ::fsync(fd); },
    .fdatasync = [](int fd) { return is_last(), ::fsync(fd); },
    .rename = [](const char* from, const char* to) { return is_last(), ::rename(from, to); },
    .unlink = [](const char* path) { return is_last(), ::unlink(path); },
};

int in_killed_child(int at, const std::function<void()>& work) {
    return child::in_fork([&] {
        calls_left = at;
        const With with(killing);
        work();
        return 0;
    });
}

}  // namespace

TEST("disk_faults: an update that is killed at every call, and rollings back that are, too") {
    const Changed one;
    for (const bool in_place : {true, false}) {
        merklize::runtime::changes_in_place = in_place;
        int at = 0, killed_again = 0;
        bool was_after = false;
        for (bool done = false; !done; ++at) {
            one.begin();
            done = in_killed_child(at, [&] { one.update(); }) == 0;
            for (int again = 0; again < 4; ++again) {
                killed_again += in_killed_child(at + again, [&] { TreeFile(one.path).root(); }) != 0;
            }
            const bool is_after = one.state(one.updated());
            CHECK(is_after || !was_after);  // from one call on, the state is that after the change
            was_after = is_after;
            CHECK(is_after || !done);
        }
        CHECK(at > 5 && was_after);
        (void)killed_again;
    }
    merklize::runtime::changes_in_place = true;
}

namespace {

int failures_from = 0, failures_to = 0, calls_made = 0;

bool fails() {
    const bool does = calls_made >= failures_from && calls_made < failures_to;
    ++calls_made;
    errno = EIO;
    return does;
}

// NOLINTNEXTLINE(bugprone-throwing-static-initialization): a constant
constinit const DiskCalls failing{
    .open = [](const char* path, int flags, mode_t mode) { return fails() ? -1 : ::open(path, flags, mode); },
    .pwrite = [](int fd, const void* data, std::size_t bytes,
                 off_t offset) { return fails() ? ssize_t{-1} : ::pwrite(fd, data, bytes, offset); },
    .copy_range = [](int, off_t*, int, off_t*, std::size_t) -> ssize_t { return errno = EOPNOTSUPP, -1; },
    .ftruncate = [](int fd, off_t bytes) { return fails() ? -1 : ::ftruncate(fd, bytes); },
    .fsync = [](int fd) { return fails() ? -1 : ::fsync(fd); },
    .fdatasync = [](int fd) { return fails() ? -1 : ::fsync(fd); },
    .rename = [](const char* from, const char* to) { return fails() ? -1 : ::rename(from, to); },
    .unlink = [](const char* path) { return fails() ? -1 : ::unlink(path); },
};

}  // namespace

TEST("disk_faults: calls that fail: an error leaves the file as before") {
    const Changed one;
    for (const int length : {1, 1000}) {  // one call fails, or all from there on
        for (int from = 0;; ++from) {
            one.begin();
            bool threw = false;
            {
                failures_from = from;
                failures_to = from + length;
                calls_made = 0;
                const With with(failing);
                try {
                    one.update();
                } catch (const merklize::Error& error) {
                    CHECK(error.code() == merklize::ErrorCode::io);
                    CHECK_EQ(error.system_error(), EIO);
                    threw = true;
                }
            }
            const bool is_after = one.state(one.updated());
            const bool at_the_end =
                calls_made <= from + 1;  // the folder's sync: the change is done, but perhaps not on the disk
            if (threw && !at_the_end) CHECK(!is_after);
            if (!threw) CHECK(is_after);
            if (calls_made <= from) break;
            CHECK(from < 200);
        }
    }
}
