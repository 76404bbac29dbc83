#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

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

/// Whether a file may get this large. A write beyond the process's limit would not fail: SIGXFSZ would kill the
/// process.
inline bool fits_limit(std::uint64_t bytes) {
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

}  // namespace merklize::runtime
