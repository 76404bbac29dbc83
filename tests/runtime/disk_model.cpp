#include "runtime/disk_model.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>

#include <fcntl.h>
#include <unistd.h>

using merklize::runtime::disk_calls;
using merklize::runtime::DiskCalls;

namespace disk_faults {
namespace {

std::mutex guards_calls;
std::vector<Call> calls;

ino_t file_of(int fd) {
    struct stat info;
    CHECK_EQ(::fstat(fd, &info), 0);
    return info.st_ino;
}

bool is_folder(int fd) {
    struct stat info;
    return ::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
}

std::string name_of(const char* path) { return std::filesystem::path(path).filename().string(); }

void record(Call call) {
    const std::lock_guard lock(guards_calls);
    calls.push_back(std::move(call));
}

int recorded_sync(int fd) {
    record(is_folder(fd) ? Call{.kind = Call::sync_folder} : Call{.kind = Call::sync, .file = file_of(fd)});
    return 0;
}

// NOLINTNEXTLINE(bugprone-throwing-static-initialization): a constant
constinit const DiskCalls recording{
    .open =
        [](const char* path, int flags, mode_t mode) {
            const bool is_new = ::access(path, F_OK) != 0;
            const int fd = ::open(path, flags, mode);
            if (fd >= 0 && is_new) record({.kind = Call::create, .file = file_of(fd), .name = name_of(path)});
            return fd;
        },
    .pwrite =
        [](int fd, const void* data, std::size_t bytes, off_t offset) {
            const auto* first = static_cast<const std::uint8_t*>(data);
            record({.kind = Call::write,
                    .file = file_of(fd),
                    .offset = static_cast<std::uint64_t>(offset),
                    .data = Bytes(first, first + bytes)});
            return ::pwrite(fd, data, bytes, offset);
        },
    .copy_range = [](int, off_t*, int, off_t*, std::size_t) -> ssize_t { return errno = EOPNOTSUPP, -1; },
    .ftruncate =
        [](int fd, off_t bytes) {
            record({.kind = Call::resize, .file = file_of(fd), .offset = static_cast<std::uint64_t>(bytes)});
            return ::ftruncate(fd, bytes);
        },
    .fsync = recorded_sync,
    .fdatasync = recorded_sync,
    .rename =
        [](const char* from, const char* to) {
            record({.kind = Call::rename, .name = name_of(from), .to = name_of(to)});
            return ::rename(from, to);
        },
    .unlink =
        [](const char* path) {
            if (::access(path, F_OK) == 0) record({.kind = Call::unlink, .name = name_of(path)});
            return ::unlink(path);
        },
};

}  // namespace

Bytes read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(file), {});
}

std::vector<Call> recorded(const std::function<void()>& work) {
    calls.clear();
    const With with(recording);
    work();
    return std::move(calls);
}

bool has_journal(const std::vector<Call>& made) {
    return std::ranges::any_of(made, [](const Call& call) { return call.name == "t.mkl.journal"; });
}

Disk Disk::of(const std::filesystem::path& folder) {
    Disk disk;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        struct stat info;
        CHECK_EQ(::stat(entry.path().c_str(), &info), 0);
        disk.names[entry.path().filename().string()] = info.st_ino;
        disk.files[info.st_ino] = read_file(entry.path());
    }
    return disk;
}

void Disk::put(const std::filesystem::path& folder) const {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) std::filesystem::remove(entry.path());
    for (const auto& [name, file] : names) {
        std::ofstream out(folder / name, std::ios::binary);
        const Bytes& data = files.at(file);
        out.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
    }
}

void Disk::write(const Call& call, std::size_t first, std::size_t last) {
    Bytes& data = files[call.file];
    if (call.kind == Call::resize) return data.resize(call.offset);
    if (first == last) return;
    data.resize(std::max<std::size_t>(data.size(), call.offset + last));
    std::copy(call.data.begin() + static_cast<std::ptrdiff_t>(first),
              call.data.begin() + static_cast<std::ptrdiff_t>(last),
              data.begin() + static_cast<std::ptrdiff_t>(call.offset + first));
}

void Disk::change_names(const Call& call) {
    if (call.kind == Call::create) names[call.name] = call.file;
    if (call.kind == Call::unlink) names.erase(call.name);
    if (call.kind == Call::rename && names.contains(call.name)) {
        names[call.to] = names[call.name];
        names.erase(call.name);
    }
}

Disk after_failure(Disk disk, const std::vector<Call>& made, std::size_t n, Fault fault, Random& random) {
    std::map<ino_t, std::vector<const Call*>> unsynced;
    std::vector<const Call*> names;
    for (std::size_t i = 0; i < n; ++i) {
        const Call& call = made[i];
        switch (call.kind) {
            case Call::create:
                disk.files[call.file] = {};
                unsynced.erase(call.file);
                names.push_back(&call);
                break;
            case Call::rename:
            case Call::unlink: names.push_back(&call); break;
            case Call::write:
            case Call::resize: unsynced[call.file].push_back(&call); break;
            case Call::sync:
                for (const Call* one : unsynced[call.file]) disk.write(*one, 0, one->data.size());
                unsynced.erase(call.file);
                break;
            case Call::sync_folder:
                for (const Call* one : names) disk.change_names(*one);
                names.clear();
                break;
        }
    }
    if (fault == Fault::all_lost) return disk;
    for (auto& [file, writes] : unsynced) {
        if (fault == Fault::any) {  // in any order
            for (std::size_t i = writes.size(); i > 1; --i) std::swap(writes[i - 1], writes[random.below(i)]);
        }
        for (const Call* one : writes) {
            const std::size_t bytes = one->data.size();
            std::size_t first = 0, last = bytes;
            if (fault == Fault::any) {
                switch (random.below(5)) {
                    case 0: continue;
                    case 1: last = random.below(bytes + 1); break;
                    case 2: first = random.below(bytes + 1); break;
                    case 3:  // whole sectors
                        last = bytes / 512 * 512 / 2;
                        break;
                    default: break;
                }
            }
            disk.write(*one, first, last);
        }
    }
    for (const Call* one : names) {
        if (fault == Fault::none || random.below(2) == 0) disk.change_names(*one);
    }
    return disk;
}

void each_failure(const Disk& before, const std::vector<Call>& made, unsigned many, Random& random,
                  const std::function<void(const Disk&, std::size_t)>& use) {
    for (std::size_t n = 0; n <= made.size(); ++n) {
        for (unsigned i = 0; i < many; ++i) {
            const Fault fault = i == 0 ? Fault::none : i == 1 ? Fault::all_lost : Fault::any;
            use(after_failure(before, made, n, fault, random), n);
        }
    }
}

}  // namespace disk_faults
