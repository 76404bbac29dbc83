#include "files/atomic_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <vector>

#include "files/beside.hpp"
#include "files/journal.hpp"
#include "host/descriptor.hpp"
#include "host/disk_calls.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

constexpr int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
constexpr mode_t usual_mode = 0666;  // less the process's umask

constexpr std::size_t most_marks = 64;  // bytes of a hidden name beside the file's own

// What the hidden names for a file begin with.
std::string hidden_begin(const std::filesystem::path& path) { return "." + name_for(path, most_marks) + "."; }

// A name that is new in this process, and nearly always new in a folder shared by machines: O_EXCL rarely fails.
std::string unique_name(const std::string& begin) {
    static std::atomic<std::uint64_t> count{0};
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return begin + std::to_string(getpid()) + "-" + std::to_string(count++) + "-" + std::to_string(now.tv_nsec) +
           ".tmp";
}

off_t to_offset(std::uint64_t offset) { return static_cast<off_t>(offset); }

// Removes leftovers of killed processes: hidden files with this beginning that are not locked and were not written to
// for a while.
void remove_leftovers(const std::filesystem::path& folder, const std::string& begin) {
    constexpr std::time_t old_seconds = 60;  // a file is locked within moments of being made
    const std::string end = ".tmp";
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), last; !error && entry != last;
         entry.increment(error)) {
        const std::string found = entry->path().filename().string();
        if (found.size() <= begin.size() + end.size() || !found.starts_with(begin) || !found.ends_with(end) ||
            found.find_first_not_of("0123456789-", begin.size()) != found.size() - end.size()) {
            continue;
        }
        const Descriptor file(open(entry->path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
        struct stat info;
        if (!file || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
        if (std::time(nullptr) - info.st_mtime < old_seconds || flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;
        disk_calls.unlink(entry->path().c_str());
    }
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& path) : path_(follow_links(path)) {
    struct stat info;
    if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
        throw Error(ErrorCode::io, path.string() + ": cannot write: not a regular file");
    }
    // Before the work: the names beside it may be short enough where its own is not.
    if (lstat(path_.c_str(), &info) != 0 && errno == ENAMETOOLONG) fail("cannot write", ENAMETOOLONG);
}

AtomicFile AtomicFile::temporary(const std::filesystem::path& path, FileLock lock) {
    AtomicFile out(path);
    out.lock_ = std::move(lock);
    if (!out.open_unnamed()) out.open_hidden();
    return out;
}

// False if the file system has no files without a name, or cannot name one later.
bool AtomicFile::open_unnamed() {
#ifdef O_TMPFILE
    if (!unnamed_files || access("/proc/self/fd", X_OK) != 0) return false;
    file_ = Descriptor(open(folder().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, usual_mode));
#endif
    return static_cast<bool>(file_);
}

void AtomicFile::open_hidden() {
    const std::string begin = hidden_begin(path_);
    remove_leftovers(folder(), begin);
    for (int tries = 0; !file_ && tries < 16; tries++) {
        written_ = path_.parent_path() / unique_name(begin);
        file_ = Descriptor(disk_calls.open(written_.c_str(), flags | O_EXCL, usual_mode));
        if (!file_ && errno != EEXIST) break;
    }
    if (!file_) fail("cannot make a file beside it", errno);
    keep_ = false;
    flock(file_.get(), LOCK_EX | LOCK_NB);  // tells remove_leftovers() that the file is in use
}

// Puts the file without a name under path_. If there is no such file yet, one system call does it. An old file can only
// be replaced by renaming, so the new file has a hidden name for a moment. While the old file is locked, nobody else
// uses that name; a file that is found there was left by a process that was killed in that moment.
void AtomicFile::give_name() {
    const std::string unnamed = "/proc/self/fd/" + std::to_string(file_.get());
    const auto link_to = [&](const std::filesystem::path& name) {
        return linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (!lock_ && link_to(path_)) return;
    const std::string begin = hidden_begin(path_);
    for (int tries = 0; tries < 16; tries++) {
        const bool may_be_left = lock_ && tries < 2;
        const auto hidden = path_.parent_path() / (may_be_left ? begin + "0.tmp" : unique_name(begin));
        if (link_to(hidden)) {
            written_ = hidden;
            keep_ = false;
            return;
        }
        if (errno != EEXIST) break;
        if (may_be_left) disk_calls.unlink(hidden.c_str());  // fails if it is another user's
    }
    fail("cannot name the new file", errno);
}

std::filesystem::path AtomicFile::partial_of(const std::filesystem::path& path) {
    return beside(follow_links(path), ".partial");
}

AtomicFile AtomicFile::partial(const std::filesystem::path& path) {
    AtomicFile out(path);
    out.written_ = partial_of(path);
    const auto refuse = [&] {
        throw Error(ErrorCode::io, out.written_.string() + ": cannot write: another build is writing it");
    };
    // Between opening and locking, another process may have finished and renamed the file. Then this process must not
    // write to it.
    for (int tries = 0; tries < 16; tries++) {
        out.file_ = Descriptor(disk_calls.open(out.written_.c_str(), flags | O_EXCL, usual_mode));
        const bool is_new = static_cast<bool>(out.file_);
        if (!is_new && errno == EEXIST) {
            out.file_ = Descriptor(disk_calls.open(out.written_.c_str(), flags & ~O_CREAT, usual_mode));
            if (!out.file_ && errno == ENOENT) continue;
        }
        if (!out.file_) {
            const int reason = errno;
            const std::string why = reason == ELOOP ? "a link, which is not followed; remove it first"
                                                    : std::generic_category().message(reason);
            throw Error(ErrorCode::io, out.written_.string() + ": cannot open: " + why, reason == ELOOP ? 0 : reason,
                        out.written_.string());
        }
        struct stat opened, named;
        if (fstat(out.file_.get(), &opened) != 0) out.fail("cannot stat " + out.written_.string(), errno);
        if (!S_ISREG(opened.st_mode)) {
            throw Error(ErrorCode::io, out.written_.string() + ": cannot write: not a regular file");
        }
        if (flock(out.file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) refuse();
        if (lstat(out.written_.c_str(), &named) != 0 || named.st_ino != opened.st_ino || named.st_dev != opened.st_dev)
            continue;
        // Another owner could change what is resumed. With another link, the file behind that link would be
        // overwritten.
        if (!is_new && ((opened.st_uid != geteuid() && opened.st_uid != 0) || named.st_nlink != 1)) {
            throw Error(ErrorCode::io,
                        out.written_.string() + ": cannot write: it must have one link and belong to user " +
                            std::to_string(geteuid()) + " or root, but it has " + std::to_string(named.st_nlink) +
                            " and belongs to user " + std::to_string(opened.st_uid) + "; remove it first");
        }
        return out;
    }
    refuse();
    return out;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      written_(std::move(other.written_)),
      lock_(std::move(other.lock_)),
      file_(std::move(other.file_)),
      keep_(std::exchange(other.keep_, true)) {}

AtomicFile::~AtomicFile() {
    if (!keep_) disk_calls.unlink(written_.c_str());
}

void AtomicFile::fail(const std::string& what, int error_number) const {
    throw Error(ErrorCode::io, path_.string() + ": " + what + ": " + std::generic_category().message(error_number),
                error_number, path_.string());
}

std::uint64_t AtomicFile::size() const {
    struct stat info;
    if (fstat(file_.get(), &info) != 0) fail("cannot stat", errno);
    return static_cast<std::uint64_t>(info.st_size);
}

void AtomicFile::write(std::span<const std::byte> data, std::uint64_t offset) {
    if (!fits_limit(offset + data.size())) fail("cannot write", EFBIG);
    if (const int error = write_all(file_.get(), data, offset); error != 0) fail("cannot write", error);
}

void AtomicFile::read(std::span<std::byte> out, std::uint64_t offset) const {
    while (!out.empty()) {
        const ssize_t count = pread(file_.get(), out.data(), out.size(), to_offset(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail("cannot read what was written", errno);
        if (count == 0) {
            throw Error(ErrorCode::io, (written_.empty() ? path_ : written_).string() +
                                           ": shrank while being written: it ends at byte " + std::to_string(offset));
        }
        out = out.subspan(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
}

void AtomicFile::copy(int source, std::uint64_t from, std::uint64_t bytes, std::uint64_t offset) {
    if (!fits_limit(offset + bytes)) fail("cannot write", EFBIG);
    while (bytes != 0) {
        off_t in = to_offset(from), out = to_offset(offset);
        const ssize_t count = disk_calls.copy_range(source, &in, file_.get(), &out, bytes);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;  // not possible between these files, or the source ends; the read below tells which
        from += static_cast<std::uint64_t>(count);
        offset += static_cast<std::uint64_t>(count);
        bytes -= static_cast<std::uint64_t>(count);
    }
    std::vector<std::byte> piece(std::min<std::uint64_t>(bytes, 1 << 20));
    while (bytes != 0) {
        const ssize_t count =
            pread(source, piece.data(), std::min<std::uint64_t>(bytes, piece.size()), to_offset(from));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail("cannot read what is to be copied", errno);
        if (count == 0) throw Error(ErrorCode::io, path_.string() + ": shrank while being copied");
        write(std::span(piece).first(static_cast<std::size_t>(count)), offset);
        from += static_cast<std::uint64_t>(count);
        offset += static_cast<std::uint64_t>(count);
        bytes -= static_cast<std::uint64_t>(count);
    }
}

void AtomicFile::require_space(std::uint64_t bytes) const {
    if (!fits_limit(bytes)) fail("cannot write " + std::to_string(bytes) + " bytes", EFBIG);
    struct stat info;
    if (fstat(file_.get(), &info) != 0) fail("cannot stat", errno);
    const auto taken = 512 * static_cast<std::uint64_t>(info.st_blocks);
    struct statvfs disk;
    // File systems that do not count their space report 0 blocks.
    if (bytes <= taken || fstatvfs(file_.get(), &disk) != 0 || disk.f_blocks == 0) return;
    const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
    if (bytes - taken > free) {
        fail("cannot write " + std::to_string(bytes) + " bytes: they need " + std::to_string(bytes - taken) +
                 " bytes more, the disk has " + std::to_string(free) + " free",
             ENOSPC);
    }
}

void AtomicFile::allocate(std::uint64_t bytes) {
    if (!fits_limit(bytes)) fail("cannot write " + std::to_string(bytes) + " bytes", EFBIG);
#ifdef __linux__
    const std::uint64_t before = size();
    int result = 0;
    do {
        result = fallocate(file_.get(), 0, 0, to_offset(bytes));
    } while (result != 0 && errno == EINTR);
    if (result == 0 || errno == EOPNOTSUPP || errno == ENOSYS) return;
    const int reason = errno;
    // When the disk is full, ext4 keeps what it has allocated, even beyond the file's size.
    if (disk_calls.ftruncate(file_.get(), to_offset(before)) != 0)
        fail("cannot give back the space of a failed write", errno);
    fail("cannot write " + std::to_string(bytes) + " bytes", reason);
#endif
}

void AtomicFile::resize(std::uint64_t bytes) {
    if (disk_calls.ftruncate(file_.get(), to_offset(bytes)) != 0) fail("cannot set the size", errno);
}

void AtomicFile::start_sync(std::uint64_t offset, std::uint64_t bytes) noexcept {
#ifdef __linux__
    sync_file_range(file_.get(), to_offset(offset), to_offset(bytes), SYNC_FILE_RANGE_WRITE);
#else
    (void)offset, (void)bytes;
#endif
}

// Writes to the disk piece by piece, so that the caller is asked meanwhile. Then little is left for fsync().
void AtomicFile::write_back(const Ask& ask) {
#ifdef __linux__
    constexpr std::uint64_t piece = 16 << 20;
    constexpr unsigned how = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    for (std::uint64_t offset = 0, bytes = ask ? size() : 0; offset < bytes; offset += piece) {
        ask();
        if (sync_file_range(file_.get(), to_offset(offset), to_offset(piece), how) == 0) continue;
        if (errno == EIO || errno == ENOSPC || errno == EDQUOT) fail("cannot write", errno);
        return;  // this file system cannot
    }
#else
    (void)ask;
#endif
}

void AtomicFile::sync(const Ask& ask) {
    write_back(ask);
    if (disk_calls.fdatasync(file_.get()) != 0) fail("cannot write", errno);
}

void AtomicFile::prepare(const Ask& ask) {
    write_back(ask);
    if (disk_calls.fsync(file_.get()) != 0) fail("cannot write", errno);
    if (!lock_) lock_ = FileLock(path_, ask);
    struct stat old, mine;
    if (stat(path_.c_str(), &old) == 0 && fstat(file_.get(), &mine) == 0 &&
        (old.st_mode & 07777) != (mine.st_mode & 07777) &&
        (fchmod(file_.get(), old.st_mode & 07777) != 0 || disk_calls.fsync(file_.get()) != 0)) {
        fail("cannot keep the file's permissions", errno);
    }
}

void AtomicFile::commit(const Ask& ask, const Ask& last) {
    prepare(ask);
    if (last) last();
    remove_journal();
    if (written_.empty()) give_name();
    if (!written_.empty() && disk_calls.rename(written_.c_str(), path_.c_str()) != 0) {
        fail("cannot rename " + written_.string(), errno);
    }
    keep_ = true;
    // The file is complete, so others may change it now, even while this object lives on.
    file_.close();
    lock_ = {};
    require_synced_folder();  // the new name must survive a power failure
}

// A journal of the old file would roll back bytes of the new one, so it is removed.
void AtomicFile::remove_journal() {
    const std::filesystem::path journal = journal_of(path_);
    if (!may_be_journal(journal)) return;
    try {
        roll_back(path_, lock_);
    } catch (const Error&) {  // the old file is replaced anyway
    }
    if (disk_calls.unlink(journal.c_str()) != 0 && errno != ENOENT) {
        const int reason = errno;
        if (has_journal(path_, file_.get())) fail("cannot remove " + journal.string(), reason);
    }
    require_synced_folder();  // before the new file has the name
}

void AtomicFile::require_synced_folder() const {
    if (const int error = sync_folder(path_); error != 0) fail("cannot write its folder", error);
}

void AtomicFile::discard() noexcept { keep_ = false; }

}  // namespace merklize::runtime
