// merklize-tree-bench: times jobs on trees other than building one: proofs of many leaves, updates, forests, rows.
//
//   merklize-tree-bench [DEVICE] [--only SUBSTRING] [--repeats R] [--leaves LOG2] [--commit TEXT]
//
// Prints one JSON object a line, with medians over R calls after a first call. Each result is compared with the CPU's
// result in the same run; a wrong result ends the program. Updates are judged by the rate of random merges, forests by
// the rate of one large tree, so these rates are measured as well.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <merklize/merklize.hpp>

#include "jobs.hpp"

using namespace merklize;
using Clock = std::chrono::steady_clock;

namespace {

struct Options {
    std::string device = "cpu", only, commit;
    unsigned repeats = 11;
    unsigned leaves = 24;
};

[[noreturn]] void wrong(const std::string& job) {
    std::fprintf(stderr, "wrong result: %s\n", job.c_str());
    std::exit(1);
}

class Bench {
public:
    explicit Bench(Options options) : options_(std::move(options)), device_(options_.device) {}

    bool wanted(const char* job) const { return std::string(job).find(options_.only) != std::string::npos; }
    const Options& options() const { return options_; }
    RunOptions on_device() const {
        RunOptions run;
        run.device = device_;
        return run;
    }
    bool has_memory() const { return device_.info().backend != "cpu"; }

    /// units  how many units one call does; the rate is units a second
    void row(const char* job, Hash hash, std::uint64_t n, double units, const char* unit,
             const std::function<void()>& call, const std::function<void()>& before = {}) const {
        std::vector<double> seconds;
        double first = 0;
        for (unsigned i = 0; i <= options_.repeats; i++) {
            if (before) before();
            const auto start = Clock::now();
            call();
            const double took = std::chrono::duration<double>(Clock::now() - start).count();
            if (i == 0) first = took;
            if (i > 0) seconds.push_back(took);
        }
        std::ranges::sort(seconds);
        const double median = seconds[seconds.size() / 2];
        const DeviceInfo& info = device_.info();
        std::printf(
            "{\"job\": \"%s\", \"hash\": \"%s\", \"n\": %llu, \"wall\": %.9f, \"wall_min\": %.9f, \"wall_max\": %.9f, "
            "\"first_call\": %.6f, \"units\": %.0f, \"unit\": \"%s\", \"rate\": %.6g, \"repeats\": %u, \"device\": "
            "\"%s\", "
            "\"backend\": \"%s\", \"driver\": \"%s\", \"isa\": \"%s\", \"version\": \"%s\", \"commit\": \"%s\"}\n",
            job, std::string(traits(hash).name).c_str(), static_cast<unsigned long long>(n), median, seconds.front(),
            seconds.back(), first, units, unit, units / median, options_.repeats, info.name.c_str(),
            info.backend.c_str(), info.driver.c_str(), info.isa.c_str(), version(), options_.commit.c_str());
        std::fflush(stdout);
    }

private:
    Options options_;
    Device device_;
};

RunOptions on_cpu() {
    RunOptions options;
    options.device = Device("cpu");
    return options;
}

// Distinct indices below n, in random order.
std::vector<std::uint64_t> random_indices(std::uint64_t n, std::size_t count, const char* seed) {
    std::vector<std::uint64_t> indices;
    for (const std::uint64_t value : bench::random_values<std::uint64_t>(2 * count, seed)) indices.push_back(value % n);
    std::vector<std::uint64_t> sorted = indices;
    std::ranges::sort(sorted);
    const auto twice = std::ranges::unique(sorted);
    sorted.erase(twice.begin(), twice.end());
    std::vector<std::uint64_t> distinct;
    for (const std::uint64_t index : indices) {
        const auto it = std::ranges::lower_bound(sorted, index);
        if (it == sorted.end() || *it != index || distinct.size() == count) continue;
        distinct.push_back(index);
        sorted.erase(it);
        if (sorted.empty()) break;
    }
    return distinct;
}

// The nodes above some leaves of a perfect tree, by level. An update of the leaves needs one merge for each.
std::vector<std::vector<std::uint64_t>> nodes_above(std::vector<std::uint64_t> nodes, unsigned height) {
    std::vector<std::vector<std::uint64_t>> levels;
    std::ranges::sort(nodes);
    for (unsigned level = 0; level < height; level++) {
        for (std::uint64_t& node : nodes) node /= 2;
        const auto twice = std::ranges::unique(nodes);
        nodes.erase(twice.begin(), twice.end());
        levels.push_back(nodes);
    }
    return levels;
}

void proofs_and_updates(const Bench& bench) {
    const char *multi = "multi-proof of 1e5 random leaves", *singles = "1e5 proofs of random leaves",
               *update = "update of 1e4 random leaves", *merges = "the merges of that update alone, at their places";
    if (!bench.wanted(multi) && !bench.wanted(singles) && !bench.wanted(update) && !bench.wanted(merges)) return;
    const std::uint64_t n = std::uint64_t{1} << bench.options().leaves;
    const std::vector<Digest> leaves = bench::random_leaves(n, Hash::blake3);
    MerkleTree tree(leaves, Hash::blake3, bench.on_device());
    const std::vector<std::uint64_t> many = random_indices(n, 100000, "many"), some = random_indices(n, 10000, "some");
    if (bench.wanted(multi)) {
        MultiProof proof;
        bench.row(multi, Hash::blake3, n, 100000, "leaves", [&] { proof = tree.prove_together(many); });
        if (!verify(proof, tree.root())) wrong(multi);
        if (tree.on_device()) {
            // The part of that row's time that it takes to bring as many nodes into fresh host memory, wherever they
            // come from.
            const std::size_t count = proof.siblings.size() + proof.leaves.size();
            const ConstBuffer there = tree.device_level(0).slice(0, Digest::size * count);
            std::vector<Digest> copy;
            bench.row("a copy of as many nodes to the host", Hash::blake3, n, static_cast<double>(count), "nodes", [&] {
                copy = std::vector<Digest>(count);
                there.copy_to(std::as_writable_bytes(std::span(copy)));
            });
            if (!std::ranges::equal(copy, std::span(leaves).first(count))) wrong("a copy of nodes");
        }
    }
    if (bench.wanted(singles)) {
        std::vector<MerkleProof> proofs;
        bench.row(singles, Hash::blake3, n, 100000, "leaves", [&] { proofs = tree.prove(many); });
        for (std::size_t i = 0; i < proofs.size(); i += 997) {
            if (proofs[i].leaf != leaves[many[i]] || !verify(proofs[i], tree.root())) wrong(singles);
        }
    }
    double count = 0;
    const auto above = nodes_above(some, tree.height());
    for (const auto& level : above) count += static_cast<double>(level.size());
    if (bench.wanted(update)) {
        std::vector<Digest> changed = leaves, fresh = bench::random_values<Digest>(some.size(), "fresh");
        bool forth = false;
        std::vector<Digest> old;
        for (const std::uint64_t index : some) old.push_back(leaves[index]);
        bench.row(update, Hash::blake3, n, count, "merges", [&] { tree.update(some, (forth = !forth) ? fresh : old); });
        for (std::size_t i = 0; i < some.size(); i++) changed[some[i]] = forth ? fresh[i] : old[i];
        if (merkle_root(changed, Hash::blake3, on_cpu()) != tree.root()) wrong(update);
    }
    if (bench.wanted(merges)) {
        // The same merges at the same places, without a tree: the lists are made before, and each level is one call.
        if (bench.has_memory()) return;  // the kernels of such a device take no lists
        std::vector<Digest> heap(tree.nodes().begin(), tree.nodes().end()), left(some.size()), right(left), out(left);
        bench.row(merges, Hash::blake3, n, count, "merges", [&] {
            for (unsigned l = 0; l < above.size(); l++) {
                const std::vector<std::uint64_t>& level = above[l];
                const std::uint64_t first = std::uint64_t{1} << (tree.height() - l - 1);
                for (std::size_t i = 0; i < level.size(); i++) {
                    if (i + 16 < level.size()) __builtin_prefetch(&heap[2 * (first + level[i + 16])]);
                    left[i] = heap[2 * (first + level[i])];
                    right[i] = heap[2 * (first + level[i]) + 1];
                }
                const std::size_t k = level.size();
                merge(std::span(left).first(k), std::span(right).first(k), std::span(out).first(k), Hash::blake3, {},
                      bench.on_device());
                for (std::size_t i = 0; i < k; i++) heap[first + level[i]] = out[i];
            }
        });
        if (heap[1] != tree.root()) wrong(merges);
    }
}

void forests(const Bench& bench) {
    const char *forest = "forest of 65536 trees of 16 leaves", *one = "one tree of 2^20 leaves";
    for (const Hash hash : {Hash::blake3, Hash::rp64_256_v3}) {
        if (!bench.wanted(forest) && !bench.wanted(one)) return;
        constexpr std::uint64_t trees = 65536, n = 16;
        const std::vector<Digest> leaves = bench::random_leaves(trees * n, hash);
        std::vector<Digest> roots;
        const auto check = [&] {
            for (std::uint64_t t = 0; t < trees; t += 4099) {
                const std::span part = std::span(leaves).subspan(t * n, n);
                if (roots[t] != merkle_root(part, hash, on_cpu())) wrong(forest);
            }
        };
        if (!bench.has_memory()) {
            bench.row(forest, hash, trees * n, trees * (n - 1), "merges",
                      [&] { roots = MerkleForest(leaves, n, hash, bench.on_device()).roots(); });
            check();
            bench.row(one, hash, trees * n, trees * n - 1, "merges",
                      [&] { MerkleTree(leaves, hash, bench.on_device()).root(); });
        } else {
            const Buffer there = Buffer::copy_of(std::as_bytes(std::span(leaves)), Device(bench.options().device));
            bench.row(forest, hash, trees * n, trees * (n - 1), "merges", [&] { MerkleForest(there, n, hash); });
            roots = MerkleForest(there, n, hash).roots();
            check();
            bench.row(one, hash, trees * n, trees * n - 1, "merges", [&] { MerkleTree(there, hash).root(); });
        }
    }
}

void rows(const Bench& bench) {
    const char* job = "tree over 2^18 rows of 64 elements";
    if (!bench.wanted(job)) return;
    constexpr Hash hash = Hash::rp64_256_v3;
    constexpr std::uint64_t n = 1 << 18, elements = 64;
    const std::vector<Digest> words = bench::random_leaves(n * elements / 4, hash);
    const std::span bytes = std::as_bytes(std::span(words));
    // A row takes elements / 8 permutations, a merge takes one.
    const double permutations = static_cast<double>(n * (elements / 8) + n - 1);
    Digest root;
    if (!bench.has_memory()) {
        bench.row(job, hash, n, permutations, "permutations",
                  [&] { root = MerkleTree::from_rows(bytes, n, hash, bench.on_device()).root(); });
        return;
    }
    const Digest expected = MerkleTree::from_rows(bytes, n, hash, on_cpu()).root();
    const Device device(bench.options().device);
    const Buffer there = Buffer::copy_of(bytes, device);
    bench.row(job, hash, n, permutations, "permutations", [&] { root = MerkleTree::from_rows(there, n, hash).root(); });
    if (root != expected) wrong(job);
    // The same with columns one after another in memory, packed on the device first.
    const std::uint64_t extents[] = {n, elements};
    const std::int64_t strides[] = {8, 8 * n};
    std::vector<std::uint64_t> columns(n * elements);
    for (std::uint64_t r = 0; r < n; r++) {
        for (std::uint64_t c = 0; c < elements; c++)
            columns[c * n + r] = words[(r * elements + c) / 4].words()[(r * elements + c) % 4];
    }
    const Buffer turned = Buffer::copy_of(std::as_bytes(std::span(columns)), device);
    bench.row("tree over 2^18 rows of 64 elements, by columns", hash, n, permutations, "permutations",
              [&] { root = MerkleTree::from_rows(Buffer::pack(turned, 0, extents, strides, 8), n, hash).root(); });
    if (root != expected) wrong(job);
}

}  // namespace

int main(int argc, char** argv) try {
    Options options;
    for (int i = 1; i < argc; i++) {
        const std::string flag = argv[i];
        if (flag.rfind("--", 0) != 0) {
            options.device = flag;
            continue;
        }
        const char* value = ++i < argc ? argv[i] : "";
        if (flag == "--only") {
            options.only = value;
        } else if (flag == "--repeats") {
            options.repeats = std::max(1u, static_cast<unsigned>(std::atoi(value)));
        } else if (flag == "--leaves") {
            options.leaves = std::clamp(static_cast<unsigned>(std::atoi(value)), 17u, 32u);
        } else if (flag == "--commit") {
            options.commit = value;
        } else {
            std::fprintf(stderr, "merklize-tree-bench: bad flag '%s'; see the head of bench/trees.cpp\n", flag.c_str());
            return 2;
        }
    }
    const Bench bench(options);
    proofs_and_updates(bench);
    forests(bench);
    rows(bench);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "merklize-tree-bench: %s\n", error.what());
    return 1;
}
