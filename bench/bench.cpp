// merklize-bench: times the library's own jobs. run.py beside it runs them in turn with the peers' jobs and writes
// bench/results.
//
//   merklize-bench JOB [--bytes N] [--log2-leaves K] [--hash NAME] [--path P] [--threads T] [--repeats R]
//
// Prints one JSON object a line: the seconds of each of R timed repeats after one warm-up, and what ran where.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <merklize/merklize.hpp>

#include "jobs.hpp"

using namespace merklize;
using bench::random_leaves;
using bench::random_values;

namespace {

struct Options {
    std::uint64_t bytes = 1 << 30;
    unsigned log2_leaves = 20;
    std::string hash = "blake3";
    std::string path;
    unsigned threads = 1;
    unsigned repeats = 10;
};

void report(const char* job, std::uint64_t n, const Options& options, const RunOptions& run, const std::string& result,
            const std::function<void()>& body) {
    using Clock = std::chrono::steady_clock;
    std::string seconds;
    for (unsigned i = 0; i <= options.repeats; i++) {
        const auto start = Clock::now();
        body();
        const double s = std::chrono::duration<double>(Clock::now() - start).count();
        char text[32];
        std::snprintf(text, sizeof text, "%s%.9f", i > 1 ? ", " : "", s);
        if (i > 0) seconds += text;
    }
    std::printf(
        "{\"peer\": \"merklize\", \"version\": \"%s\", \"job\": \"%s\", \"hash\": \"%s\", \"n\": %llu, \"threads\": "
        "%u, "
        "\"isa\": \"%s\", \"device\": \"%s\", \"result\": \"%s\", \"seconds\": [%s]}\n",
        version(), job, options.hash.c_str(), static_cast<unsigned long long>(n), options.threads,
        run.device.info().isa.c_str(), run.device.info().name.c_str(), result.c_str(), seconds.c_str());
    std::fflush(stdout);
}

int run_job(const std::string& job, const Options& options) {
    RunOptions run;
    run.threads = options.threads;
    const Hash tree_hash = hash_from_name(options.hash);
    Digest result;
    if (job == "digest") {  // one-shot digest of memory
        const auto data = random_values<std::byte>(options.bytes, "data");
        result = hash_message(data, tree_hash, run);
        report("digest", options.bytes, options, run, result.hex(), [&] { hash_message(data, tree_hash, run); });
    } else if (job == "tree") {  // all parents, in the caller's memory, as in the peers' loops
        const std::uint64_t n = std::uint64_t{1} << options.log2_leaves;
        std::vector<Digest> nodes(n);
        const std::vector<Digest> leaves = random_leaves(n, tree_hash);
        nodes.insert(nodes.end(), leaves.begin(), leaves.end());
        build_tree(nodes, tree_hash, run);
        report("tree", n, options, run, nodes[1].hex(), [&] { build_tree(nodes, tree_hash, run); });
    } else if (job == "merkle-tree") {  // the same with MerkleTree, which also allocates memory and copies the leaves
        const std::uint64_t n = std::uint64_t{1} << options.log2_leaves;
        const std::vector<Digest> leaves = random_leaves(n, tree_hash);
        result = MerkleTree(leaves, tree_hash, run).root();
        report("merkle-tree", n, options, run, result.hex(), [&] { MerkleTree(leaves, tree_hash, run); });
    } else if (job == "hash-many") {  // 64-byte messages
        const std::uint64_t n = std::uint64_t{1} << options.log2_leaves;
        const auto messages = random_values<std::byte>(64 * n, "messages");
        std::vector<Digest> out(n);
        report("hash-many", n, options, run, "", [&] { hash_leaves(messages, 64, out, Hash::blake3, {}, run); });
    } else if (job == "rows") {  // rows of 256 words, or of as many bytes as 256 words of 64 bits have
        const std::uint64_t n = std::uint64_t{1} << options.log2_leaves;
        const std::uint64_t bytes = 256 * (traits(tree_hash).element_bits == 32 ? 4 : 8);
        auto rows = random_values<std::byte>(bytes * n, "rows");
        bench::make_canonical(rows, tree_hash);
        std::vector<Digest> out(n);
        hash_leaves(rows, bytes, out, tree_hash, {}, run);
        report("rows", n, options, run, out[n - 1].hex(), [&] { hash_leaves(rows, bytes, out, tree_hash, {}, run); });
    } else if (job == "file") {  // a file in the page cache
        hash_file(options.path, result.bytes, 0, {}, run);
        report("file", std::filesystem::file_size(options.path), options, run, result.hex(),
               [&] { hash_file(options.path, result.bytes, 0, {}, run); });
    } else if (job == "files") {  // every file of a folder
        std::vector<std::filesystem::path> paths;
        for (const auto& entry : std::filesystem::directory_iterator(options.path)) paths.push_back(entry.path());
        report("files", paths.size(), options, run, "", [&] { hash_files(paths, Digest::size, 0, {}, run); });
    } else {
        std::fprintf(stderr, "merklize-bench: unknown job '%s'\n", job.c_str());
        return 2;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) try {
    Options options;
    const std::map<std::string, std::function<void(const char*)>> flags = {
        {"--bytes", [&](const char* v) { options.bytes = std::strtoull(v, nullptr, 10); }},
        {"--log2-leaves", [&](const char* v) { options.log2_leaves = static_cast<unsigned>(std::atoi(v)); }},
        {"--hash", [&](const char* v) { options.hash = v; }},
        {"--path", [&](const char* v) { options.path = v; }},
        {"--threads", [&](const char* v) { options.threads = static_cast<unsigned>(std::atoi(v)); }},
        {"--repeats", [&](const char* v) { options.repeats = static_cast<unsigned>(std::atoi(v)); }},
    };
    if (argc < 2) {
        std::fprintf(stderr,
                     "usage: merklize-bench digest|tree|merkle-tree|hash-many|rows|file|files [--FLAG VALUE ...]\n");
        return 2;
    }
    for (int i = 2; i < argc; i += 2) {
        const auto flag = flags.find(argv[i]);
        if (flag == flags.end() || i + 1 == argc) {
            std::fprintf(stderr, "merklize-bench: bad flag '%s'\n", argv[i]);
            return 2;
        }
        flag->second(argv[i + 1]);
    }
    return run_job(argv[1], options);
} catch (const std::exception& error) {
    std::fprintf(stderr, "merklize-bench: %s\n", error.what());
    return 1;
}
