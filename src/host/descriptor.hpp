#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "host/disk_calls.hpp"

namespace merklize::runtime {

/// A file descriptor that this object owns and closes, or none.
class Descriptor {
public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    explicit operator bool() const { return fd_ >= 0; }
    int get() const { return fd_; }
    /// A write may fail as late as here (network file systems).
    bool close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

private:
    int fd_;
};

/// Whether a file may get this large. A write beyond the process's limit would not fail, but kill the process by
/// SIGXFSZ.
inline bool fits_limit(std::uint64_t bytes) {
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

/// Writes at the descriptor's position.  returns  errno's value, or 0
inline int write_all(int fd, std::span<const std::byte> data) {
    while (!data.empty()) {
        const ssize_t count = ::write(fd, data.data(), data.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno;
        data = data.subspan(static_cast<std::size_t>(count));
    }
    return 0;
}

/// Writes from byte `offset` of the file on.  returns  errno's value, or 0
inline int write_all(int fd, std::span<const std::byte> data, std::uint64_t offset) {
    while (!data.empty()) {
        const ssize_t count = disk_calls.pwrite(fd, data.data(), data.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno;
        data = data.subspan(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
    return 0;
}

/// Makes the names in the folder of `path` survive a power failure.  returns  errno's value, or 0
inline int sync_folder(const std::filesystem::path& path) {
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return opened && disk_calls.fsync(opened.get()) == 0 ? 0 : errno;
}

}  // namespace merklize::runtime
