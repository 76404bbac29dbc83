#include "host/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#ifdef __linux__
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#endif
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include "host/descriptor.hpp"
#include "host/made_once.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

#ifdef __linux__
// Linux, Documentation/ABI/stable/sysfs-block: a disk has queue/rotational; a partition is a folder of its disk. File
// systems without a disk have no entry.
bool asks_system(std::uint64_t device) {
    const std::string entry =
        "/sys/dev/block/" + std::to_string(major(device)) + ":" + std::to_string(minor(device)) + "/";
    for (const char* name : {"queue/rotational", "../queue/rotational"}) {
        const Descriptor file(open((entry + name).c_str(), O_RDONLY | O_CLOEXEC));
        if (!file) continue;
        char answer = '0';
        return read(file.get(), &answer, 1) == 1 && answer == '1';
    }
    return false;
}
#else
bool asks_system(std::uint64_t) { return false; }
#endif

bool asks_once(std::uint64_t device) {
    static MadeOnce<std::uint64_t, bool> known;
    return known.get(device, [&] { return asks_system(device); });
}

}  // namespace

bool (*is_rotational)(std::uint64_t device) = asks_once;

InputFile::InputFile(const std::filesystem::path& path) : ByteSource(path.string()), owned_(true), is_whole_(true) {
    // O_NONBLOCK, because a blocking open() of a named pipe cannot be cancelled. read_some() waits for the writer.
    constexpr int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
    while ((fd_ = open(path.c_str(), flags)) < 0 && (errno == EAGAIN || errno == EINTR))  // another program's lease
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (fd_ < 0) fail("cannot open", errno);
}

InputFile InputFile::beside(int fd, std::string_view name) {
    const InputFile given(fd, name);
    const int second = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (second < 0) given.fail("cannot open", errno);
    return taken(second, name);
}

// Refuses the write end of a pipe: poll() never reports it as readable, so read_some() would wait for ever.
void InputFile::require_readable() const {
    const int flags = fcntl(fd_, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == O_WRONLY) fail("not open for reading", EBADF);
}

InputFile::~InputFile() {
    if (owned_) close(fd_);
    for (const int end : own_pipe_) {
        if (end >= 0) close(end);
    }
}

void InputFile::fail(const std::string& what, int error_number) const {
    throw Error(ErrorCode::io, name() + ": " + what + ": " + std::generic_category().message(error_number),
                error_number, name());
}

namespace {

struct stat facts_of(const InputFile& file) {
    struct stat info;
    if (fstat(file.fd(), &info) != 0) file.fail("cannot stat", errno);
    if (S_ISDIR(info.st_mode)) file.fail("cannot read", EISDIR);
    return info;
}

// Bytes of a regular file as the system states them, and of a block device.
std::uint64_t bytes_of(const InputFile& file, const struct stat& info) {
    if (!S_ISBLK(info.st_mode)) return static_cast<std::uint64_t>(info.st_size);
#ifdef __linux__
    std::uint64_t bytes = 0;  // without a change of the position, which others may share
    if (ioctl(file.fd(), BLKGETSIZE64, &bytes) != 0) file.fail("cannot tell its size", errno);
    return bytes;
#else
    const off_t at = lseek(file.fd(), 0, SEEK_CUR), end = lseek(file.fd(), 0, SEEK_END);
    if (at < 0 || end < 0 || lseek(file.fd(), at, SEEK_SET) < 0) file.fail("cannot tell its size", errno);
    return static_cast<std::uint64_t>(end);
#endif
}

// The times of a block device are those of its name, so they tell nothing of its bytes.
InputFile::Identity identity_of(const InputFile& file, const struct stat& info) {
    const auto inode = static_cast<std::uint64_t>(info.st_ino);
    if (S_ISBLK(info.st_mode)) {
        return {static_cast<std::uint64_t>(info.st_rdev), inode, bytes_of(file, info), 0, 0, 0, 0};
    }
#ifdef __APPLE__
    const timespec &written = info.st_mtimespec, &changed = info.st_ctimespec;
#else
    const timespec &written = info.st_mtim, &changed = info.st_ctim;
#endif
    return {static_cast<std::uint64_t>(info.st_dev),     inode,
            static_cast<std::uint64_t>(info.st_size),    static_cast<std::uint64_t>(written.tv_sec),
            static_cast<std::uint64_t>(written.tv_nsec), static_cast<std::uint64_t>(changed.tv_sec),
            static_cast<std::uint64_t>(changed.tv_nsec)};
}

}  // namespace

InputFile InputFile::whole(int fd, std::string_view name) {
    InputFile(fd, name).require_readable();
    return {fd, name, false, true};
}

bool InputFile::is_regular() const { return S_ISREG(facts_of(*this).st_mode); }

bool InputFile::is_pipe() const { return S_ISFIFO(facts_of(*this).st_mode); }

bool InputFile::is_seekable() const {
    const mode_t kind = facts_of(*this).st_mode;
    return S_ISREG(kind) || S_ISBLK(kind);
}

void InputFile::require_seekable() const {
    if (!is_seekable()) throw Error(ErrorCode::io, name() + ": not a regular file or a block device");
}

std::optional<InputFile::Extent> InputFile::stated() const {
    const struct stat info = facts_of(*this);
    if ((!S_ISREG(info.st_mode) || info.st_size == 0) && !S_ISBLK(info.st_mode)) return {};
    const off_t at = is_whole_ ? 0 : lseek(fd_, 0, SEEK_CUR);
    if (at < 0) return {};
    const Identity identity = identity_of(*this, info);
    const auto position = static_cast<std::uint64_t>(at);
    return Extent{position, identity.bytes - std::min(position, identity.bytes), identity};
}

std::optional<InputFile::Extent> InputFile::extent() const {
    auto found = stated();
    if (!found || found->identity.bytes == 0) return found;
    // File systems of disks know their sizes, and on a rotational disk a look at the end costs milliseconds.
    if (is_rotational(found->identity.device)) return found;
    // The last byte that is stated, and one more, which must not be there.
    std::byte last[2];
    ssize_t count = 0;
    do {
        count = pread(fd_, last, sizeof last, static_cast<off_t>(found->identity.bytes - 1));
    } while (count < 0 && errno == EINTR);
    if (count != 1) found.reset();
    return found;
}

bool InputFile::is_on_rotational_disk() const {
    const struct stat info = facts_of(*this);
    return is_rotational(static_cast<std::uint64_t>(S_ISBLK(info.st_mode) ? info.st_rdev : info.st_dev));
}

// Reads what the system has in memory. False: the rest would have to come from the disk.
bool InputFile::read_in_memory(std::span<std::byte> out, std::uint64_t offset, std::size_t& done) const noexcept {
#ifdef RWF_NOWAIT
    while (done < out.size()) {
        const iovec part{out.data() + done, out.size() - done};
        const ssize_t count = preadv2(fd_, &part, 1, static_cast<off_t>(offset + done), RWF_NOWAIT);
        if (count == 0) return true;  // the end
        if (count < 0) return false;
        done += static_cast<std::size_t>(count);
    }
    return true;
#else
    (void)out, (void)offset, (void)done;
    return false;
#endif
}

std::size_t InputFile::read_up_to(std::span<std::byte> out, std::uint64_t offset, const BeforeDisk& before) const {
    std::size_t done = 0;
    if (before) {
        if (read_in_memory(out, offset, done)) return done;
        before();
    }
    while (done < out.size()) {
        const ssize_t count = pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
        if (count < 0) {
            if (errno == EINTR) continue;
            fail("cannot read at byte " + std::to_string(offset + done), errno);
        }
        done += static_cast<std::size_t>(count);
        // A short read means the end of a regular file. Another call would only confirm it.
        if (static_cast<std::size_t>(count) < out.size()) break;
    }
    return done;
}

void InputFile::read_at(std::span<std::byte> out, std::uint64_t offset, const BeforeDisk& before) const {
    std::size_t done = 0;
    while (done < out.size()) {
        const std::size_t count = read_up_to(out.subspan(done), offset + done, before);
        // It may have ended before `offset`.
        if (count == 0) fail_size(offset + out.size(), std::min(offset + done, bytes_of(*this, facts_of(*this))));
        done += count;
    }
}

void InputFile::read_apart(std::byte* out, std::uint64_t n, std::size_t bytes, std::size_t stride,
                           std::uint64_t offset) const {
    std::array<iovec, 64> parts;
    for (std::uint64_t first = 0; first < n; first += parts.size()) {
        const std::size_t count = std::min<std::uint64_t>(parts.size(), n - first);
        const auto part = [&](std::size_t i) { return std::span(out + (first + i) * stride, bytes); };
        const std::uint64_t from = offset + first * bytes;
        for (std::size_t i = 0; i < count; i++) parts[i] = {part(i).data(), bytes};
        const ssize_t found = preadv(fd_, parts.data(), static_cast<int>(count), static_cast<off_t>(from));
        if (found == static_cast<ssize_t>(count * bytes)) continue;
        for (std::size_t i = 0; i < count; i++) read_at(part(i), from + i * bytes);  // goes on, or says what is wrong
    }
}

void InputFile::advise(std::uint64_t offset, std::uint64_t bytes) const noexcept {
#ifdef POSIX_FADV_WILLNEED
    posix_fadvise(fd_, static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);  // only a hint
#else
    (void)offset, (void)bytes;
#endif
}

void InputFile::leave_at(std::uint64_t position) const noexcept {
    if (!is_whole_) lseek(fd_, static_cast<off_t>(position), SEEK_SET);
}

void InputFile::widen_pipe(std::size_t bytes) const {
#ifdef F_SETPIPE_SZ
    if (fcntl(fd_, F_SETPIPE_SZ, static_cast<int>(bytes)) < 0) return;  // no pipe, or not allowed: it stays as it is
    if (own_pipe_[0] >= 0 || pipe2(own_pipe_, O_CLOEXEC) != 0) return;
    fcntl(own_pipe_[1], F_SETPIPE_SZ, static_cast<int>(bytes));
#else
    (void)bytes;
#endif
}

// Copying out of a pipe keeps its writer waiting, so the pages are first moved to a pipe of this object and copied from
// there.
std::size_t InputFile::read_moved(std::byte* out, std::size_t bytes) const {
#ifdef F_SETPIPE_SZ
    if (own_pipe_[0] < 0) return 0;
    if (moved_ == 0) {
        const ssize_t count = splice(fd_, nullptr, own_pipe_[1], nullptr, bytes, SPLICE_F_MOVE);
        if (count <= 0) return 0;  // the end, or an error that read() meets, too
        moved_ = static_cast<std::size_t>(count);
    }
    const ssize_t count = read(own_pipe_[0], out, std::min(bytes, moved_));
    if (count < 0) fail("cannot read", errno);
    moved_ -= static_cast<std::size_t>(count);
    return static_cast<std::size_t>(count);
#else
    (void)out, (void)bytes;
    return 0;
#endif
}

bool InputFile::readable_within(int milliseconds) const {
    if (moved_ != 0) return true;
    pollfd wanted{fd_, POLLIN, 0};
    const int ready = poll(&wanted, 1, milliseconds);
    if (ready < 0 && errno != EINTR) fail("cannot wait for data", errno);
    return ready > 0;
}

std::optional<std::size_t> InputFile::read_once(std::byte* out, std::size_t bytes) const {
    if (const std::size_t count = read_moved(out, bytes); count != 0) return count;
    const bool keeps_position = is_whole_ && !owned_ && read_in_order_;
    const ssize_t count = keeps_position ? pread(fd_, out, bytes, static_cast<off_t>(next_)) : read(fd_, out, bytes);
    if (count < 0) {
        if (errno != EINTR && errno != EAGAIN) fail("cannot read", errno);
        return {};
    }
    next_ += static_cast<std::uint64_t>(count);
    return static_cast<std::size_t>(count);
}

void InputFile::begin_in_order() const {
    if (has_begun_) return;
    has_begun_ = true;
    const struct stat info = facts_of(*this);
    if (S_ISREG(info.st_mode)) read_in_order_ = identity_of(*this, info);
}

void InputFile::end_in_order() const {
    if (read_in_order_) require_unchanged(*read_in_order_);
}

namespace {

constexpr std::size_t stream_bytes = 256 << 10;  // stay in a core's cache

// Ranges of a regular file.
class RangeStream : public ByteStream {
public:
    RangeStream(const InputFile& file, std::span<const ByteRange> ranges)
        : file_(file), ranges_(ranges.begin(), ranges.end()) {
        std::uint64_t most = 0;
        for (const ByteRange& range : ranges) most = std::max(most, range.bytes);
        buffer_.resize(std::min<std::uint64_t>(most, stream_bytes));
    }

    std::span<const std::byte> next(const Wait&) override {
        while (at_ < ranges_.size() && ranges_[at_].bytes == 0) at_++;
        if (at_ == ranges_.size()) return {};
        auto& [offset, bytes] = ranges_[at_];
        const auto data = std::span(buffer_).first(std::min<std::uint64_t>(buffer_.size(), bytes));
        if (data.size() < bytes) file_.advise(offset + data.size(), buffer_.size());
        file_.read_at(data, offset);
        offset += data.size();
        bytes -= data.size();
        return data;
    }

private:
    const InputFile& file_;
    std::vector<ByteRange> ranges_;
    std::size_t at_ = 0;
    std::vector<std::byte> buffer_{};
};

// An input that can only be read in order.
class PipeStream : public ByteStream {
public:
    explicit PipeStream(const InputFile& file) : file_(file), buffer_(stream_bytes) { file.widen_pipe(stream_bytes); }

    std::span<const std::byte> next(const Wait& wait) override {
        if (ended_) return {};
        const std::size_t count = file_.read_some(std::span(buffer_), wait);
        ended_ = count < buffer_.size();
        return std::span(buffer_).first(count);
    }

private:
    const InputFile& file_;
    std::vector<std::byte> buffer_;
    bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> InputFile::stream(std::span<const ByteRange> ranges) const {
    return std::make_unique<RangeStream>(*this, ranges);
}

std::unique_ptr<ByteStream> InputFile::stream() const { return std::make_unique<PipeStream>(*this); }

void InputFile::require_unchanged(const Identity& before) const {
    const Identity now = identity_of(*this, facts_of(*this));
    if (now == before) return;
    if (now.bytes != before.bytes) fail_size(before.bytes, now.bytes);
    throw Error(ErrorCode::io,
                name() + ": changed while being read: the times of its last change are others than at the beginning");
}

void InputFile::fail_after(std::uint64_t expected_end) const {
    const std::uint64_t end = bytes_of(*this, facts_of(*this));
    if (end < expected_end) fail_size(expected_end, end);
    fail("cannot read", EIO);
}

ByteSource::Extent require_extent(const ByteSource& source) {
    if (source.file() != nullptr) source.file()->require_seekable();
    if (const auto extent = source.extent()) return *extent;
    throw Error(ErrorCode::io, source.name() +
                                   ": the size that it states is not true, or it states none, so only reading it from "
                                   "its beginning to its end tells what it has: take a copy");
}

void InputFile::fail_size(std::uint64_t expected, std::uint64_t found) const {
    const std::string end = ", expected its end at byte " + std::to_string(expected);
    if (found > expected) throw Error(ErrorCode::io, name() + ": grew while being read" + end);
    throw EndedEarly(ErrorCode::io,
                     name() + ": shrank while being read: it ends at byte " + std::to_string(found) + end);
}

}  // namespace merklize::runtime
