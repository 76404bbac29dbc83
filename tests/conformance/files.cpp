// Files, pipes and trees over files: the same digests as of the bytes in memory.

#include <cerrno>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include "asked_often.hpp"
#include "support.hpp"

using namespace support;
using merklize::MerkleTree;
using merklize::TreeInput;

namespace {

Bytes file_digest(const std::filesystem::path& path, unsigned n_threads = 0) {
    Bytes out(32);
    merklize::hash_file(path, view(out), 0, {}, threads(n_threads));
    return out;
}

/// BLAKE3 of `data` that comes through a pipe in pieces of `piece` bytes.
Bytes pipe_digest(const Bytes& data, std::size_t piece, unsigned n_threads) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error(std::strerror(errno));
    std::thread writer([&] {
        for (std::size_t at = 0; at < data.size();) {
            const ssize_t count = ::write(ends[1], data.data() + at, std::min(piece, data.size() - at));
            if (count > 0) at += static_cast<std::size_t>(count);
        }
        ::close(ends[1]);
    });
    Bytes out(32);
    merklize::hash_descriptor(ends[0], "pipe", view(out), 0, {}, threads(n_threads));
    writer.join();
    ::close(ends[0]);
    return out;
}

}  // namespace

TEST("files: digests around the edges of chunks and reads") {
    const TemporaryFolder folder;
    const std::size_t read = 256 << 10;
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{1024}, std::size_t{1025}, read / 2, read / 2 + 1, read - 1, read,
          read + 1, 2 * read, 3 * read - 1, 5 * read + 1025, std::size_t{3000001}}) {
        const Bytes data = Random(size).bytes(size);
        const std::string expected = hex(reference::blake3(data));
        const auto path = folder.write("file", data);
        for (const unsigned n : {1, 2, 5}) {
            CHECK_EQ(hex(file_digest(path, n)), expected);
            CHECK_EQ(hex(pipe_digest(data, 65536, n)), expected);
        }
        CHECK_EQ(hex(pipe_digest(data, 1000, 3)), expected);
        // From the descriptor's position.
        const int fd = ::open(path.c_str(), O_RDONLY);
        const std::size_t skip = size / 3;
        CHECK_EQ(::lseek(fd, static_cast<off_t>(skip), SEEK_SET), static_cast<off_t>(skip));
        Bytes out(40);
        merklize::hash_descriptor(fd, "file", view(out), 7);
        ::close(fd);
        CHECK_EQ(hex(out),
                 hex(reference::blake3(Bytes(data.begin() + static_cast<std::ptrdiff_t>(skip), data.end()), 40, 7)));
    }
}

TEST("files: a file of the kernel that says size 0") {
    std::ifstream file("/proc/version", std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    CHECK_EQ(hex(file_digest("/proc/version")), hex(reference::blake3(Bytes(text.begin(), text.end()))));
}

TEST("files: many at once, with failures among them") {
    const TemporaryFolder folder;
    std::vector<std::filesystem::path> paths;
    std::vector<std::string> expected;
    for (std::size_t i = 0; i < 60; ++i) {
        const Bytes data = Random(i).bytes(i * i * 101);
        paths.push_back(folder.write("file" + std::to_string(i), data));
        expected.push_back(hex(reference::blake3(data, 50, 3)));
    }
    paths.insert(paths.begin() + 20, {folder.path() / "missing", folder.path()});
    expected.insert(expected.begin() + 20, {"", ""});
    const auto large = Random(99).bytes(5 << 20);
    paths.push_back(folder.write("large", large));
    expected.push_back(hex(reference::blake3(large, 50, 3)));
    for (const unsigned n : {1, 3}) {
        const std::vector<merklize::FileDigest> results = merklize::hash_files(paths, 50, 3, {}, threads(n));
        CHECK_EQ(results.size(), paths.size());
        for (std::size_t i = 0; i < results.size(); ++i) {
            Bytes output;
            for (const std::byte b : results[i].output) output.push_back(std::to_integer<std::uint8_t>(b));
            CHECK_EQ(hex(output), expected[i]);
            CHECK_EQ(results[i].error.empty(), !expected[i].empty());
        }
        CHECK(results[20].error.find("missing: cannot open: No such file") != std::string::npos);
        CHECK(results[21].error.find("Is a directory") != std::string::npos);
    }
    CHECK(merklize::hash_files({}).empty());
}

TEST("files: trees over pieces") {
    const TemporaryFolder folder;
    struct Case {
        std::size_t size, leaf;
    };
    for (const auto& [size, leaf] : {Case{2, 1},
                                     {4096, 32},
                                     {4095, 32},
                                     {64 * 1024, 1024},
                                     {63 * 1024 + 1, 1024},
                                     {1 << 20, 1 << 16},
                                     {(1 << 20) - 5, 1 << 18},
                                     {(1 << 20) - 5, 1 << 19},
                                     {3 << 19, 3 << 17},
                                     {8000, 1000}}) {
        const Bytes data = Random(size + leaf).bytes(size);
        std::vector<Digest> given;
        for (std::size_t at = 0; at < size; at += leaf) {
            const auto begin = data.begin() + static_cast<std::ptrdiff_t>(at);
            given.push_back(to_digest(
                reference::blake3(Bytes(begin, begin + static_cast<std::ptrdiff_t>(std::min(leaf, size - at))))));
        }
        const MerkleTree expected(given);
        for (const unsigned n : {1, 3}) {
            const MerkleTree tree =
                MerkleTree::from_file(TreeInput::blocks(folder.write("file", data), leaf), {}, threads(n));
            CHECK_EQ(tree.n_leaves(), given.size());
            CHECK_EQ(tree.nodes(), expected.nodes());
        }
    }
}

TEST("files: a tree of any count of pieces, by any rule, keyed") {
    const TemporaryFolder folder;
    const Bytes key = Random(3).bytes(32);
    const auto mode = merklize::Mode::keyed(view(key));
    for (const std::size_t size : {0, 1, 99, 100, 101, 350, 1000, 70001}) {
        const Bytes data = Random(size).bytes(size);
        const auto path = folder.write("file", data);
        for (const merklize::TreeRule rule : {merklize::TreeRule::left_full, merklize::TreeRule::duplicate_last}) {
            const merklize::TreeForm form(Hash::blake3, rule, mode);
            std::vector<Digest> given;
            for (std::size_t at = 0; at < size || at == 0; at += 100) {
                const auto begin = data.begin() + static_cast<std::ptrdiff_t>(at);
                const Bytes piece(begin, begin + static_cast<std::ptrdiff_t>(std::min<std::size_t>(100, size - at)));
                given.push_back(to_digest(reference::blake3(piece, 32, 0, {.key = key})));
            }
            CHECK_EQ(MerkleTree::from_file(TreeInput::blocks(path, 100), form).nodes(),
                     MerkleTree(given, form).nodes());
            CHECK_EQ(MerkleTree::from_file(TreeInput::blocks(path, UINT64_MAX), form).root(),
                     to_digest(reference::blake3(data, 32, 0, {.key = key})));
        }
    }
}

TEST("files: errors name the file and the cause") {
    const TemporaryFolder folder;
    const auto path = folder.write("three", Bytes(96));
    CHECK_ERROR(io, "missing: cannot open: No such file", file_digest(folder.path() / "missing"));
    CHECK_ERROR(io, "Is a directory", file_digest(folder.path()));
    CHECK_ERROR(io, "not a regular file", MerkleTree::from_file(TreeInput::blocks("/dev/null", 32)));
    Bytes out(32);
    CHECK_ERROR(io, "the pipe: cannot", merklize::hash_descriptor(-1, "the pipe", view(out)));
}

TEST("files: one that changes its size while being read") {
    // The progress function shrinks or grows the file. With one thread it is called after the first read. With two
    // threads the other one may be done before the first call, and then nothing was changed.
    const TemporaryFolder folder;
    const support::AskedOften asked;
    const Bytes data(8 << 20);
    for (const unsigned n : {1, 2}) {
        for (const bool grows : {false, true}) {
            const auto path = folder.write("file", data);
            bool changed = false;
            merklize::RunOptions options = threads(n);
            options.progress = [&](double) {
                if (!changed) std::filesystem::resize_file(path, grows ? data.size() + 1 : 5000);
                changed = true;
                return true;
            };
            Bytes out(32);
            const auto read = [&] { merklize::hash_file(path, view(out), 0, {}, options); };
            const char* what = grows ? "grew while being read" : "shrank while being read";
            if (n == 1) {
                CHECK_ERROR(io, what, read());
                continue;
            }
            try {
                read();
                CHECK(!changed);
            } catch (const merklize::Error& error) {
                CHECK(error.code() == merklize::ErrorCode::io && contains(error.what(), what));
            }
        }
    }
}
