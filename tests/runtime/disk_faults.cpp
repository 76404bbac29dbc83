// What a power failure or a kill may leave of tree files. The calls that change the disk are recorded. Then a disk is made as it may be
// after any of them: what was not synced is there, lost, torn or reordered. Whoever opens the tree file finds it as before or as after.

#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "child.hpp"
#include "host/atomic_file.hpp"
#include "host/disk_calls.hpp"
#include "host/journal.hpp"
#include "support.hpp"

using namespace support;
using merklize::TreeFile;
using merklize::TreeForm;
using merklize::TreeRule;
using merklize::TreeWriter;
using merklize::runtime::disk_calls;
using merklize::runtime::DiskCalls;

namespace {

const TreeForm form(Hash::blake3, TreeRule::left_full);  // NOLINT(bugprone-throwing-static-initialization)

merklize::RunOptions cpu() {
    merklize::RunOptions options;
    options.device = merklize::Device("cpu");
    options.threads = 1;
    return options;
}

Bytes read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(file), {});
}

struct Call {
    enum Kind { create, write, resize, sync, sync_folder, rename, unlink } kind;
    ino_t file = 0;
    std::uint64_t offset = 0;  // or the new size
    Bytes data{};
    std::string name{}, to{};
};

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

/// Other calls, until the end of this.
class With {
public:
    explicit With(const DiskCalls& other) : before_(disk_calls) { disk_calls = other; }
    ~With() { disk_calls = before_; }
    With(const With&) = delete;
    With& operator=(const With&) = delete;

private:
    DiskCalls before_;
};

/// Calls that wait for no disk, where nobody asks what a failure leaves.
DiskCalls quick() {
    DiskCalls some = disk_calls;
    some.fsync = some.fdatasync = [](int) { return 0; };
    return some;
}

/// A folder's files as they are on the disk.
struct Disk {
    std::map<std::string, ino_t> names{};
    std::map<ino_t, Bytes> files{};

    static Disk of(const std::filesystem::path& folder) {
        Disk disk;
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            struct stat info;
            CHECK_EQ(::stat(entry.path().c_str(), &info), 0);
            disk.names[entry.path().filename().string()] = info.st_ino;
            disk.files[info.st_ino] = read_file(entry.path());
        }
        return disk;
    }

    void put(const std::filesystem::path& folder) const {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) std::filesystem::remove(entry.path());
        for (const auto& [name, file] : names) {
            std::ofstream out(folder / name, std::ios::binary);
            const Bytes& data = files.at(file);
            out.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
        }
    }

    // Bytes first .. last-1 of a write.
    void write(const Call& call, std::size_t first, std::size_t last) {
        Bytes& data = files[call.file];
        if (call.kind == Call::resize) return data.resize(call.offset);
        if (first == last) return;
        data.resize(std::max<std::size_t>(data.size(), call.offset + last));
        std::copy(call.data.begin() + static_cast<std::ptrdiff_t>(first),
                  call.data.begin() + static_cast<std::ptrdiff_t>(last),
                  data.begin() + static_cast<std::ptrdiff_t>(call.offset + first));
    }

    void change_names(const Call& call) {
        if (call.kind == Call::create) names[call.name] = call.file;
        if (call.kind == Call::unlink) names.erase(call.name);
        if (call.kind == Call::rename && names.contains(call.name)) {
            names[call.to] = names[call.name];
            names.erase(call.name);
        }
    }
};

enum class Fault { none, all_lost, any };

/// The disk after a power failure that comes when the first `n` calls were made.
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

/// Calls `use` with the disk after every failure: at each call, with nothing, everything or anything of the rest lost.
void each_failure(const Disk& before, const std::vector<Call>& made, unsigned many, Random& random,
                  const std::function<void(const Disk&, std::size_t)>& use) {
    for (std::size_t n = 0; n <= made.size(); ++n) {
        for (unsigned i = 0; i < many; ++i) {
            const Fault fault = i == 0 ? Fault::none : i == 1 ? Fault::all_lost : Fault::any;
            use(after_failure(before, made, n, fault, random), n);
        }
    }
}

template <class Work>
std::vector<Call> recorded(Work work) {
    calls.clear();
    const With with(recording);
    work();
    return std::move(calls);
}

bool has_journal(const std::vector<Call>& made) {
    return std::ranges::any_of(made, [](const Call& call) { return call.name == "t.mkl.journal"; });
}

bool has_leases(const std::filesystem::path& folder) {
    const int fd = ::open((folder / "lease").c_str(), O_RDWR | O_CREAT, 0600);
    const bool has = ::fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
    ::close(fd);
    std::filesystem::remove(folder / "lease");
    return has;
}

/// A tree file, a change of it, and what may be there in the end.
struct Changed {
    Changed() { merklize::runtime::least_bytes_in_place = 0; }
    ~Changed() { merklize::runtime::least_bytes_in_place = 1 << 20; }
    Changed(const Changed&) = delete;
    Changed& operator=(const Changed&) = delete;

    void begin() const { merklize::save_tree(merklize::MerkleTree(old_leaves, form, cpu()), path); }
    void update() const {
        TreeFile file(path);
        file.update(indices, std::span(new_leaves), cpu());
    }
    std::vector<Digest> updated() const {
        std::vector<Digest> all = old_leaves;
        for (std::size_t i = 0; i < indices.size(); ++i) all[indices[i]] = new_leaves[i];
        return all;
    }
    /// 0: as before; 1: as after. Anything else fails.
    bool state(const std::vector<Digest>& after) const {
        const TreeFile file(path);
        CHECK(file.check(1, cpu()).empty());
        CHECK(!std::filesystem::exists(merklize::runtime::journal_of(path)));
        const std::vector<Digest> found = file.read(0, 0, file.n_leaves());
        CHECK(found == old_leaves || found == after);
        return found == after;
    }

    TemporaryFolder folder{};
    std::filesystem::path path = folder.path() / "t.mkl";
    std::vector<Digest> old_leaves = leaves(Hash::blake3, 1500, 1), new_leaves = leaves(Hash::blake3, 2, 2);
    std::vector<std::uint64_t> indices{7, 1200};
};

}  // namespace

TEST("disk_faults: an update in place, and its rolling back, at every power failure") {
    const Changed one;
    if (!has_leases(one.folder.path())) return;
    one.begin();
    const Disk before = Disk::of(one.folder.path());
    const std::vector<Call> made = recorded([&] { one.update(); });
    CHECK(has_journal(made));
    const auto writes = std::ranges::count(made, Call::write, &Call::kind);
    CHECK(writes > 20);  // the journal, the header and the nodes
    Random random(1);
    unsigned states[2] = {}, rolled_back = 0;
    each_failure(before, made, 24, random, [&](const Disk& disk, std::size_t n) {
        disk.put(one.folder.path());
        const Disk there = Disk::of(one.folder.path());
        bool is_after = false;
        const std::vector<Call> opening = recorded([&] { is_after = one.state(one.updated()); });
        ++states[is_after];
        CHECK(is_after || n < made.size());  // update() has returned: it is on the disk
        if (n + 3 < made.size()) CHECK(!is_after || n > made.size() / 2);
        if (opening.size() < 3) return;
        ++rolled_back;
        if (rolled_back % 16 != 0) return;
        each_failure(there, opening, 3, random, [&](const Disk& again, std::size_t m) {
            again.put(one.folder.path());
            const With with(quick());
            CHECK(!one.state(one.updated()) || m < opening.size());
        });
    });
    CHECK(states[0] > 100 && states[1] > 24 && rolled_back > 100);
}

TEST("disk_faults: files that are replaced, at every power failure") {
    const Changed one;
    merklize::runtime::changes_in_place = false;
    merklize::runtime::unnamed_files = false;
    const std::vector<Digest> longer = [&] {
        std::vector<Digest> all = one.old_leaves;
        all.insert(all.end(), one.new_leaves.begin(), one.new_leaves.end());
        return all;
    }();
    const merklize::MerkleTree other(one.new_leaves, form, cpu());
    Random random(2);
    for (int way = 0; way < 3; ++way) {
        one.begin();
        const Disk before = Disk::of(one.folder.path());
        const std::vector<Call> made = recorded([&] {
            if (way == 0) one.update();
            if (way == 1) TreeFile(one.path).append(one.new_leaves, cpu());
            if (way == 2) merklize::save_tree(other, one.path);
        });
        CHECK(!has_journal(made) && std::ranges::count(made, Call::rename, &Call::kind) == 1);
        const std::vector<Digest> after = way == 0 ? one.updated() : way == 1 ? longer : one.new_leaves;
        unsigned states[2] = {};
        const With with(quick());
        each_failure(before, made, 16, random, [&](const Disk& disk, std::size_t n) {
            disk.put(one.folder.path());
            const bool is_after = one.state(after);
            ++states[is_after];
            CHECK(is_after || n < made.size());
        });
        CHECK(states[0] > 16 && states[1] >= 16);
    }
    merklize::runtime::changes_in_place = true;
    merklize::runtime::unnamed_files = true;
}

TEST("disk_faults: a build goes on after every power failure and makes the same file") {
    const Changed one;
    constexpr std::size_t n_leaves = 3000;
    const std::vector<Digest> all = leaves(Hash::blake3, n_leaves, 5);
    const Digest expected = merklize::merkle_root(all, form, cpu());
    Random random(3);
    for (const bool known : {true, false}) {
        one.begin();
        const Disk before = Disk::of(one.folder.path());
        const auto go_on = [&](bool checkpoints) {
            TreeWriter writer(one.path, known ? n_leaves : 0, form, {}, true, cpu());
            while (writer.written() < n_leaves) {
                writer.append(std::span(all).subspan(writer.written(), std::min(n_leaves - writer.written(), 700ul)));
                if (checkpoints) writer.checkpoint();
            }
            CHECK_EQ(writer.finish(), expected);
        };
        const std::vector<Call> made = recorded([&] { go_on(true); });
        const std::string partial = "t.mkl.partial";
        unsigned resumed = 0;
        const With with(quick());
        each_failure(before, made, 4, random, [&](const Disk& disk, std::size_t n) {
            disk.put(one.folder.path());
            CHECK(one.state(all) || n < made.size());
            if (disk.names.contains(partial)) {
                const std::uint64_t there = TreeWriter(one.path, known ? n_leaves : 0, form, {}, true, cpu()).written();
                resumed += there != 0;
            }
            go_on(false);
            CHECK(one.state(all));
        });
        CHECK(resumed > 6);
    }
}

namespace {

// Calls that end the process at the n-th of them: before it, or in its middle.
int calls_left = 0;

bool is_last() {
    if (--calls_left < 0) ::kill(::getpid(), SIGKILL);
    return calls_left == 0;
}

// NOLINTNEXTLINE(bugprone-throwing-static-initialization): a constant
constinit const DiskCalls killing{
    .open = [](const char* path, int flags, mode_t mode) { return is_last(), ::open(path, flags, mode); },
    .pwrite =
        [](int fd, const void* data, std::size_t bytes, off_t offset) {
            if (!is_last()) return ::pwrite(fd, data, bytes, offset);
            (void)!::pwrite(fd, data, bytes / 2, offset);
            ::kill(::getpid(), SIGKILL);
            return ssize_t{-1};
        },
    .copy_range = [](int, off_t*, int, off_t*, std::size_t) -> ssize_t { return errno = EOPNOTSUPP, -1; },
    .ftruncate = [](int fd, off_t bytes) { return is_last(), ::ftruncate(fd, bytes); },
    .fsync = [](int fd) { return is_last(), ::fsync(fd); },
    .fdatasync = [](int fd) { return is_last(), ::fsync(fd); },
    .rename = [](const char* from, const char* to) { return is_last(), ::rename(from, to); },
    .unlink = [](const char* path) { return is_last(), ::unlink(path); },
};

int in_killed_child(int at, const std::function<void()>& work) {
    return child::in_fork([&] {
        calls_left = at;
        const With with(killing);
        work();
        return 0;
    });
}

}  // namespace

TEST("disk_faults: an update that is killed at every call, and rollings back that are, too") {
    const Changed one;
    for (const bool in_place : {true, false}) {
        merklize::runtime::changes_in_place = in_place;
        int at = 0, killed_again = 0;
        bool was_after = false;
        for (bool done = false; !done; ++at) {
            one.begin();
            done = in_killed_child(at, [&] { one.update(); }) == 0;
            for (int again = 0; again < 4; ++again) {
                killed_again += in_killed_child(at + again, [&] { TreeFile(one.path).root(); }) != 0;
            }
            const bool is_after = one.state(one.updated());
            CHECK(is_after || !was_after);  // from some call on it is as after
            was_after = is_after;
            CHECK(is_after || !done);
        }
        CHECK(at > 5 && was_after);
        (void)killed_again;
    }
    merklize::runtime::changes_in_place = true;
}

namespace {

int failures_from = 0, failures_to = 0, calls_made = 0;

bool fails() {
    const bool does = calls_made >= failures_from && calls_made < failures_to;
    ++calls_made;
    errno = EIO;
    return does;
}

// NOLINTNEXTLINE(bugprone-throwing-static-initialization): a constant
constinit const DiskCalls failing{
    .open = [](const char* path, int flags, mode_t mode) { return fails() ? -1 : ::open(path, flags, mode); },
    .pwrite = [](int fd, const void* data, std::size_t bytes,
                 off_t offset) { return fails() ? ssize_t{-1} : ::pwrite(fd, data, bytes, offset); },
    .copy_range = [](int, off_t*, int, off_t*, std::size_t) -> ssize_t { return errno = EOPNOTSUPP, -1; },
    .ftruncate = [](int fd, off_t bytes) { return fails() ? -1 : ::ftruncate(fd, bytes); },
    .fsync = [](int fd) { return fails() ? -1 : ::fsync(fd); },
    .fdatasync = [](int fd) { return fails() ? -1 : ::fsync(fd); },
    .rename = [](const char* from, const char* to) { return fails() ? -1 : ::rename(from, to); },
    .unlink = [](const char* path) { return fails() ? -1 : ::unlink(path); },
};

}  // namespace

TEST("disk_faults: calls that fail: an error leaves the file as before") {
    const Changed one;
    for (const int length : {1, 1000}) {  // one call, or all from there on
        for (int from = 0;; ++from) {
            one.begin();
            bool threw = false;
            {
                failures_from = from;
                failures_to = from + length;
                calls_made = 0;
                const With with(failing);
                try {
                    one.update();
                } catch (const merklize::Error& error) {
                    CHECK(error.code() == merklize::ErrorCode::io);
                    CHECK_EQ(error.system_error(), EIO);
                    threw = true;
                }
            }
            const bool is_after = one.state(one.updated());
            const bool at_the_end =
                calls_made <= from + 1;  // the folder's sync: the change is done, but perhaps not on the disk
            if (threw && !at_the_end) CHECK(!is_after);
            if (!threw) CHECK(is_after);
            if (calls_made <= from) break;
            CHECK(from < 200);
        }
    }
}

TEST("disk_faults: a reader keeps its whole old tree; without readers the file is changed in place") {
    const Changed one;
    one.begin();
    const Digest old_root = TreeFile(one.path).root();
    const auto inode = [&] {
        struct stat info;
        CHECK_EQ(::stat(one.path.c_str(), &info), 0);
        return info.st_ino;
    };
    ino_t before = inode();
    {
        const TreeFile reader(one.path);
        one.update();
        CHECK(inode() != before);
        CHECK_EQ(reader.root(), old_root);
        CHECK(reader.check(1, cpu()).empty());
        CHECK(reader.read(0, 0, reader.n_leaves()) == one.old_leaves);
    }
    CHECK(one.state(one.updated()));
    one.begin();
    before = inode();
    one.update();
    CHECK_EQ(inode() == before, has_leases(one.folder.path()));
    CHECK(one.state(one.updated()));
    // Through a link the same; the journal is beside the file.
    std::filesystem::create_directory(one.folder.path() / "other");
    std::filesystem::create_symlink("../t.mkl", one.folder.path() / "other" / "link");
    one.begin();
    before = inode();
    TreeFile linked(one.folder.path() / "other" / "link");
    linked.update(one.indices, one.new_leaves, cpu());
    CHECK_EQ(inode() == before, has_leases(one.folder.path()));
    CHECK_EQ(linked.root(), TreeFile(one.path).root());
    CHECK_EQ(linked.path(), one.folder.path() / "other" / "link");
}

TEST("disk_faults: processes that change and read one file see whole trees only") {
    const Changed one;
    one.begin();
    std::vector<pid_t> children;
    for (std::uint64_t who = 0; who < 4; ++who) {
        children.push_back(child::start([&] {
            for (std::uint64_t i = 0; i < 60; ++i) {
                TreeFile file(one.path);
                if (who < 2) {
                    const std::uint64_t index = 10 * i + who;
                    file.update({&index, 1}, std::span(one.new_leaves).first(1), cpu());
                }
                const std::uint64_t index = i;
                if (!merklize::verify(file.prove(index), file.root())) return 1;
                if (i % 10 == 0 && !file.check(1, cpu()).empty()) return 2;
            }
            return 0;
        }));
    }
    for (const pid_t pid : children) CHECK_EQ(child::end_of(pid), 0);
    std::vector<Digest> all = one.old_leaves;
    for (std::uint64_t i = 0; i < 60; ++i) all[10 * i] = all[10 * i + 1] = one.new_leaves[0];
    CHECK_EQ(TreeFile(one.path).root(), merklize::merkle_root(all, form, cpu()));
}

TEST("disk_faults: journals that are not whole, not readable, or of another file") {
    const Changed one;
    if (!has_leases(one.folder.path())) return;
    one.begin();
    const auto journal = merklize::runtime::journal_of(one.path);
    const Disk before = Disk::of(one.folder.path());
    const std::vector<Call> made = recorded([&] { one.update(); });
    Random random(4);
    const auto third = made.size() / 2;  // between the journal's sync and the file's
    const auto half = [&] {
        after_failure(before, made, third, Fault::none, random).put(one.folder.path());
        CHECK(std::filesystem::exists(journal));
    };
    half();
    const Bytes hot = read_file(journal), changed = read_file(one.path);

    // Whoever may not write to the file is told; the file stays as it is.
    ::chmod(one.folder.path().c_str(), 0755);
    ::chmod(one.path.c_str(), 0644);
    ::chmod(journal.c_str(), 0644);
    if (::geteuid() == 0) {
        CHECK_EQ(child::in_fork([&] {
                     if (::setuid(65534) != 0) return 98;
                     try {
                         TreeFile file(one.path);
                     } catch (const merklize::Error& error) {
                         const std::string text = error.what();
                         return text.find("a change of it was interrupted") != text.npos ? 0 : 1;
                     }
                     return 2;
                 }),
                 0);
        CHECK(read_file(one.path) == changed);
    }
    CHECK(!one.state(one.updated()));

    const With with(quick());
    // Any damage of the journal: the file was not changed yet, or the journal would be whole.
    for (int i = 0; i < 200; ++i) {
        before.put(one.folder.path());
        Bytes damaged = hot;
        if (i % 2 == 0) damaged[random.below(damaged.size())] ^= static_cast<std::uint8_t>(1 + random.below(255));
        if (i % 2 == 1) damaged.resize(random.below(damaged.size()));
        one.folder.write("t.mkl.journal", damaged);
        CHECK(!one.state(one.updated()));
    }

    // Another file has taken the name: the journal is not its own.
    const std::vector<Digest> others = leaves(Hash::blake3, 1500, 9);
    for (const std::size_t n : {1500, 900}) {
        half();
        const merklize::MerkleTree other(std::span<const Digest>(others).first(n), form, cpu());
        const auto beside = one.folder.path() / "other.mkl";
        merklize::save_tree(other, beside);
        std::filesystem::rename(beside, one.path);
        CHECK_EQ(TreeFile(one.path).root(), other.root());
        CHECK(!std::filesystem::exists(journal));
        // The same by a call of ours.
        half();
        merklize::save_tree(other, one.path);
        CHECK(!std::filesystem::exists(journal));
        CHECK_EQ(TreeFile(one.path).root(), other.root());
    }

    // Only a part fits: nobody can tell what is right.
    half();
    Bytes mixed = changed;
    mixed[mixed.size() - 1] ^= 1;
    one.folder.write("t.mkl", mixed);
    CHECK_ERROR(io, "cannot be rolled back", TreeFile(one.path));
    CHECK(std::filesystem::exists(journal));
    // A newer version is not touched.
    before.put(one.folder.path());
    Bytes newer(hot.begin(), hot.end() - 32);
    newer[8] = 2;
    Digest check;
    merklize::hash(std::as_bytes(std::span(newer)), std::span(check.bytes));
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(check.bytes.data());
    newer.insert(newer.end(), bytes, bytes + 32);
    one.folder.write("t.mkl.journal", newer);
    CHECK_ERROR(io, "a journal of version 2; this program reads version 1", TreeFile(one.path));
}
