#pragma once

#include <filesystem>
#include <functional>

#include "host/descriptor.hpp"

namespace merklize::runtime {

/// The right to replace a file, among all processes and threads that ask for it: an exclusive flock() on the file. Readers need none.
/// A file system without such locks gives the right to everybody.
class FileLock {
public:
    /// Nobody's.
    FileLock() = default;
    /// Waits until nobody else has it. Who had it may have replaced the file meanwhile: then the new file is locked, so that the path
    /// names the locked file when this returns. Where there is no file there is nothing to lock.
    /// wait    called about every 10 ms while somebody else has it; returning false ends the waiting
    /// errors  io (the file cannot be opened; `wait` returned false: another process is changing it)
    explicit FileLock(const std::filesystem::path& path, const std::function<bool()>& wait = {});
    FileLock(FileLock&&) noexcept = default;
    FileLock& operator=(FileLock&&) noexcept = default;
    ~FileLock();

    explicit operator bool() const noexcept { return static_cast<bool>(file_); }

private:
    Descriptor file_{};
};

}  // namespace merklize::runtime
