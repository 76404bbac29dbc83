#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "files/file_lock.hpp"
#include "host/descriptor.hpp"

namespace merklize::runtime {

/// Whether files may be made without a name (O_TMPFILE) where the file system can. Tests turn it off.
inline constinit std::atomic<bool> unnamed_files{true};

/// A file that gets its name when it is complete and on the disk. Until then, and also if the process is killed, the
/// old file stays. A link is followed: its target is replaced. The new file has the permissions of the old one. Every
/// function throws io with the path and the system's text.
class AtomicFile {
public:
    /// Called between pieces of what may take long; it throws to end that.
    using Ask = std::function<bool()>;

    /// The file has no name until commit(), so a killed process leaves nothing behind. Only a process that is killed
    /// between the two last system calls of a replacement leaves ".NAME.0.tmp", which the next replacement removes.
    /// Where the file system has no files without a name, the file has a hidden name in the same folder, ".NAME.*.tmp",
    /// from the beginning; leftovers of killed processes under such names are removed.
    /// lock  the lock on the file that is to be replaced, if the caller needs it before commit()
    static AtomicFile temporary(const std::filesystem::path& path, FileLock lock = {});
    /// PATH.partial, with links followed; a shorter name where that one is too long for its folder.
    static std::filesystem::path partial_of(const std::filesystem::path& path);
    /// The file is partial_of(PATH), and stays there if it is not committed. If it exists already, it is opened as it
    /// is. One process at a time may have it.
    static AtomicFile partial(const std::filesystem::path& path);

    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;
    ~AtomicFile();

    /// The name that the file gets at commit().
    const std::filesystem::path& path() const noexcept { return path_; }
    std::uint64_t size() const;
    void write(std::span<const std::byte> data, std::uint64_t offset);
    /// Reads exactly out.size() bytes.
    void read(std::span<std::byte> out, std::uint64_t offset) const;
    /// Copies bytes [from, from + bytes) of another file, inside the kernel; the file system shares them where it can.
    void copy(int source, std::uint64_t from, std::uint64_t bytes, std::uint64_t offset);

    /// Throws io, with the numbers, if a file of `bytes` bytes needs more than the free space of its disk or passes the
    /// process's limit.
    void require_space(std::uint64_t bytes) const;
    /// Allocates the space of a file of `bytes` bytes now, where the system can. If that fails, gives it back.
    void allocate(std::uint64_t bytes);
    /// require_space() and allocate(), so that a disk that is too small is found before the work.
    void reserve(std::uint64_t bytes) {
        require_space(bytes);
        allocate(bytes);
    }
    void resize(std::uint64_t bytes);

    /// Begins to write these bytes to the disk, without waiting.
    void start_sync(std::uint64_t offset, std::uint64_t bytes) noexcept;
    /// Waits until everything written is on the disk.
    void sync(const Ask& ask = {});
    /// sync(), and waits until nobody else is changing the file of that name.
    void prepare(const Ask& ask = {});
    /// prepare(), and takes the place of that file.
    /// last  called between the two: from then on nothing can be undone
    void commit(const Ask& ask = {}, const Ask& last = {});
    /// Removes a partial file, so that nobody continues it.
    void discard() noexcept;

private:
    AtomicFile(const std::filesystem::path& path);
    bool open_unnamed();
    void open_hidden();
    void give_name();
    void write_back(const Ask& ask);
    void remove_journal();
    void require_synced_folder() const;
    std::filesystem::path folder() const { return path_.has_parent_path() ? path_.parent_path() : "."; }
    [[noreturn]] void fail(const std::string& what, int error_number) const;

    std::filesystem::path path_;       // with links followed
    std::filesystem::path written_{};  // its name until commit(), if it has one
    FileLock lock_{};                  // on the file of path_
    Descriptor file_{};
    bool keep_ = true;  // the name written_ stays at the end
};

}  // namespace merklize::runtime
