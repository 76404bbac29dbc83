#include "files/journal.hpp"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "files/beside.hpp"
#include "host/blake3/digest.hpp"
#include "host/descriptor.hpp"
#include "host/disk_calls.hpp"
#include "host/little_endian.hpp"
#include "merklize/digest.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

constexpr std::array<char, 8> journal_magic = {'M', 'K', 'L', 'J', 'R', 'N', 'L', '\0'};
constexpr std::uint64_t version = 1;
constexpr std::size_t head_bytes = 32;        // magic, version, size of the file, count of patches
constexpr std::size_t patch_head_bytes = 16;  // offset, size
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 32;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what, int error_number) {
    throw Error(ErrorCode::io, path.string() + ": " + what + ": " + std::generic_category().message(error_number),
                error_number, path.string());
}

std::vector<std::byte> encode(std::uint64_t file_bytes, std::span<const Patch> patches) {
    std::vector<std::byte> out;
    for (const char c : journal_magic) out.push_back(std::byte(c));
    append_number(out, version);
    append_number(out, file_bytes);
    append_number(out, std::uint64_t{patches.size()});
    for (const Patch& patch : patches) {
        append_number(out, patch.offset);
        append_number(out, std::uint64_t{patch.before.size()});
        out.insert(out.end(), patch.before.begin(), patch.before.end());
        out.insert(out.end(), patch.after.begin(), patch.after.end());
    }
    const Digest check = blake3_digest(out);
    out.insert(out.end(), check.bytes.begin(), check.bytes.end());
    return out;
}

struct Decoded {
    std::uint64_t file_bytes;
    std::vector<Patch> patches;  // of the bytes that were decoded
};

// None if the journal is incomplete, or of another version and not trusted.  errors  io (a newer version)
std::optional<Decoded> decode(std::span<const std::byte> data, const std::filesystem::path& journal, bool is_trusted) {
    if (data.size() < head_bytes + Digest::size) return {};
    if (!std::ranges::equal(data.first(journal_magic.size()), std::as_bytes(std::span(journal_magic)))) return {};
    const auto body = data.first(data.size() - Digest::size);
    if (!std::ranges::equal(blake3_digest(body).bytes, data.last(Digest::size))) return {};
    if (get_number(body, 8) != version) {
        if (!is_trusted) return {};
        throw Error(ErrorCode::io, journal.string() + ": a journal of version " + std::to_string(get_number(body, 8)) +
                                       "; this program reads version " + std::to_string(version));
    }
    Decoded out{get_number(body, 16), {}};
    auto rest = body.subspan(head_bytes);
    for (std::uint64_t n = get_number(body, 24); n != 0; n--) {
        if (rest.size() < patch_head_bytes) return {};
        const std::uint64_t offset = get_number(rest, 0), bytes = get_number(rest, 8);
        rest = rest.subspan(patch_head_bytes);
        if (bytes > rest.size() / 2 || offset > out.file_bytes || bytes > out.file_bytes - offset) return {};
        out.patches.push_back({offset, rest.first(bytes), rest.subspan(bytes, bytes)});
        rest = rest.subspan(2 * bytes);
    }
    return rest.empty() ? std::optional(std::move(out)) : std::nullopt;
}

// Reads `bytes` bytes; fewer only at the end of the file, or after an error.
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

bool is_writable(int fd) {
    const int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) == O_RDWR;
}

// A write lease: while it is held, nobody else has the file open, and an attempt to open it waits. The kernel counts
// descriptors and mappings of all processes.
class SoleUse {
public:
    explicit SoleUse(int fd) : fd_(fd) {
#ifdef __linux__
        // The kernel tells the holder by a signal that somebody waits. The usual signal, SIGIO, would end the process;
        // SIGURG is ignored by default. Without an owner no signal is sent.
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

// Empties a journal whose name is gone, because another link to it, which some systems let anybody make, would undo the
// change later.
void empty(const Descriptor& journal) { disk_calls.ftruncate(journal.get(), 0); }

// Puts the old bytes back and removes the journal.  returns  errno's value, or 0
int put_back(const std::filesystem::path& path, const Descriptor& journal, int fd, std::span<const Patch> patches) {
    for (const Patch& patch : patches) {
        if (const int error = write_all(fd, patch.before, patch.offset)) return error;
    }
    if (disk_calls.fsync(fd) != 0) return errno;
    if (disk_calls.unlink(journal_of(path).c_str()) != 0) return errno;
    if (const int error = sync_folder(path)) return error;
    empty(journal);
    return 0;
}

// Calls use(entry) with the user's entry of the user database; false without one.
bool with_entry(uid_t user, const std::function<bool(const passwd&)>& use) {
    std::vector<char> text(1 << 16);
    passwd entry{}, *found = nullptr;
    return getpwuid_r(user, &entry, text.data(), text.size(), &found) == 0 && found != nullptr && use(entry);
}

bool is_member(uid_t user, gid_t group) {
    return with_entry(user, [&](const passwd& entry) {
        std::vector<gid_t> groups(NGROUPS_MAX + 1);
        int n = static_cast<int>(groups.size());
        if (getgrouplist(entry.pw_name, entry.pw_gid, groups.data(), &n) < 0) return false;
        return std::ranges::count(std::span(groups).first(static_cast<std::size_t>(n)), group) != 0;
    });
}

std::string user_text(uid_t user) {
    std::string text = "user " + std::to_string(user);
    with_entry(user, [&](const passwd& entry) {
        text += std::string(" (") + entry.pw_name + ")";
        return true;
    });
    return text;
}

// Where a file has an access control list, the group's bits of its mode are a mask, and say nothing about the group.
bool may_group_write(int fd, const struct stat& file) {
    return (file.st_mode & S_IWGRP) != 0 && fgetxattr(fd, "system.posix_acl_access", nullptr, 0) < 0;
}

// The file that has the name of a journal.
struct Found {
    Descriptor file{};
    struct stat info{};
    int error = 0;  // of opening it
    bool is_trusted = false;
};

// Whether only `reader`, and users who may write to the file, can have written the journal.
bool is_trusted(const Found& journal, int fd, const struct stat& file, uid_t reader) {
    if (journal.info.st_nlink != 1) return false;
    if ((file.st_mode & S_IWOTH) != 0) return true;
    const bool by_group = may_group_write(fd, file);
    if ((journal.info.st_mode & S_IWOTH) != 0) return false;
    const bool is_same_group =
        by_group && journal.info.st_gid == file.st_gid && may_group_write(journal.file.get(), journal.info);
    if ((journal.info.st_mode & S_IWGRP) != 0 && !is_same_group) return false;
    const uid_t owner = journal.info.st_uid;
    return owner == file.st_uid || owner == 0 || owner == reader || (by_group && is_member(owner, file.st_gid));
}

// Whether a file begins as a journal does; after a power failure, bytes of it may be zeros.
bool begins_as_journal(int fd) {
    const std::vector<std::byte> begin = read_some(fd, journal_magic.size(), 0);
    for (std::size_t i = 0; i < begin.size(); i++)
        if (begin[i] != std::byte{} && begin[i] != std::byte(journal_magic[i])) return false;
    return true;
}

struct stat facts_of(const std::filesystem::path& path, int fd) {
    struct stat info;
    if (fstat(fd, &info) != 0) fail(path, "cannot stat", errno);
    return info;
}

// None if no file of that name can be a journal of the file. What others put there is neither waited for nor followed.
std::optional<Found> find_journal(const std::filesystem::path& name, int fd, const struct stat& file) {
    constexpr int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    Found found{.file = Descriptor(open(name.c_str(), O_RDWR | flags))};
    if (!found.file && errno != ENOENT) found.file = Descriptor(open(name.c_str(), O_RDONLY | flags));
    if (!found.file) found.error = errno;
    const int status = found.file ? fstat(found.file.get(), &found.info) : lstat(name.c_str(), &found.info);
    if (status != 0 || !S_ISREG(found.info.st_mode) || found.info.st_nlink == 0) return {};
    if (found.file && !begins_as_journal(found.file.get())) return {};  // somebody's own file
    found.is_trusted = is_trusted(found, fd, file, geteuid());
    // Its owner keeps it from being opened.
    if (!found.is_trusted && (found.error == EACCES || found.error == EWOULDBLOCK)) return {};
    return found;
}

// Rolls back the change that the journal beside the open file describes. A journal that is not trusted changes nothing.
void settle(const std::filesystem::path& path, int fd) {
    const std::filesystem::path name = journal_of(path);
    const struct stat info = facts_of(path, fd);
    const auto found = find_journal(name, fd, info);
    if (!found) return;
    const auto owners = [&] {
        return name.string() + " belongs to " + user_text(found->info.st_uid) + ", " + path.string() + " to " +
               user_text(info.st_uid);
    };
    if (!found->file) {
        fail(path, "a change of it may have been interrupted, and its journal cannot be opened: " + owners(),
             found->error);
    }
    const auto file_bytes = static_cast<std::uint64_t>(info.st_size);
    const auto bytes = static_cast<std::uint64_t>(found->info.st_size);
    // The places of a change do not overlap, which limits the length of a journal. Nothing longer is read.
    const bool can_be_whole = bytes <= most_bytes && bytes / 3 <= file_bytes + head_bytes + Digest::size;
    const std::vector<std::byte> content =
        can_be_whole ? read_some(found->file.get(), bytes, 0) : std::vector<std::byte>();
    const auto decoded = decode(content, name, found->is_trusted);
    const std::span<const Patch> patches = decoded ? std::span(decoded->patches) : std::span<const Patch>();
    std::size_t n_fit = 0, n_old = 0, n_new = 0;
    if (decoded && file_bytes == decoded->file_bytes) {
        for (const Patch& patch : patches) {
            const std::vector<std::byte> there = read_some(fd, patch.before.size(), patch.offset);
            n_fit += is_of(there, patch);
            n_old += std::ranges::equal(there, patch.before);
            n_new += std::ranges::equal(there, patch.after);
        }
    }
    if (n_fit == 0) {  // incomplete, or of another file
        if (found->is_trusted) disk_calls.unlink(name.c_str());
        return;
    }
    const bool is_whole = n_old == patches.size() || n_new == patches.size();
    if (!found->is_trusted) {
        if (is_whole) return;  // the file is as before the change or as after it
        throw Error(ErrorCode::io,
                    path.string() + ": a change of it was interrupted, and is not rolled back: " + owners() +
                        ", and a journal counts only if it has one link and nobody could write it who may not write "
                        "to the file; let the journal's owner open the file, or remove the journal if the change "
                        "is not yours",
                    EPERM, path.string());
    }
    if (n_fit != patches.size()) {
        throw Error(ErrorCode::io,
                    path.string() + ": " + std::to_string(n_fit) + " of " + std::to_string(patches.size()) +
                        " places are as " + name.string() +
                        " says, so it cannot be rolled back: the file is damaged, or another one has its "
                        "name; remove the journal only if that file is whole");
    }
    if (is_writable(fd)) {
        if (const int error = put_back(path, found->file, fd, patches)) {
            fail(path, "cannot roll back the change that was interrupted (" + name.string() + ")", error);
        }
    } else if (n_old != patches.size()) {
        throw Error(ErrorCode::io,
                    path.string() + ": a change of it was interrupted (" + name.string() +
                        "); open it once with the right to write, so that it is rolled back",
                    EACCES, path.string());
    }
}

}  // namespace

std::filesystem::path follow_links(const std::filesystem::path& path) {
    constexpr int most_links = 40;  // as many as Linux follows
    std::filesystem::path at = path;
    for (int links = 0; links <= most_links; links++) {
        std::error_code no_link;
        const std::filesystem::path target = std::filesystem::read_symlink(at, no_link);
        if (no_link) return at;
        at = at.parent_path() / target;
    }
    fail(path, "cannot follow the link", ELOOP);
}

std::filesystem::path journal_of(const std::filesystem::path& path) { return beside(path, ".journal"); }

bool change_in_place(const std::filesystem::path& path, const FileLock& lock, std::span<const Patch> patches) {
    struct stat info;
    if (!changes_in_place || !lock || !is_writable(lock.fd()) || fstat(lock.fd(), &info) != 0) return false;
    const auto file_bytes = static_cast<std::uint64_t>(info.st_size);
    const std::vector<std::byte> content = encode(file_bytes, patches);
    if (content.size() > most_bytes || !fits_limit(std::max<std::uint64_t>(file_bytes, content.size()))) return false;
    const SoleUse sole_use(lock.fd());
    if (!sole_use) return false;

    const std::filesystem::path name = journal_of(path);
    Found journal{
        .file = Descriptor(disk_calls.open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600))};
    if (!journal.file) return false;
    const int fd = journal.file.get();
    // Only those who may change the file may roll its changes back.
    const bool has_group = fchown(fd, static_cast<uid_t>(-1), info.st_gid) == 0;
    const mode_t mode = info.st_mode & (!has_group ? 0606 : may_group_write(lock.fd(), info) ? 0666 : 0646);
    const bool is_ready = fchmod(fd, mode) == 0 && fstat(fd, &journal.info) == 0 &&
                          is_trusted(journal, lock.fd(), info, info.st_uid) && write_all(fd, content, 0) == 0 &&
                          disk_calls.fsync(fd) == 0 && sync_folder(path) == 0;
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
        put_back(path, journal.file, lock.fd(), patches);  // if that fails, too, the journal stays
        fail(path, "cannot write", error);
    }
    // If a power failure brought the journal back, it would undo the change.
    if (const int reason = sync_folder(path)) fail(path, "cannot write its folder", reason);
    empty(journal.file);
    return true;
}

bool may_be_journal(const std::filesystem::path& name) {
    struct stat info;
    if (lstat(name.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
    const Descriptor file(open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    return !file || begins_as_journal(file.get());
}

bool has_journal(const std::filesystem::path& path, int file) {
    const auto found = find_journal(journal_of(path), file, facts_of(path, file));
    return found && found->is_trusted;
}

void roll_back(const std::filesystem::path& path, const FileLock& lock) {
    if (lock) settle(path, lock.fd());
}

void roll_back(const std::filesystem::path& path, int file) {
    // A journal that appears from now on is of a change that begins. It is of another file that has taken the name
    // since `file` was opened, because nobody changes in place what others have open.
    const auto found = find_journal(journal_of(path), file, facts_of(path, file));
    if (!found) return;
    const FileLock lock = found->is_trusted ? FileLock(path) : FileLock();
    settle(path, lock ? lock.fd() : file);
}

}  // namespace merklize::runtime
