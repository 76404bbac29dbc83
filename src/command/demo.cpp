// `merklize demo`: the main jobs on real input, how fast they went, and a check of every answer that is known.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "command/endings.hpp"
#include "command/line/commands.hpp"
#include "command/line/values.hpp"
#include "command/output/json.hpp"
#include "command/output/output.hpp"
#include "command/output/progress.hpp"
#include "command/settings.hpp"
#include "host/input_file.hpp"
#include "merklize/tree.hpp"
#include "merklize/version.h"

namespace merklize::command {
namespace {

// Roots of trees whose n leaves are the first 32 n bytes of BLAKE3's extendable output of "leaves"; for Rescue Prime with the top bit of
// every word cleared, which makes it a field element. Computed without this library: by the official BLAKE3, and by docs/hashes.md written
// out in plain Python integers.
constexpr struct {
    Hash hash;
    std::uint64_t n;
    const char* root;
} known_roots[] = {
    {Hash::blake3, 1 << 20, "ede5e0f06e7f756c19cc86c73599183cef05c130613a1ae1faf1d7c564ce2696"},
    {Hash::rp64_256_v1, 1 << 16, "aad54112f2b8425d9b2c7b5b1abfce268dbfe6de7345dfb259f275f7fab7a904"},
    {Hash::rp64_256_v2, 1 << 16, "95a1e8ddeb05b61fd43941fd8d4632196355c33a986fa14654c771d14e10b8b4"},
    {Hash::rp64_256_v3, 1 << 16, "3f686ba332e4976e51bdcc35dc0d1b4a3b8181a56dab1187625a8ba7b1ef733a"},
};
constexpr std::uint64_t wanted_leaf_size = 4096;

// One job that ran.
struct Row {
    std::string job, size;
    double seconds;
    std::string rate, answer;
    bool ok;
};

std::string formatted(double value, const char* unit) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return std::string(text) + unit;
}

std::string byte_rate(std::uint64_t bytes, double seconds) {
    return formatted(static_cast<double>(bytes) / seconds / 1e9, " GB/s");
}

template <class Work>
double seconds_of(Work work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The leaf size that cuts `total` >= 2 bytes into a power of two of leaves and is, by ratio, nearest to the wanted one. Not every power of
// two works: 2^k leaves need (2^k - 1) size < total <= 2^k size, which large k miss by rounding.
std::uint64_t leaf_size_for(std::uint64_t total) {
    std::uint64_t best = 0;
    double best_ratio = INFINITY;
    for (std::uint64_t leaves = 2; leaves != 0 && leaves <= total; leaves *= 2) {
        const std::uint64_t size = (total + leaves - 1) / leaves;
        if ((leaves - 1) * size >= total) continue;
        const double ratio = std::abs(std::log(static_cast<double>(size) / wanted_leaf_size));
        if (ratio < best_ratio) best = size, best_ratio = ratio;
    }
    return best;
}

void file_jobs(const std::string& file, RunOptions options, std::vector<Row>& rows) {
    const std::uint64_t bytes = runtime::InputFile(file).regular_size();
    if (bytes < 2) {
        throw Failure{sentence(file) + ": a tree needs a file of at least 2 bytes, this one has " +
                      std::to_string(bytes)};
    }
    Digest digest;
    {
        Bar bar("hashing");
        options.progress = bar.part();
        const double seconds = seconds_of([&] { hash_file(file, digest.bytes, 0, {}, options); });
        rows.push_back({"hash the file", human_bytes(static_cast<double>(bytes)), seconds, byte_rate(bytes, seconds),
                        digest.hex(), true});
    }
    const std::uint64_t leaf_size = leaf_size_for(bytes);
    std::vector<MerkleTree> made;  // one
    {
        Bar bar("building the tree");
        options.progress = bar.part();
        const double seconds =
            seconds_of([&] { made.push_back(MerkleTree::from_file(TreeInput::pieces(file, leaf_size), {}, options)); });
        const MerkleTree& tree = made[0];
        rows.push_back({"tree over the file",
                        human_count(tree.n_leaves()) + " leaves of " + human_bytes(static_cast<double>(leaf_size)),
                        seconds, byte_rate(bytes, seconds), tree.root().hex(), true});
    }
    const MerkleTree& tree = made[0];
    const std::uint64_t index = tree.n_leaves() / 2;
    std::vector<std::byte> piece(std::min(leaf_size, bytes - index * leaf_size));
    runtime::InputFile(file).read_at(piece, index * leaf_size);
    MerkleProof proof;
    bool valid = false;
    const double seconds = seconds_of([&] {
        proof = tree.prove(index);
        valid = verify(proof, tree.root());
    });
    std::vector<std::byte> forged = proof.to_bytes();
    forged.back() ^= std::byte{1};
    const auto read_back = MerkleProof::from_bytes(forged);
    valid = valid && proof.leaf == hash(piece) && read_back && !verify(*read_back, tree.root());
    rows.push_back({"prove leaf " + std::to_string(index) + ", verify",
                    std::to_string(proof.siblings.size()) + " steps up", seconds, "", valid ? "valid" : "NOT valid",
                    valid});
}

void tree_jobs(RunOptions options, std::vector<Row>& rows) {
    std::vector<Digest> words(1 << 20);
    constexpr std::string_view seed = "leaves";
    hash(std::as_bytes(std::span(seed)), std::as_writable_bytes(std::span(words)), 0, {}, options);
    for (const auto& [by, n, known] : known_roots) {
        std::vector<Digest> leaves(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n));
        if (by != Hash::blake3) {
            for (Digest& leaf : leaves)
                for (std::size_t i = 7; i < Digest::size; i += 8) leaf.bytes[i] &= std::byte{0x7f};
        }
        const std::string name(traits(by).name);
        Bar bar("building a tree by " + name);
        options.progress = bar.part();
        std::string root;
        const double seconds = seconds_of([&] { root = MerkleTree(leaves, by, options).root().hex(); });
        rows.push_back({"tree by " + name, human_count(n) + " leaves", seconds,
                        formatted(static_cast<double>(n - 1) / seconds / 1e6, " M merges/s"), root, root == known});
    }
}

std::string shortened(const std::string& answer) { return answer.size() > 16 ? answer.substr(0, 16) + "..." : answer; }

}  // namespace

int run_demo(const Arguments& arguments) {
    const RunOptions options = run_options(arguments);
    hash({}, {}, options);  // wakes the threads up; and a device that cannot be used is said now
    const std::string file = arguments.value("file").value_or(std::filesystem::read_symlink("/proc/self/exe").string());
    const DeviceInfo& used = options.device.info();
    const bool as_json = arguments.has("json");
    if (!as_json) {
        line("merklize " MERKLIZE_VERSION_STRING " hashes " + sentence(file) + " and builds binary Merkle trees on " +
             used.id + ": " + used.name + ", " + used.isa + ", " +
             std::to_string(options.threads == 0 ? used.units : options.threads) + " threads.\n");
    }
    std::vector<Row> rows;
    file_jobs(file, options, rows);
    tree_jobs(options, rows);
    std::string wrong;
    for (const Row& row : rows)
        if (!row.ok) wrong += (wrong.empty() ? "" : ", ") + row.job;
    if (as_json) {
        json::Array jobs;
        for (const Row& row : rows) {
            json::Object one;
            one.text("device", used.id).text("job", row.job).text("size", row.size).number("seconds", row.seconds);
            jobs.put(one.text("rate", row.rate).text("answer", row.answer).number("ok", row.ok).done());
        }
        json::Object all;
        all.text("version", MERKLIZE_VERSION_STRING).text("file", display(file)).put("jobs", jobs.done());
        line(json::indented(all.done()));
    } else {
        std::vector<std::vector<std::string>> cells = {{"device", "job", "size", "time", "rate", "root or digest"}};
        for (const Row& row : rows)
            cells.push_back({used.id, row.job, row.size, human_time(row.seconds), row.rate, shortened(row.answer)});
        line(table_text(cells, "  rrr"));
        line(wrong.empty()
                 ? "\nEvery answer known beforehand came out right. Go on with: merklize hash FILE, merklize tree "
                   "--help."
                 : "\nWRONG: " + wrong);
    }
    return wrong.empty() ? 0 : 1;
}

}  // namespace merklize::command
