#pragma once

#include <filesystem>
#include <functional>

#include "host/descriptor.hpp"

namespace merklize::runtime {

/// The right to replace a file, among all processes and threads that ask for it: an exclusive flock() on the file.
/// Readers need none. On a file system without such locks everybody gets the right.
class FileLock {
public:
    /// Holds no lock.
    FileLock() = default;
    /// Waits until nobody else holds the lock. If the last holder replaced the file, the new file is locked: when this
    /// returns, the path names the locked file. If there is no file, nothing is locked.
    /// wait    called about every 10 ms while somebody else holds the lock; returning false ends the waiting
    /// errors  io (the file cannot be opened; `wait` returned false: another process is changing it)
    explicit FileLock(const std::filesystem::path& path, const std::function<bool()>& wait = {});
    FileLock(FileLock&&) noexcept = default;
    FileLock& operator=(FileLock&&) noexcept = default;
    ~FileLock();

    explicit operator bool() const noexcept { return static_cast<bool>(file_); }
    /// The locked file, open for reading and, if the process may, for writing. It belongs to this object.
    int fd() const noexcept { return file_.get(); }

private:
    Descriptor file_{};
};

}  // namespace merklize::runtime
