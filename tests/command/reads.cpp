// Which reads reach the system, and in which order. This program's own pread() and preadv2() replace those of the C
// library, and simulate a rotational disk.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "command/call.hpp"
#include "command/endings.hpp"
#include "command/hash/in_order.hpp"
#include "command/output/text.hpp"
#include "host/input_file.hpp"
#include "host/mapped_file.hpp"
#include "merklize/tree.hpp"
#include "merklize/tree_file.hpp"
#include "support.hpp"

namespace {

// A recorded read: the file and the offset.
struct Read {
    std::uint64_t inode, offset;
};

std::atomic<bool> is_recording{false}, is_in_memory{false}, has_two{false};
std::mutex guards_reads;
std::vector<Read> reads;  // guarded by guards_reads
std::atomic<int> under_way{0}, most_under_way{0};
std::atomic<std::thread::id> watched{};     // while a test watches: the thread that gives out results
std::atomic<bool> has_worker_asked{false};  // another thread has asked for a file, and is about to wait for its turn

ssize_t plain_pread(int fd, void* out, std::size_t bytes, off_t offset) {
    return syscall(SYS_pread64, fd, out, bytes, offset);
}

}  // namespace

extern "C" ssize_t pread(int fd, void* out, std::size_t bytes, off_t offset) noexcept(false) {
    if (!is_recording) return plain_pread(fd, out, bytes, offset);
    const int now = ++under_way;
    for (int most = most_under_way; now > most && !most_under_way.compare_exchange_weak(most, now);) {}
    {
        struct stat info{};
        fstat(fd, &info);
        const std::lock_guard lock(guards_reads);
        reads.push_back({info.st_ino, static_cast<std::uint64_t>(offset)});
    }
    if (has_two) {
        while (most_under_way < 2) std::this_thread::yield();
    } else {
        std::this_thread::sleep_for(std::chrono::microseconds(200));  // others would come in between
    }
    const ssize_t count = plain_pread(fd, out, bytes, offset);
    --under_way;
    return count;
}

extern "C" ssize_t preadv2(int fd, const iovec* parts, int n, off_t offset, int flags) noexcept(false) {
    if (n == 1 && is_in_memory) return plain_pread(fd, parts[0].iov_base, parts[0].iov_len, offset);
    (void)flags;
    if (watched.load() != std::thread::id() && watched.load() != std::this_thread::get_id()) {
        has_worker_asked = true;
        has_worker_asked.notify_all();
    }
    errno = EAGAIN;
    return -1;
}

namespace {

using merklize::Digest;
using support::TemporaryFolder;

// During the lifetime of an object all disks are of this kind, and reads are recorded.
class Disk {
public:
    /// two  each read waits until two reads have been under way at once
    Disk(bool rotational, bool in_memory, bool two = false) {
        merklize::runtime::is_rotational =
            rotational ? [](std::uint64_t) { return true; } : [](std::uint64_t) { return false; };
        is_in_memory = in_memory;
        has_two = two;
        reads.clear();
        most_under_way = 0;
        is_recording = true;
    }
    ~Disk() {
        is_recording = false;
        merklize::runtime::is_rotational = before_;
    }
    Disk(const Disk&) = delete;
    Disk& operator=(const Disk&) = delete;

private:
    bool (*before_)(std::uint64_t) = merklize::runtime::is_rotational;
};

std::string write_file(const TemporaryFolder& folder, const std::string& name, std::size_t bytes) {
    const std::string path = (folder.path() / name).string();
    const support::Bytes data = support::Random(bytes).bytes(bytes);
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data.data()), std::ptrdiff_t(bytes));
    return path;
}

merklize::RunOptions four_threads() {
    merklize::RunOptions options;
    options.device = merklize::Device("cpu");
    options.threads = 4;
    return options;
}

Digest hash_large(const std::string& path) {
    Digest digest;
    merklize::hash_file(path, digest.bytes, 0, {}, four_threads());
    return digest;
}

Digest hash_of(const support::Bytes& data) { return merklize::hash(std::as_bytes(std::span(data))); }

using merklize::command::HashResult;

// A caller with no functions, because hashing calls none.
struct NoCaller : merklize::command::Caller {
    int run_in_python(merklize::command::Call&, const merklize::command::Arguments&,
                      const std::vector<std::string>&) override {
        throw merklize::command::Failure{"no Python here"};
    }
    void prepare_libraries(std::string_view) override {}
    std::filesystem::path installed() override { return {}; }
};

void hash_each_file(const std::vector<std::string>& paths, std::uint64_t seek,
                    const std::function<void(const HashResult&)>& done) {
    merklize::command::HashJob job;
    job.options = four_threads();
    job.seek = seek;
    NoCaller caller;
    merklize::command::Call call({}, caller);
    merklize::command::Bar bar(call, "hashing");
    std::size_t at = 0;
    const auto next = [&](merklize::command::HashInput& input) {
        if (at == paths.size()) return false;
        input.path = paths[at++];
        return true;
    };
    merklize::command::hash_in_order(call, job, next, done, bar);
}

// The digests in order, by the command's own function.
std::vector<std::string> hash_all(const std::vector<std::string>& paths) {
    std::vector<std::string> digests;
    hash_each_file(paths, 0, [&](const HashResult& result) {
        digests.push_back(result.error.empty() ? merklize::command::to_hex(result.digest) : result.error);
    });
    return digests;
}

}  // namespace

TEST("reads: a large file on a rotational disk by one reader, from its begin to its end") {
    const TemporaryFolder folder;
    const std::string path = write_file(folder, "large", (5 << 20) + 12345);
    const Digest expected = hash_large(path);
    const Disk disk(true, false);
    CHECK_EQ(hash_large(path), expected);
    CHECK_EQ(most_under_way.load(), 1);
    CHECK(reads.size() > 20);
    CHECK(std::ranges::is_sorted(reads, {}, &Read::offset));
}

TEST("reads: what is in memory is read by all threads, also of a rotational disk") {
    const TemporaryFolder folder;
    const std::string path = write_file(folder, "large", 5 << 20);
    const Digest expected = hash_large(path);
    const Disk disk(true, true);
    CHECK_EQ(hash_large(path), expected);
    CHECK(reads.size() <= 1);  // the byte behind the end
}

TEST("reads: another disk has many readers") {
    const TemporaryFolder folder;
    const std::string path = write_file(folder, "large", 16 << 20);
    const Disk disk(false, false, true);
    hash_large(path);
    CHECK(most_under_way.load() > 1);
}

TEST("reads: a tree over a file on a rotational disk by one reader, in order") {
    const TemporaryFolder folder;
    const std::string path = write_file(folder, "large", 5 << 20);
    for (const std::uint64_t leaf_bytes : {4096, 1 << 20}) {
        const auto input = merklize::TreeInput::blocks(path, leaf_bytes);
        const Digest expected = merklize::merkle_root_file(input, {}, four_threads()).root;
        const Disk disk(true, false);
        CHECK_EQ(merklize::merkle_root_file(input, {}, four_threads()).root, expected);
        CHECK_EQ(most_under_way.load(), 1);
        CHECK(std::ranges::is_sorted(reads, {}, &Read::offset));
    }
}

TEST("reads: many files on a rotational disk one after another, in the order of the inputs") {
    const TemporaryFolder folder;
    std::vector<std::string> paths;
    std::vector<std::uint64_t> inodes;
    for (std::size_t i = 0; i < 200; i++) {
        const std::size_t bytes = i == 50 || i == 120 ? (2 << 20) + i : i == 77 ? 700000 : 1000 * (i % 7) + i + 1;
        paths.push_back(write_file(folder, "f" + std::to_string(i), bytes));
        struct stat info{};
        stat(paths.back().c_str(), &info);
        inodes.push_back(info.st_ino);
    }
    paths.insert(paths.begin() + 10, "missing");
    const std::vector<std::string> expected = hash_all(paths);
    CHECK_EQ(expected[10], "No such file or directory");
    {
        const Disk disk(true, false);
        CHECK(hash_all(paths) == expected);
        CHECK_EQ(most_under_way.load(), 1);
        std::vector<std::uint64_t> seen;
        for (const Read& read : reads)
            if (seen.empty() || seen.back() != read.inode) seen.push_back(read.inode);
        CHECK(seen == inodes);
    }
    const Disk disk(false, false, true);
    CHECK(hash_all(paths) == expected);
    CHECK(most_under_way.load() > 1);
}

TEST("reads: a run that ends wakes the workers that wait for their turn at a rotational disk") {
    const TemporaryFolder folder;
    std::vector<std::string> paths(200, write_file(folder, "small", 1000));
    paths[1] = write_file(folder, "large", 2 << 20);  // the results of the files behind it wait for it
    const Disk disk(true, false);
    has_worker_asked = false;
    watched = std::this_thread::get_id();
    int code = 0;
    try {
        hash_each_file(paths, 0, [](const HashResult&) {
            has_worker_asked.wait(false);
            throw merklize::command::Exit{141};  // the reader of the output is gone
        });
    } catch (const merklize::command::Exit& end) {
        code = end.code;
    }
    CHECK_EQ(code, 141);
    watched = std::thread::id();
}

TEST("reads: the first error in the order of the inputs ends the run, whichever thread meets one first") {
    const TemporaryFolder folder;
    std::vector<std::string> paths(64, write_file(folder, "small", 10));
    std::fill_n(paths.begin(), 20, "missing");  // a missing file is a result, not an error of the run
    const Disk disk(false, true);
    is_recording = false;
    for (int i = 0; i < 2000; i++) {
        int given = 0;
        CHECK_ERROR(invalid_argument, "seek must be at most 18446744073709551584",
                    hash_each_file(paths, UINT64_MAX, [&](const HashResult&) { given++; }));
        CHECK_EQ(given, 20);
    }
}

TEST("reads: any threads and any count of inputs give the same results in order") {
    const TemporaryFolder folder;
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < 500; i++) paths.push_back(write_file(folder, "f" + std::to_string(i), i));
    for (std::size_t i = 500; i < 3000; i++) paths.push_back(paths[i - 500]);
    const Disk disk(false, true);
    is_recording = false;
    const std::vector<std::string> all = hash_all(paths);
    CHECK_EQ(all.size(), paths.size());
    for (std::size_t i = 0; i < all.size(); i++) {
        if (i < 500) {
            CHECK_EQ(all[i], hash_of(support::Random(i).bytes(i)).hex());
        } else {
            CHECK_EQ(all[i], all[i - 500]);
        }
    }
}

TEST("reads: a mapped file that becomes shorter fails, and does not end the process") {
    using merklize::runtime::InputFile;
    using merklize::runtime::MappedFile;
    const TemporaryFolder folder;
    constexpr std::size_t bytes = 4 << 20;
    const std::string path = write_file(folder, "large", bytes);
    const InputFile file(path);
    CHECK(!MappedFile(file, 0, bytes));  // a library maps no files, unless it is allowed
    MappedFile::allow();
    CHECK(!MappedFile(file, 0, 1000));  // not worth it
    const MappedFile mapped(file, 0, bytes);
    CHECK(static_cast<bool>(mapped));
    const support::Bytes expected = support::Random(bytes).bytes(bytes);
    CHECK(std::ranges::equal(mapped.at(5000, 100000), std::as_bytes(std::span(expected)).subspan(5000, 100000)));
    CHECK(!mapped.has_failed());
    std::filesystem::resize_file(path, 1 << 20);
    CHECK(std::ranges::all_of(mapped.at(2 << 20, 100000), [](std::byte b) { return b == std::byte{}; }));
    CHECK(mapped.has_failed());
    CHECK_ERROR(io, "shrank while being read: it ends at byte 1048576, expected its end at byte 4194304",
                file.fail_after(bytes));
}

TEST("reads: mapped or not, the digest is the same") {
    merklize::runtime::MappedFile::allow();
    const TemporaryFolder folder;
    for (const std::size_t bytes : {(40 << 20) + 1, 48 << 20}) {
        const std::string path = write_file(folder, "large", bytes);
        const support::Bytes data = support::Random(bytes).bytes(bytes);
        CHECK_EQ(hash_large(path), hash_of(data));
    }
}
