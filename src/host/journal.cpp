#include "host/journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "host/disk_calls.hpp"
#include "merklize/device.hpp"
#include "merklize/digest.hpp"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"

namespace merklize::runtime {
namespace {

constexpr std::array<char, 8> magic = {'M', 'K', 'L', 'J', 'R', 'N', 'L', '\0'};
constexpr std::uint64_t version = 1;
constexpr std::size_t head_bytes = 32;        // magic, version, size of the file, count of patches
constexpr std::size_t patch_head_bytes = 16;  // offset, size
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 32;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what, int error_number) {
    throw Error(ErrorCode::io, path.string() + ": " + what + ": " + std::generic_category().message(error_number),
                error_number, path.string());
}

Digest digest_of(std::span<const std::byte> data) {
    return hash(data, {}, RunOptions{.device = Device("cpu"), .threads = 1});
}

void put(std::vector<std::byte>& out, std::uint64_t number) {
    for (unsigned i = 0; i < 8; i++) out.push_back(std::byte{static_cast<unsigned char>(number >> 8 * i)});
}

std::uint64_t get(std::span<const std::byte> data) {
    std::uint64_t number = 0;
    for (unsigned i = 0; i < 8; i++) number |= std::to_integer<std::uint64_t>(data[i]) << 8 * i;
    return number;
}

std::vector<std::byte> encode(std::uint64_t file_bytes, std::span<const Patch> patches) {
    std::vector<std::byte> out;
    for (const char c : magic) out.push_back(std::byte(c));
    put(out, version);
    put(out, file_bytes);
    put(out, patches.size());
    for (const Patch& patch : patches) {
        put(out, patch.offset);
        put(out, patch.before.size());
        out.insert(out.end(), patch.before.begin(), patch.before.end());
        out.insert(out.end(), patch.after.begin(), patch.after.end());
    }
    const Digest check = digest_of(out);
    out.insert(out.end(), check.bytes.begin(), check.bytes.end());
    return out;
}

struct Decoded {
    std::uint64_t file_bytes;
    std::vector<Patch> patches;  // of the bytes that were decoded
};

// None if the journal is not whole.  errors  io (a newer version)
std::optional<Decoded> decode(std::span<const std::byte> data, const std::filesystem::path& journal) {
    if (data.size() < head_bytes + Digest::size) return {};
    if (!std::ranges::equal(data.first(magic.size()), std::as_bytes(std::span(magic)))) return {};
    const auto body = data.first(data.size() - Digest::size);
    if (!std::ranges::equal(digest_of(body).bytes, data.last(Digest::size))) return {};
    if (get(body.subspan(8)) != version) {
        throw Error(ErrorCode::io, journal.string() + ": a journal of version " + std::to_string(get(body.subspan(8))) +
                                       "; this program reads version " + std::to_string(version));
    }
    Decoded out{get(body.subspan(16)), {}};
    auto rest = body.subspan(head_bytes);
    for (std::uint64_t n = get(body.subspan(24)); n != 0; n--) {
        if (rest.size() < patch_head_bytes) return {};
        const std::uint64_t offset = get(rest), bytes = get(rest.subspan(8));
        rest = rest.subspan(patch_head_bytes);
        if (bytes > rest.size() / 2 || offset > out.file_bytes || bytes > out.file_bytes - offset) return {};
        out.patches.push_back({offset, rest.first(bytes), rest.subspan(bytes, bytes)});
        rest = rest.subspan(2 * bytes);
    }
    return rest.empty() ? std::optional(std::move(out)) : std::nullopt;
}

// errno, or 0
int write_all(int fd, std::span<const std::byte> data, std::uint64_t offset) {
    while (!data.empty()) {
        const ssize_t count = disk_calls.pwrite(fd, data.data(), data.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno;
        data = data.subspan(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
    return 0;
}

// Fewer bytes only at the end of the file, or after an error.
std::vector<std::byte> read_some(int fd, std::uint64_t bytes, std::uint64_t offset) {
    std::vector<std::byte> out(bytes);
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t count = pread(fd, out.data() + done, bytes - done, static_cast<off_t>(offset + done));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        done += static_cast<std::size_t>(count);
    }
    out.resize(done);
    return out;
}

int sync_folder(const std::filesystem::path& path) {
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    const Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return opened && disk_calls.fsync(opened.get()) == 0 ? 0 : errno;
}

bool is_writable(int fd) {
    const int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) == O_RDWR;
}

// While this holds, nobody else has the file open, and whoever opens it waits: a write lease. The kernel counts descriptors and
// mappings of all processes.
class SoleUse {
public:
    explicit SoleUse(int fd) : fd_(fd) {
#ifdef __linux__
        // The kernel tells the holder by a signal that somebody waits. SIGIO, its usual one, would end the process; this one is ignored
        // by default. With no owner none is sent.
        held_ = fcntl(fd, F_SETSIG, SIGURG) == 0 && fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
        if (held_) fcntl(fd, F_SETOWN, 0);
#endif
    }
    ~SoleUse() {
#ifdef __linux__
        if (held_) fcntl(fd_, F_SETLEASE, F_UNLCK);
#endif
    }
    SoleUse(const SoleUse&) = delete;
    SoleUse& operator=(const SoleUse&) = delete;

    explicit operator bool() const noexcept { return held_; }

private:
    int fd_;
    bool held_ = false;
};

// Whether each byte is the old or the new one: a write may be torn anywhere.
bool is_of(std::span<const std::byte> found, const Patch& patch) {
    if (found.size() != patch.before.size()) return false;
    for (std::size_t i = 0; i < found.size(); i++) {
        if (found[i] != patch.before[i] && found[i] != patch.after[i]) return false;
    }
    return true;
}

// Puts the old bytes back and removes the journal. errno, or 0.
int put_back(const std::filesystem::path& path, int fd, std::span<const Patch> patches) {
    for (const Patch& patch : patches) {
        if (const int error = write_all(fd, patch.before, patch.offset)) return error;
    }
    if (disk_calls.fsync(fd) != 0) return errno;
    if (disk_calls.unlink(journal_of(path).c_str()) != 0) return errno;
    return sync_folder(path);
}

}  // namespace

std::filesystem::path follow_links(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_symlink(path, error)) return path;
    const auto real = std::filesystem::weakly_canonical(path, error);
    return error || real.empty() ? path : real;
}

std::filesystem::path journal_of(const std::filesystem::path& path) {
    std::filesystem::path journal = path;
    journal += ".journal";
    return journal;
}

bool change_in_place(const std::filesystem::path& path, const FileLock& lock, std::span<const Patch> patches) {
    struct stat info;
    if (!changes_in_place || !lock || !is_writable(lock.fd()) || fstat(lock.fd(), &info) != 0) return false;
    const auto file_bytes = static_cast<std::uint64_t>(info.st_size);
    const std::vector<std::byte> content = encode(file_bytes, patches);
    if (content.size() > most_bytes || !fits_limit(std::max<std::uint64_t>(file_bytes, content.size()))) return false;
    const SoleUse sole_use(lock.fd());
    if (!sole_use) return false;

    const std::filesystem::path name = journal_of(path);
    Descriptor journal(disk_calls.open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!journal) return false;
    // Who may change the file may roll its changes back.
    const bool is_ready = fchmod(journal.get(), info.st_mode & 0666) == 0 &&
                          write_all(journal.get(), content, 0) == 0 && disk_calls.fsync(journal.get()) == 0 &&
                          sync_folder(path) == 0;
    if (!is_ready) {
        disk_calls.unlink(name.c_str());
        return false;
    }

    int error = 0;
    for (const Patch& patch : patches) {
        if (error == 0) error = write_all(lock.fd(), patch.after, patch.offset);
    }
    if (error == 0 && disk_calls.fsync(lock.fd()) != 0) error = errno;
    if (error == 0 && disk_calls.unlink(name.c_str()) != 0) error = errno;
    if (error != 0) {
        put_back(path, lock.fd(), patches);  // if that fails, too, the journal stays
        fail(path, "cannot write", error);
    }
    // A journal that came back with a power failure would undo the change.
    if (const int reason = sync_folder(path)) fail(path, "cannot write its folder", reason);
    return true;
}

void roll_back(const std::filesystem::path& path, const FileLock& lock) {
    const std::filesystem::path name = journal_of(path);
    std::vector<std::byte> content;
    {
        const Descriptor journal(open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
        if (!journal && errno == ENOENT) return;
        struct stat info;
        if (!journal || fstat(journal.get(), &info) != 0) fail(name, "cannot open", errno);
        if (!S_ISREG(info.st_mode)) throw Error(ErrorCode::io, name.string() + ": not a journal: not a regular file");
        content =
            read_some(journal.get(), std::min<std::uint64_t>(static_cast<std::uint64_t>(info.st_size), most_bytes), 0);
    }
    const auto decoded = decode(content, name);
    const std::span<const Patch> patches = decoded ? std::span(decoded->patches) : std::span<const Patch>();
    std::size_t n_fit = 0, n_old = 0;
    struct stat info;
    if (decoded && lock && fstat(lock.fd(), &info) == 0 &&
        static_cast<std::uint64_t>(info.st_size) == decoded->file_bytes) {
        for (const Patch& patch : patches) {
            const std::vector<std::byte> found = read_some(lock.fd(), patch.before.size(), patch.offset);
            n_fit += is_of(found, patch);
            n_old += std::ranges::equal(found, patch.before);
        }
    }
    if (n_fit == 0) {  // not whole, or of another file
        disk_calls.unlink(name.c_str());
        return;
    }
    if (n_fit != patches.size()) {
        throw Error(ErrorCode::io,
                    path.string() + ": " + std::to_string(n_fit) + " of " + std::to_string(patches.size()) +
                        " places are as " + name.string() +
                        " says, so it cannot be rolled back: the file is damaged, or another one has its "
                        "name; remove the journal only if that file is whole");
    }
    if (is_writable(lock.fd())) {
        if (const int error = put_back(path, lock.fd(), patches)) {
            fail(path, "cannot roll back the change that was interrupted (" + name.string() + ")", error);
        }
    } else if (n_old != patches.size()) {
        throw Error(ErrorCode::io,
                    path.string() + ": a change of it was interrupted (" + name.string() +
                        "); open it once with the right to write, so that it is rolled back",
                    EACCES, path.string());
    }
}

}  // namespace merklize::runtime
