#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>

namespace merklize::runtime {

/// The system calls by which `atomic_file` and `journal` change what is on a disk. Their order decides what a power
/// failure leaves. Tests replace them: by a disk that loses, tears and reorders unsynced writes, and by a process that
/// is killed at a call.
struct DiskCalls {
    int (*open)(const char* path, int flags, mode_t mode);
    ssize_t (*pwrite)(int fd, const void* data, std::size_t bytes, off_t offset);
    /// copy_file_range(); fails with EOPNOTSUPP where the system has none.
    ssize_t (*copy_range)(int from, off_t* from_offset, int to, off_t* to_offset, std::size_t bytes);
    int (*ftruncate)(int fd, off_t bytes);
    int (*fsync)(int fd);
    int (*fdatasync)(int fd);
    int (*rename)(const char* from, const char* to);
    int (*unlink)(const char* path);
};

// NOLINTNEXTLINE(bugprone-throwing-static-initialization): a constant
inline constinit DiskCalls disk_calls{
    .open = [](const char* path, int flags, mode_t mode) { return ::open(path, flags, mode); },
    .pwrite = ::pwrite,
    .copy_range = [](int from, off_t* from_offset, int to, off_t* to_offset, std::size_t bytes) -> ssize_t {
#ifdef __linux__
        off64_t in = *from_offset, out = *to_offset;
        const ssize_t count = ::copy_file_range(from, &in, to, &out, bytes, 0);
        *from_offset = in;
        *to_offset = out;
        return count;
#else
        (void)from, (void)from_offset, (void)to, (void)to_offset, (void)bytes;
        errno = EOPNOTSUPP;
        return -1;
#endif
    },
    .ftruncate = ::ftruncate,
    .fsync = ::fsync,
#ifdef __APPLE__
    .fdatasync = ::fsync,
#else
    .fdatasync = ::fdatasync,
#endif
    .rename = ::rename,
    .unlink = ::unlink,
};

}  // namespace merklize::runtime
