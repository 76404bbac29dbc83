#include "host/atomic_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <vector>

#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

constexpr int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
constexpr mode_t usual_mode = 0666;  // less the process's umask

// One in a process and one in a folder of several machines, so that O_EXCL hardly ever has to say no.
std::string unique_name(const std::string& name) {
    static std::atomic<std::uint64_t> count{0};
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return "." + name + "." + std::to_string(getpid()) + "-" + std::to_string(count++) + "-" +
           std::to_string(now.tv_nsec) + ".tmp";
}

off_t to_offset(std::uint64_t offset) { return static_cast<off_t>(offset); }

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path) : path_(path) {
    std::error_code error;
    if (std::filesystem::is_symlink(path, error)) path_ = std::filesystem::weakly_canonical(path, error);
    if (error || path_.empty()) path_ = path;
    struct stat info;
    if (stat(path_.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
        throw Error(ErrorCode::io, path.string() + ": cannot write: not a regular file");
    }
}

OutputFile OutputFile::temporary(const std::filesystem::path& path) {
    OutputFile out(path);
    for (int tries = 0; !out.file_ && tries < 16; tries++) {
        out.written_ = out.path_.parent_path() / unique_name(out.path_.filename().string());
        out.file_ = Descriptor(open(out.written_.c_str(), flags | O_EXCL, usual_mode));
        if (!out.file_ && errno != EEXIST) break;
    }
    if (!out.file_) out.fail("cannot make a file beside it", errno);
    out.keep_ = false;
    return out;
}

OutputFile OutputFile::partial(const std::filesystem::path& path) {
    OutputFile out(path);
    out.written_ = out.path_;
    out.written_ += ".partial";
    // Between opening and locking another process may have finished it and given it its name: then it is not ours to write.
    for (int tries = 0; tries < 16; tries++) {
        out.file_ = Descriptor(open(out.written_.c_str(), flags, usual_mode));
        if (!out.file_) out.fail("cannot open " + out.written_.string(), errno);
        struct stat opened, named;
        if (fstat(out.file_.get(), &opened) != 0) out.fail("cannot stat " + out.written_.string(), errno);
        if (!S_ISREG(opened.st_mode)) {
            throw Error(ErrorCode::io, out.written_.string() + ": cannot write: not a regular file");
        }
        if (flock(out.file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            throw Error(ErrorCode::io, out.written_.string() + ": cannot write: another build is writing it");
        }
        if (stat(out.written_.c_str(), &named) == 0 && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev)
            return out;
    }
    throw Error(ErrorCode::io, out.written_.string() + ": cannot open: others keep replacing it");
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      written_(std::move(other.written_)),
      file_(std::move(other.file_)),
      keep_(std::exchange(other.keep_, true)) {}

OutputFile::~OutputFile() {
    if (!keep_) unlink(written_.c_str());
}

void OutputFile::fail(const std::string& what, int error_number) const {
    throw Error(ErrorCode::io, path_.string() + ": " + what + ": " + std::generic_category().message(error_number),
                error_number, path_.string());
}

std::uint64_t OutputFile::size() const {
    struct stat info;
    if (fstat(file_.get(), &info) != 0) fail("cannot stat", errno);
    return static_cast<std::uint64_t>(info.st_size);
}

void OutputFile::write(std::span<const std::byte> data, std::uint64_t offset) {
    if (!fits_limit(offset + data.size())) fail("cannot write", EFBIG);
    while (!data.empty()) {
        const ssize_t count = pwrite(file_.get(), data.data(), data.size(), to_offset(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail("cannot write", errno);
        data = data.subspan(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
}

void OutputFile::read(std::span<std::byte> out, std::uint64_t offset) const {
    while (!out.empty()) {
        const ssize_t count = pread(file_.get(), out.data(), out.size(), to_offset(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail("cannot read what was written", errno);
        if (count == 0) {
            throw Error(ErrorCode::io,
                        written_.string() + ": shrank while being written: it ends at byte " + std::to_string(offset));
        }
        out = out.subspan(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
}

void OutputFile::copy(int source, std::uint64_t from, std::uint64_t bytes, std::uint64_t offset) {
    if (!fits_limit(offset + bytes)) fail("cannot write", EFBIG);
#ifdef __linux__
    while (bytes != 0) {
        auto in = static_cast<off64_t>(from), out = static_cast<off64_t>(offset);
        const ssize_t count = copy_file_range(source, &in, file_.get(), &out, bytes, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;  // not between these files, or the source ends: reading says which
        from += static_cast<std::uint64_t>(count);
        offset += static_cast<std::uint64_t>(count);
        bytes -= static_cast<std::uint64_t>(count);
    }
#endif
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

void OutputFile::reserve(std::uint64_t bytes) {
    if (!fits_limit(bytes)) fail("cannot write " + std::to_string(bytes) + " bytes", EFBIG);
#ifdef __linux__
    int result = 0;
    do {
        result = fallocate(file_.get(), 0, 0, to_offset(bytes));
    } while (result != 0 && errno == EINTR);
    if (result != 0 && errno != EOPNOTSUPP && errno != ENOSYS) {
        fail("cannot write " + std::to_string(bytes) + " bytes", errno);
    }
#endif
}

void OutputFile::resize(std::uint64_t bytes) {
    if (ftruncate(file_.get(), to_offset(bytes)) != 0) fail("cannot set the size", errno);
}

void OutputFile::start_sync(std::uint64_t offset, std::uint64_t bytes) noexcept {
#ifdef __linux__
    sync_file_range(file_.get(), to_offset(offset), to_offset(bytes), SYNC_FILE_RANGE_WRITE);
#else
    (void)offset, (void)bytes;
#endif
}

void OutputFile::sync() {
#ifdef __APPLE__
    if (fsync(file_.get()) != 0) fail("cannot write", errno);
#else
    if (fdatasync(file_.get()) != 0) fail("cannot write", errno);
#endif
}

void OutputFile::commit() {
    struct stat old;
    if (stat(path_.c_str(), &old) == 0 && fchmod(file_.get(), old.st_mode & 07777) != 0) {
        fail("cannot keep the file's permissions", errno);
    }
    if (fsync(file_.get()) != 0) fail("cannot write", errno);
    if (rename(written_.c_str(), path_.c_str()) != 0) fail("cannot rename " + written_.string(), errno);
    keep_ = true;
    // So that the new name outlives a power failure.
    const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
    const Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened || fsync(opened.get()) != 0) fail("cannot write its folder", errno);
}

}  // namespace merklize::runtime
