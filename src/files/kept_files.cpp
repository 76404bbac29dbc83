#include "files/kept_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <system_error>
#include <utility>

#include "host/blake3/digest.hpp"
#include "host/descriptor.hpp"
#include "host/little_endian.hpp"
#include "merklize/digest.hpp"
#include "merklize/error.hpp"

// A file is: magic (8 bytes), format (4), size of the payload (8), check (32), payload. Numbers are little endian. The
// check is BLAKE3 of the payload, keyed with the file's own name, so a good file under another name counts as damaged.

namespace merklize::runtime {
namespace {

constexpr std::uint32_t format = 1;
constexpr std::array<char, 8> kept_magic = {'m', 'k', 'z', 'k', 'e', 'r', 'n', '\n'};
constexpr std::size_t header_bytes = kept_magic.size() + 4 + 8 + Digest::size;
using Header = std::array<std::byte, header_bytes>;

constexpr std::string_view file_end = ".bin";
constexpr std::string_view temporary_start = ".tmp-";
constexpr std::time_t temporary_seconds = 24 * 60 * 60;  // a store takes milliseconds; so old a file was left behind

Header header_of(const Digest& key, std::span<const std::byte> payload) {
    Header header{};
    std::ranges::copy(std::as_bytes(std::span(kept_magic)), header.begin());
    put_number(header, 8, format);
    put_number(header, 12, std::uint64_t{payload.size()});
    std::ranges::copy(blake3_digest(payload, &key).bytes, header.begin() + 20);
    return header;
}

std::string reason(const std::filesystem::path& path, std::string_view what, int error_number) {
    return path.string() + ": " + std::string(what) + ": " + std::generic_category().message(error_number);
}

// Makes the folder and its missing parents with mode 0700, as the XDG specification requires.
bool make_folder(const std::filesystem::path& path) {
    if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return true;
    const std::filesystem::path above = path.parent_path();
    if (errno != ENOENT || above.empty() || above == path || !make_folder(above)) return false;
    return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
}

bool is_trusted(const struct stat& info) {
    return (info.st_uid == geteuid() || info.st_uid == 0) && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Opens a trusted folder for openat() and the like, so that nobody can put another folder in its place. If the folder
// is not trusted, returns none and the reason in `why`; it stays empty for a missing folder that is not to be made.
Descriptor open_folder(const KeptFolder& folder, bool make, std::string& why) {
    if (folder.path.empty()) {
        why = folder.why_none.empty() ? "no folder for compiled programs" : folder.why_none;
        return Descriptor();
    }
    constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;
    Descriptor opened(open(folder.path.c_str(), flags));
    if (!opened && errno == ENOENT) {
        if (!make) return opened;
        if (!make_folder(folder.path)) {
            why = reason(folder.path, "cannot make the folder", errno);
            return opened;
        }
        opened = Descriptor(open(folder.path.c_str(), flags));
    }
    struct stat info;
    if (!opened || fstat(opened.get(), &info) != 0) {
        why = reason(folder.path, "cannot open the folder", errno);
        return Descriptor();
    }
    if (!is_trusted(info)) {
        why = folder.path.string() + ": not used for compiled programs: other users own it or may write to it";
        return Descriptor();
    }
    return opened;
}

bool read_all(int fd, std::span<std::byte> out) {
    while (!out.empty()) {
        const ssize_t count = read(fd, out.data(), out.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        out = out.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

// Reads a whole program from an open file.
std::optional<std::vector<std::byte>> read_program(int fd, const Digest& key, std::uint64_t max_bytes) {
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || !is_trusted(info)) return std::nullopt;
    const auto bytes = static_cast<std::uint64_t>(info.st_size);
    if (bytes < header_bytes || bytes > max_bytes) return std::nullopt;
    Header header;
    std::vector<std::byte> payload(bytes - header_bytes);
    if (!read_all(fd, header) || !read_all(fd, payload) || header != header_of(key, payload)) return std::nullopt;
    return payload;
}

// Makes a new file in `folder` and returns its name.
Descriptor make_temporary(int folder, std::string& name) {
    static std::atomic<std::uint64_t> count{0};
    // Processes on two machines that share the folder may have the same number. O_EXCL detects that.
    for (int tries = 0; tries < 16; tries++) {
        timespec now{};
        clock_gettime(CLOCK_REALTIME, &now);
        name = std::string(temporary_start) + std::to_string(getpid()) + "-" + std::to_string(count++) + "-" +
               std::to_string(now.tv_nsec);
        Descriptor file(openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (file || errno != EEXIST) return file;
    }
    return Descriptor();
}

bool is_file_name(std::string_view name) {
    constexpr std::size_t digits = 2 * Digest::size;
    return name.size() == digits + file_end.size() && name.ends_with(file_end) &&
           name.find_first_not_of("0123456789abcdef") == digits;
}

timespec last_used(const struct stat& info) {
#ifdef __APPLE__
    return info.st_mtimespec;
#else
    return info.st_mtim;
#endif
}

}  // namespace

std::string kept_key(const KeptIdentity& identity) {
    // Each part has its length before it, so two lists of parts never have the same encoding.
    std::vector<std::byte> encoded;
    const auto append = [&encoded](std::span<const std::byte> part) {
        append_number(encoded, std::uint64_t{part.size()});
        encoded.insert(encoded.end(), part.begin(), part.end());
    };
    append(std::as_bytes(std::span(kept_magic)));
    append(little_endian(format));
    for (const std::string_view part :
         {identity.text, identity.options, identity.compiler, identity.version, identity.driver}) {
        append(std::as_bytes(std::span(part)));
    }
    return blake3_digest(encoded).hex();
}

KeptFolder kept_folder() {
    // The user who runs a set-user-ID program must not choose the files that it reads.
    if (getuid() != geteuid() || getgid() != getegid()) {
        return {{}, "no folder for compiled programs: this process has the rights of another user or group"};
    }
    if (const char* own = secure_getenv("MERKLIZE_CACHE_DIR")) {
        if (*own == '\0') return {{}, "no folder for compiled programs: MERKLIZE_CACHE_DIR is empty"};
        std::error_code error;
        const auto folder = std::filesystem::absolute(own, error);
        if (!error) return {folder / "kernels", {}};
        return {{},
                std::string("no folder for compiled programs: MERKLIZE_CACHE_DIR is the relative path '") + own +
                    "', and the working directory is gone: " + error.message()};
    }
    // By the XDG specification, a path that is not absolute counts as not set.
    const auto absolute = [](const char* name) {
        const char* value = secure_getenv(name);
        const std::filesystem::path path = value == nullptr ? "" : value;
        return path.is_absolute() ? path : std::filesystem::path();
    };
    if (const auto cache = absolute("XDG_CACHE_HOME"); !cache.empty()) return {cache / "merklize" / "kernels", {}};
    if (const auto home = absolute("HOME"); !home.empty()) return {home / ".cache" / "merklize" / "kernels", {}};
    return {{}, "no folder for compiled programs: none of MERKLIZE_CACHE_DIR, XDG_CACHE_HOME and HOME is set"};
}

const KeptFiles& KeptFiles::process() {
    static const KeptFiles& cache = *new KeptFiles(kept_folder());  // never destroyed: also used while the process ends
    return cache;
}

std::optional<std::vector<std::byte>> KeptFiles::load(std::string_view key) const noexcept try {
    const auto digest = Digest::from_hex(key);
    if (!digest) return std::nullopt;
    std::string why;
    const Descriptor folder = open_folder(folder_, false, why);
    if (!folder) return std::nullopt;
    const std::string name = digest->hex() + std::string(file_end);
    // Follows no links, and does not wait for a pipe without a writer.
    const Descriptor file(
        openat(folder.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    if (!file && errno != ELOOP) return std::nullopt;
    auto program = file ? read_program(file.get(), *digest, max_bytes_) : std::nullopt;
    if (program) {
        const timespec times[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
        futimens(file.get(), times);  // may fail: then the file is removed earlier than others
    } else if (unlinkat(folder.get(), name.c_str(), 0) != 0) {
        unlinkat(folder.get(), name.c_str(), AT_REMOVEDIR);  // removes an empty folder only
    }
    return program;
} catch (...) {
    return std::nullopt;  // out of memory, or no way to hash
}

std::string KeptFiles::store(std::string_view key, std::span<const std::byte> program) const try {
    const auto digest = Digest::from_hex(key);
    if (!digest) return "not stored: '" + std::string(key) + "' is not the name of a compiled program";
    const std::uint64_t bytes = header_bytes + program.size();
    if (bytes > max_bytes_ || !fits_limit(bytes)) {
        return folder_.path.string() + ": not stored: " + std::to_string(bytes) + " bytes are too many";
    }
    std::string why;
    const Descriptor folder = open_folder(folder_, true, why);
    if (!folder) return why;
    const Header header = header_of(*digest, program);
    const std::string name = digest->hex() + std::string(file_end);

    std::string temporary;
    Descriptor file = make_temporary(folder.get(), temporary);
    if (!file) return reason(folder_.path, "cannot make a file", errno);
    // Written first, then renamed, so that the name always has a complete file. Nothing waits for the disk; after a
    // crash the check may fail, and the file counts as missing.
    if (write_all(file.get(), header) != 0 || write_all(file.get(), program) != 0 || !file.close() ||
        renameat(folder.get(), temporary.c_str(), folder.get(), name.c_str()) != 0) {
        why = reason(folder_.path / name, "cannot write", errno);
        unlinkat(folder.get(), temporary.c_str(), 0);
        return why;
    }
    tidy(folder.get(), name);
    return {};
} catch (const std::exception& e) {
    return std::string("not stored: ") + e.what();
}

std::string KeptFiles::why_unusable() const {
    std::string why;
    open_folder(folder_, false, why);
    return why;
}

// Removes temporary files of dead processes and, while there are too many bytes, the least recently used files. Never
// removes `stored`, nor a file whose name this class did not give. Other processes may do the same meanwhile; a process
// that reads a removed file can still read it.
void KeptFiles::tidy(int folder, const std::string& stored) const {
    const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const auto close = [](DIR* list) { closedir(list); };
    const std::unique_ptr<DIR, decltype(close)> list(again < 0 ? nullptr : fdopendir(again), close);
    if (!list) {
        if (again >= 0) ::close(again);
        return;
    }
    struct Entry {
        std::string name;
        timespec used;
        std::uint64_t bytes;
    };
    std::vector<Entry> entries;
    std::uint64_t total = 0;
    const std::time_t now = std::time(nullptr);
    while (const dirent* found = readdir(list.get())) {
        const std::string name = found->d_name;
        const bool is_temporary = name.starts_with(temporary_start);
        struct stat info;
        if (!is_temporary && !is_file_name(name)) continue;
        if (fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode)) continue;
        if (is_temporary) {
            if (now - last_used(info).tv_sec > temporary_seconds) unlinkat(folder, name.c_str(), 0);
            continue;
        }
        total += static_cast<std::uint64_t>(info.st_size);
        if (name != stored) entries.push_back({name, last_used(info), static_cast<std::uint64_t>(info.st_size)});
    }
    std::ranges::sort(entries, {}, [](const Entry& entry) { return std::pair(entry.used.tv_sec, entry.used.tv_nsec); });
    for (const Entry& entry : entries) {
        if (total <= max_bytes_) break;
        unlinkat(folder, entry.name.c_str(), 0);
        total -= entry.bytes;
    }
}

}  // namespace merklize::runtime
