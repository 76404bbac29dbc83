// Failures while a tree file is written: a killed process, a full disk, a folder or file that cannot be written.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "child.hpp"
#include "files/atomic_file.hpp"
#include "support.hpp"

using namespace support;
using merklize::TreeFile;
using merklize::TreeForm;
using merklize::TreeRule;
using merklize::TreeWriter;

namespace {

// All work runs on_cpu(1), because drivers of devices do not work in a forked child.
const TreeForm left_full(Hash::blake3, TreeRule::left_full);  // NOLINT(bugprone-throwing-static-initialization)

/// Runs `body` in a child. Its result is the child's exit status.
pid_t in_child(const std::function<int()>& body) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    int result = 99;
    try {
        result = body();
    } catch (const std::exception& error) {
        std::cerr << "child: " << error.what() << std::endl;
    }
    ::_exit(result);
}

int wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {}
    return status;
}

/// Unmounts a folder at the end of the scope.
struct Unmounted {
    ~Unmounted() { CHECK_EQ(::umount2(folder.c_str(), MNT_DETACH), 0); }
    std::filesystem::path folder;
};

/// How often a test kills a process. MERKLIZE_KILLS sets it for a long run.
unsigned kills_wanted(unsigned usual) {
    const char* wanted = std::getenv("MERKLIZE_KILLS");  // NOLINT(concurrency-mt-unsafe): nobody sets it
    return wanted == nullptr ? usual : static_cast<unsigned>(std::strtoul(wanted, nullptr, 10));
}

/// 0 if the call throws an io error with this text.
int expect_io(std::string_view part, const std::function<void()>& call) {
    try {
        call();
    } catch (const merklize::Error& error) {
        const std::string text = error.what();
        if (error.code() == merklize::ErrorCode::io && text.find(part) != text.npos) return 0;
        std::cerr << "not with \"" << part << "\": " << text << std::endl;
        return 1;
    }
    std::cerr << "no error with \"" << part << '"' << std::endl;
    return 1;
}

void write_some(const std::filesystem::path& path, std::size_t n, std::uint64_t seed) {
    TreeWriter writer(path, n, left_full, {}, false, on_cpu(1));
    writer.append(leaves(Hash::blake3, n, seed));
    writer.finish();
}

}  // namespace

TEST("tree_writer: killed at any moment, it is taken up again; the old file stays until then") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl", partial = folder.path() / "t.mkl.partial";
    constexpr std::size_t n = 5 * (1 << 18) + 999;
    const std::vector<Digest> all = leaves(Hash::blake3, n, 42);
    const Digest expected = merklize::merkle_root(all, left_full, on_cpu(1));
    Random random(static_cast<std::uint64_t>(::getpid()));
    unsigned kills = 0, taken_up = 0;
    const unsigned wanted = kills_wanted(0);
    for (const std::size_t total : {n, std::size_t{0}}) {
        const unsigned end = total == 0 ? wanted : wanted / 2;
        for (int round = 0; round < 4 || kills < end; ++round) {
            std::filesystem::remove(partial);
            write_some(path, 100, 1);
            const Digest old_root = TreeFile(path).root();
            std::uint64_t before = 0;
            for (bool done = false; !done;) {
                child::Steps kept;
                const pid_t child = in_child([&] {
                    TreeWriter writer(path, total, left_full, {}, true, on_cpu(1));
                    Random cut(random() + writer.written());
                    while (writer.written() < n) {
                        const std::uint64_t first = writer.written();
                        writer.append(
                            std::span(all).subspan(first, std::min<std::size_t>(n - first, cut.below(50000))));
                        if (cut.below(8) != 0) continue;
                        writer.checkpoint();
                        kept.tell();
                    }
                    writer.finish();
                    return 0;
                });
                if (kills % 2 == 0) kept.wait();
                ::usleep(static_cast<useconds_t>(1000 + random.below(kills % 5 == 4 ? 2000000 : 60000)));
                ::kill(child, SIGKILL);
                const int status = wait_for(child);
                done = WIFEXITED(status);
                if (done) {
                    CHECK_EQ(WEXITSTATUS(status), 0);
                    break;
                }
                ++kills;
                if (TreeFile(path).root() == expected) break;  // killed after the last step
                CHECK_EQ(TreeFile(path).root(), old_root);
                if (!std::filesystem::exists(partial)) continue;
                const std::uint64_t written = TreeWriter(path, total, left_full, {}, true, on_cpu(1)).written();
                taken_up += written > before;
                before = written;
            }
            CHECK_EQ(TreeFile(path).root(), expected);
            CHECK(TreeFile(path).check(10, on_cpu(1)).empty());
            CHECK(!std::filesystem::exists(partial));
        }
    }
    CHECK(kills > 0);
    CHECK(taken_up > 0);
    if (wanted != 0) std::cout << kills << " builds killed, " << taken_up << " taken up" << std::endl;
}

TEST("tree_writer: no process is killed by its limit of a file's size; what is written stays") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl";
    constexpr std::size_t n = 1 << 20;
    write_some(path, 100, 1);
    const Digest old_root = TreeFile(path).root();
    const std::vector<Digest> all = leaves(Hash::blake3, n, 42);
    const int status = wait_for(in_child([&] {
        const rlimit limit{20 << 20, 20 << 20};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        int failures = expect_io("File too large", [&] { TreeWriter(path, n, left_full, {}, false, on_cpu(1)); });
        failures += expect_io("File too large", [&] {  // of a count that shows late
            TreeWriter writer(path, 0, left_full, {}, false, on_cpu(1));
            writer.append(all);
            writer.finish();
        });
        return failures;
    }));
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_EQ(TreeFile(path).root(), old_root);
    TreeWriter writer(path, 0, left_full, {}, true, on_cpu(1));
    CHECK(writer.written() > 0);
    writer.append(std::span(all).subspan(writer.written()));
    CHECK_EQ(writer.finish(), merklize::merkle_root(all, left_full, on_cpu(1)));
}

TEST("tree_writer: a full disk, where the test may mount one") {
    const TemporaryFolder folder;
    const auto disk = folder.path() / "disk";
    std::filesystem::create_directory(disk);
    if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=24m") != 0) return;  // not root: the limit above stands for it
    const auto path = disk / "t.mkl";
    constexpr std::size_t n = 1 << 20;
    const std::vector<Digest> all = leaves(Hash::blake3, n, 42);
    const Unmounted after{disk};
    write_some(path, 100, 1);
    const Digest old_root = TreeFile(path).root();
    CHECK_ERROR(io, "No space left on device", TreeWriter(path, n, left_full, {}, false, on_cpu(1)));
    {
        TreeWriter writer(path, 0, left_full, {}, false, on_cpu(1));
        writer.append(std::span(all).first(n / 2));
        CHECK_ERROR(io, "No space left on device", writer.append(std::span(all).subspan(n / 2)), writer.finish());
        CHECK_ERROR(io, "", writer.append(std::span(all).first(1)), writer.finish());  // it does not go on
    }
    CHECK_EQ(TreeFile(path).root(), old_root);
    CHECK_EQ(::mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=100m"), 0);
    {
        TreeWriter writer(path, 0, left_full, {}, true, on_cpu(1));
        CHECK(writer.written() >= n / 2);
        writer.append(std::span(all).subspan(writer.written()));
        CHECK_EQ(writer.finish(), merklize::merkle_root(all, left_full, on_cpu(1)));
    }
    // A file that replaces another file leaves nothing behind.
    CHECK_EQ(::mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=80m"), 0);
    TreeFile file(path);
    std::vector<std::uint64_t> many(n / 8);  // too many to be changed in place
    std::iota(many.begin(), many.end(), 0);
    CHECK_ERROR(io, "No space left on device", file.update(many, std::span(all).last(n / 8)));
    CHECK_ERROR(io, "No space left on device", file.append(all));
    CHECK_EQ(file.root(), merklize::merkle_root(all, left_full, on_cpu(1)));
    CHECK_EQ(std::distance(std::filesystem::directory_iterator(disk), {}), 1);
}

TEST("tree_writer: processes that change one file lose nothing") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl";
    constexpr std::size_t n = 1000, processes = 5;
    for (int round = 0; round < 20; ++round) {
        std::vector<Digest> all = leaves(Hash::blake3, n, 1);
        write_some(path, n, 1);
        const std::vector<Digest> other = leaves(Hash::blake3, processes, 2);
        std::vector<pid_t> children;
        for (std::size_t i = 0; i < processes; ++i) {
            children.push_back(in_child([&] {
                TreeFile file(path);
                const std::uint64_t index = 100 * i;
                if (round % 2 == 0) {
                    file.update({&index, 1}, std::span(other).subspan(i, 1), on_cpu(1));
                } else {
                    file.append(std::span(other).subspan(i, 1), on_cpu(1));
                }
                return 0;
            }));
            if (round % 2 == 0) all[100 * i] = other[i];
        }
        for (const pid_t child : children) CHECK_EQ(wait_for(child), 0);
        const TreeFile file(path);
        CHECK(file.check(10, on_cpu(1)).empty());
        if (round % 2 == 0) {
            CHECK_EQ(file.root(), merklize::merkle_root(all, left_full, on_cpu(1)));
        } else {  // in any order
            CHECK_EQ(file.n_leaves(), n + processes);
            std::vector<Digest> added = file.read(0, n, processes);
            for (const Digest& leaf : other) CHECK_EQ(std::ranges::count(added, leaf), 1);
        }
        CHECK_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
    }
}

TEST("tree_writer: a change that waits for another one can be cancelled") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl";
    write_some(path, 100, 1);
    const merklize::runtime::FileLock lock(path);
    merklize::RunOptions options = on_cpu(1);
    int asked = 0;
    options.progress = [&](double) { return ++asked < 3; };
    TreeFile file(path);
    CHECK_ERROR(cancelled, "cancelled", file.append(leaves(Hash::blake3, 1), options));
    CHECK_EQ(asked, 3);
}

TEST("tree_writer: builds that race to one file: each makes it, or says that another one is at work") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl", input = folder.write("data", Random(3).bytes(100000));
    const Digest expected =
        merklize::merkle_root_file(merklize::TreeInput::blocks(input, 64), left_full, on_cpu(1)).root;
    int built = 0, refused = 0;
    for (int round = 0; round < 20; ++round) {
        std::filesystem::remove(path);
        std::vector<pid_t> children;
        for (int i = 0; i < 5; ++i) {
            children.push_back(in_child([&] {
                try {
                    const auto facts = merklize::build_tree_file(merklize::TreeInput::blocks(input, 64), path,
                                                                 left_full, true, on_cpu(1));
                    return facts.root == expected ? 0 : 2;
                } catch (const merklize::Error& error) {
                    return std::string(error.what()).find("another build is writing it") != std::string::npos ? 1 : 3;
                }
            }));
        }
        for (const pid_t child : children) {
            const int status = wait_for(child);
            CHECK(WIFEXITED(status) && WEXITSTATUS(status) < 2);
            (WEXITSTATUS(status) == 0 ? built : refused)++;
        }
        CHECK_EQ(TreeFile(path).root(), expected);
        CHECK_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
    }
    CHECK(built >= 20);
}

TEST("tree_writer: changes that are killed leave one whole file and nothing else") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl";
    constexpr std::size_t n = 1 << 17;
    const std::vector<Digest> all = leaves(Hash::blake3, n, 1);
    const merklize::MerkleTree tree(all, left_full, on_cpu(1));
    merklize::save_tree(tree, path);
    Random random(static_cast<std::uint64_t>(::getpid()));
    const auto files = [&] { return std::distance(std::filesystem::directory_iterator(folder.path()), {}); };
    for (const bool unnamed : {true, false}) {
        merklize::runtime::unnamed_files = unnamed;
        unsigned kills = 0;
        const unsigned wanted = kills_wanted(15);
        for (unsigned round = 0; round < wanted; ++round) {
            child::Steps changed;
            const pid_t child = in_child([&] {
                TreeFile file(path);
                for (std::uint64_t i = 0;; ++i, changed.tell()) {
                    if (round % 3 == 0) merklize::save_tree(tree, path);
                    if (round % 3 == 1) file.update({&i, 1}, std::span(all).last(1), on_cpu(1));
                    if (round % 3 == 2) file.append(std::span(all).first(1), on_cpu(1));
                }
                return 1;
            });
            CHECK(changed.wait());
            ::usleep(static_cast<useconds_t>(random.below(80000)));
            ::kill(child, SIGKILL);
            kills += WIFSIGNALED(wait_for(child));
            CHECK(TreeFile(path).check(1, on_cpu(1)).empty());
        }
        CHECK_EQ(kills, wanted);
        if (unnamed) {
            // A process that is killed after it names the temporary file, and before the rename, leaves that name.
            CHECK(files() <= 2);
            folder.write(".t.mkl.0.tmp", pattern(10));
            merklize::save_tree(tree, path);
            CHECK_EQ(files(), 1);
            continue;
        }
        // If temporary files must have names, the next change removes old ones, but not new ones or those of others.
        const auto age = [&](const std::filesystem::path& file) {
            std::filesystem::last_write_time(file,
                                             std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
        };
        for (const auto& entry : std::filesystem::directory_iterator(folder.path())) age(entry.path());
        age(folder.write(".t.mkl.1-2-3.tmp", pattern(10)));
        folder.write(".t.mkl.4-5-6.tmp", pattern(10));
        age(folder.write(".t.mkl.mine.tmp", pattern(10)));
        age(folder.write(".u.mkl.1-2-3.tmp", pattern(10)));
        const int held = ::open(folder.write(".t.mkl.7-8-9.tmp", pattern(10)).c_str(), O_RDONLY);
        age(folder.path() / ".t.mkl.7-8-9.tmp");
        CHECK_EQ(::flock(held, LOCK_EX), 0);
        merklize::save_tree(tree, path);
        ::close(held);
        CHECK_EQ(files(), 5);
        CHECK(!std::filesystem::exists(folder.path() / ".t.mkl.1-2-3.tmp"));
    }
    merklize::runtime::unnamed_files = true;
}

TEST("tree_writer: a write that cannot be is refused with the numbers, and takes no space") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl";
    const auto input = folder.write("data", Bytes(1));
    std::filesystem::resize_file(input, std::uint64_t{1} << 42);
    const auto free = [](const std::filesystem::path& at) { return std::filesystem::space(at).free; };
    const auto before = free(folder.path());
    CHECK_ERROR(io, "they need 8796093022",
                merklize::build_tree_file(merklize::TreeInput::blocks(input, 32), path, left_full));
    CHECK_ERROR(io, "free: No space left on device", TreeWriter(path, std::uint64_t{1} << 38, left_full));
    CHECK(!std::filesystem::exists(folder.path() / "t.mkl.partial"));
    // The file of an earlier build stays.
    { TreeWriter(path, 100, left_full).append(leaves(Hash::blake3, 50)); }
    CHECK_ERROR(io, "No space left on device", TreeWriter(path, std::uint64_t{1} << 38, left_full));
    CHECK_EQ(TreeWriter(path, 100, left_full, {}, true).written(), 50u);
    CHECK(free(folder.path()) + (64 << 20) > before);

    // On ext4, blocks of a failed allocation stay allocated. Runs only if the test may mount a file system.
    const auto image = folder.write("image", Bytes(1)), disk = folder.path() / "disk";
    std::filesystem::resize_file(image, 64 << 20);
    std::filesystem::create_directory(disk);
    const std::string mount = "mkfs.ext4 -q -F '" + image.string() + "' 2>/dev/null && mount -o loop '" +
                              image.string() + "' '" + disk.string() + "' 2>/dev/null";
    // NOLINTNEXTLINE(bugprone-command-processor): the folder's name is our own
    if (::geteuid() != 0 || std::system(mount.c_str()) != 0) return;
    const Unmounted after{disk};
    const auto room = free(disk);
    for (const bool partial : {true, false}) {
        auto file = partial ? merklize::runtime::AtomicFile::partial(disk / "t.mkl")
                            : merklize::runtime::AtomicFile::temporary(disk / "t.mkl");
        file.write(std::as_bytes(std::span("some")), 0);
        CHECK_ERROR(io, "No space left on device", file.allocate(1 << 30));
        CHECK_EQ(file.size(), sizeof "some");
        CHECK(free(disk) + (1 << 20) > room);
        CHECK_ERROR(io, "they need 10737", file.require_space(1 << 30));
    }
}

TEST("tree_writer: places where no file can be written") {
    const TemporaryFolder folder;
    const std::vector<Digest> all = leaves(Hash::blake3, 3);
    CHECK_ERROR(io, "No such file or directory", TreeWriter(folder.path() / "none" / "t.mkl", 3, left_full));
    CHECK_ERROR(io, "not a regular file", TreeWriter(folder.path(), 3, left_full));
    CHECK_ERROR(io, "not a regular file", merklize::save_tree(merklize::MerkleTree(all, left_full), "/dev/null"));
    std::filesystem::create_directory(folder.path() / "t.mkl.partial");
    CHECK_ERROR(io, "Is a directory", TreeWriter(folder.path() / "t.mkl", 3, left_full));
    const auto input = folder.write("data", pattern(100));
    CHECK_ERROR(invalid_argument, "both input and output",
                merklize::build_tree_file(merklize::TreeInput::blocks(input, 10), input, left_full));
    CHECK_EQ(std::filesystem::file_size(input), 100u);

    // A folder that this process may not write to; root becomes another user for that.
    const auto closed = folder.path() / "closed";
    std::filesystem::create_directory(closed);
    write_some(closed / "t.mkl", 5, 1);
    ::chmod(folder.path().c_str(), 0755);
    ::chmod(closed.c_str(), 0555);
    const int status = wait_for(in_child([&] {
        if (::geteuid() == 0 && ::setuid(65534) != 0) return 98;
        const std::uint64_t first = 0;
        TreeFile file(closed / "t.mkl");
        return expect_io("Permission denied",
                         [&] { TreeWriter(closed / "new.mkl", 3, left_full, {}, true, on_cpu(1)); }) +
               expect_io("Permission denied", [&] { file.update({&first, 1}, std::span(all).first(1), on_cpu(1)); });
    }));
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ::chmod(closed.c_str(), 0755);
    CHECK_EQ(std::distance(std::filesystem::directory_iterator(closed), {}), 1);
}
