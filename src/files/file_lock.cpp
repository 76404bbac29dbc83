#include "files/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>

#include "merklize/error.hpp"

namespace merklize::runtime {

FileLock::FileLock(const std::filesystem::path& path, const std::function<bool()>& wait) {
    constexpr int flags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    const auto wait_for_holder = [&] {
        if (wait && !wait()) throw Error(ErrorCode::io, path.string() + ": another process is changing it");
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    };
    for (;;) {
        // Open for writing if that is allowed: NFS locks no file that is open for reading only.
        Descriptor file(open(path.c_str(), O_RDWR | flags));
        if (!file && (errno == EACCES || errno == EROFS || errno == EPERM || errno == ETXTBSY)) {
            file = Descriptor(open(path.c_str(), O_RDONLY | flags));
        }
        if (!file) {
            // Another process changes the file in place, and holds a lease that lets nobody else open it.
            if (errno == EWOULDBLOCK) {
                wait_for_holder();
                continue;
            }
            // A file that may be replaced but not opened cannot be locked.
            if (errno == ENOENT || errno == EACCES || errno == EPERM) return;
            throw Error(ErrorCode::io,
                        path.string() + ": cannot open to lock it: " + std::generic_category().message(errno));
        }
        while (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
            if (errno == EINTR) continue;
            if (errno != EWOULDBLOCK) break;  // this file system has no such locks
            wait_for_holder();
        }
        struct stat locked, named;
        if (fstat(file.get(), &locked) == 0 && stat(path.c_str(), &named) == 0 && locked.st_ino == named.st_ino &&
            locked.st_dev == named.st_dev) {
            file_ = std::move(file);
            return;
        }
    }
}

// Unlocks explicitly, because a forked child shares the lock, which would otherwise last until the child closes its
// copy.
FileLock::~FileLock() {
    if (file_) flock(file_.get(), LOCK_UN);
}

}  // namespace merklize::runtime
