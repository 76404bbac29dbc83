// merklize-file-bench: times trees from file to file, and the two limits of such a job: writing the same bytes to the
// disk without merges, and the merges without a disk.
//
//   merklize-file-bench --folder F [--log2-leaves K] [--leaf-bytes B] [--threads T] [--repeats R]
//
// leaf-bytes 0: the input is the leaves themselves. Prints one JSON object a line, in the format of bench/results: the
// seconds of each repeat of a job, its bytes, and the peak memory of the process in MiB.

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <merklize/merklize.hpp>

#include "jobs.hpp"

using namespace merklize;

namespace {

struct Options {
    std::filesystem::path folder = ".";
    unsigned log2_leaves = 22;
    std::uint64_t leaf_bytes = 0;
    unsigned threads = 0;
    unsigned repeats = 3;
};

double peak_mib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

void report(const char* job, const Options& options, const RunOptions& run, std::uint64_t bytes,
            const std::function<void()>& body) {
    std::string seconds;
    for (unsigned i = 0; i < options.repeats; i++) {
        const auto start = std::chrono::steady_clock::now();
        body();
        const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        seconds += (i > 0 ? ", " : "") + std::to_string(s);
    }
    std::printf(
        "{\"peer\": \"merklize\", \"version\": \"%s\", \"job\": \"%s\", \"hash\": \"blake3\", \"n\": %llu, "
        "\"leaf_bytes\": "
        "%llu, \"bytes\": %llu, \"threads\": %u, \"isa\": \"%s\", \"device\": \"%s\", \"peak_mib\": %.0f, \"seconds\": "
        "[%s]}\n",
        version(), job, 1ull << options.log2_leaves, static_cast<unsigned long long>(options.leaf_bytes),
        static_cast<unsigned long long>(bytes), options.threads, run.device.info().isa.c_str(),
        run.device.info().name.c_str(), peak_mib(), seconds.c_str());
    std::fflush(stdout);
}

// Writes random bytes, because some disks would compress zeros or store them as holes.
// direct  writes whole pages, past the page cache, to show the speed of the disk itself
void write_bytes(const std::filesystem::path& path, std::uint64_t bytes, bool direct = false) {
    constexpr std::size_t page = 4096, piece_bytes = 8 << 20;
    const auto values = bench::random_values<std::byte>(piece_bytes, "bytes");
    const std::unique_ptr<void, void (*)(void*)> piece(std::aligned_alloc(page, piece_bytes), std::free);
    std::memcpy(piece.get(), values.data(), piece_bytes);
    if (direct) bytes = (bytes + page - 1) / page * page;
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | (direct ? O_DIRECT : 0), 0600);
    std::uint64_t done = 0;
    while (fd >= 0 && done < bytes) {
        const ssize_t count = write(fd, piece.get(), std::min<std::uint64_t>(piece_bytes, bytes - done));
        if (count <= 0) break;
        done += static_cast<std::uint64_t>(count);
    }
    if (fd < 0 || done < bytes || fsync(fd) != 0) throw Error(ErrorCode::io, path.string() + ": cannot write");
    close(fd);
}

int bench_files(const Options& options) {
    RunOptions run;
    run.threads = options.threads;
    const std::uint64_t n = std::uint64_t{1} << options.log2_leaves;
    const bool hashed = options.leaf_bytes != 0;
    const std::uint64_t in_bytes = n * (hashed ? options.leaf_bytes : Digest::size);
    const std::uint64_t out_bytes = 128 + Digest::size * (2 * n - 1);
    const auto input = options.folder / "bench.input", output = options.folder / "bench.mkl";
    write_bytes(input, in_bytes);

    report("write-file", options, run, out_bytes, [&] { write_bytes(output, out_bytes); });
    report("write-file-direct", options, run, out_bytes, [&] { write_bytes(output, out_bytes, true); });
    // The merges, over one batch again and again, so that caches are used as in the build.
    const std::vector<Digest> batch = bench::random_leaves(std::min<std::uint64_t>(n, 1 << 19), Hash::blake3);
    report("tree-builder", options, run, in_bytes, [&] {
        TreeBuilder builder({}, run);
        for (std::uint64_t done = 0; done < n; done += batch.size()) builder.append(batch);
        builder.root();
    });
    report("tree-file", options, run, out_bytes, [&] {
        build_tree_file(hashed ? TreeInput::blocks(input, options.leaf_bytes) : TreeInput::leaves(input), output, {},
                        false, run);
    });
    std::filesystem::remove(input);
    std::filesystem::remove(output);
    return 0;
}

}  // namespace

int main(int argc, char** argv) try {
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string flag = argv[i];
        const char* value = argv[i + 1];
        if (flag == "--folder") options.folder = value;
        if (flag == "--log2-leaves") options.log2_leaves = static_cast<unsigned>(std::atoi(value));
        if (flag == "--leaf-bytes") options.leaf_bytes = std::strtoull(value, nullptr, 10);
        if (flag == "--threads") options.threads = static_cast<unsigned>(std::atoi(value));
        if (flag == "--repeats") options.repeats = static_cast<unsigned>(std::atoi(value));
    }
    return bench_files(options);
} catch (const std::exception& error) {
    std::fprintf(stderr, "merklize-file-bench: %s\n", error.what());
    return 1;
}
