// Messages of any lengths: chunks of many messages side by side in lanes, then their parents.
#include "backends/cpu/hash_each.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "backends/cpu/hash_chunks.hpp"
#include "backends/cpu/lanes.hpp"
#include "jobs/progress.hpp"
#include "merklize/core/hashes/blake3.h"

namespace merklize::cpu {
namespace {

using runtime::Extent;
using runtime::HashEach;

// A longer message is hashed by all threads.
constexpr std::uint64_t long_bytes = 1 << 20;
// A multiple of every instruction set's lanes. Whole batches of contiguous chunks need no chains.
constexpr std::uint64_t batch = 16;

std::uint64_t chunks_of(std::uint64_t bytes) { return std::max<std::uint64_t>(1, (bytes + 1023) / 1024); }

// Chains of blocks of different lengths that are hashed together: sorted by length, so that the lanes of a vector end
// at about the same time.
class Chains {
public:
    explicit Chains(const Mode& mode) : mode_(mode) {}

    void add(const Chain& chain) { waiting_.push_back(chain); }

    // Hashes the chains that wait. Chains of equal length are hashed in the order in which they were added.
    void run() {
        std::array<std::size_t, 18> ends{};  // chains of more blocks than the index
        for (const Chain& chain : waiting_) ends[blocks_of(chain) - 1]++;
        for (std::size_t b = 16; b-- > 0;) ends[b] += ends[b + 1];
        sorted_.resize(waiting_.size());
        // From the last to the first, which keeps their order.
        for (std::size_t i = waiting_.size(); i-- > 0;) sorted_[--ends[blocks_of(waiting_[i]) - 1]] = waiting_[i];
        lanes().hash_chains(sorted_.data(), sorted_.size(), mode_.key_words(), mode_.flags());
        waiting_.clear();
    }

private:
    const Mode& mode_;
    std::vector<Chain> waiting_, sorted_;
};

// The values of a message that are to be merged.
struct Tree {
    std::uint8_t* values;
    std::uint64_t n;
    std::uint8_t* out;
};

// Merges one level of all trees, and removes from the list those whose root is done.
void merge_level(const Mode& mode, bool below_root, std::vector<Tree>& trees, Chains& chains) {
    if (below_root) {
        std::erase_if(trees, [](const Tree& tree) {
            if (tree.n == 2) std::memcpy(tree.out, tree.values, 64);
            return tree.n == 2;
        });
    }
    for (const Tree& tree : trees) {
        const std::uint64_t pairs = tree.n / 2, whole = pairs / batch * batch;
        lanes().compress_pairs(tree.values, whole, mode.key_words(), mode.flags() | MKZ_BLAKE3_PARENT, tree.values);
        for (std::uint64_t k = whole; k < pairs; k++) {
            chains.add({.in = tree.values + 64 * k,
                        .out = tree.n == 2 ? tree.out : tree.values + 32 * k,
                        .bytes = 64,
                        .first = MKZ_BLAKE3_PARENT,
                        .last = tree.n == 2 ? MKZ_BLAKE3_ROOT : 0});
        }
    }
    chains.run();
    std::erase_if(trees, [](Tree& tree) {
        if (tree.n % 2 != 0) std::memmove(tree.values + 32 * (tree.n / 2), tree.values + 32 * (tree.n - 1), 32);
        tree.n = (tree.n + 1) / 2;
        return tree.n == 1;
    });
}

}  // namespace

void hash_together(std::span<const Extent> messages, const Mode& mode, bool below_root, std::uint8_t* first_out) {
    const std::uint64_t out_bytes = below_root ? 64 : 32;
    std::uint64_t n_values = 0;
    for (const Extent& message : messages) {
        const std::uint64_t chunks = chunks_of(message.bytes);
        if (chunks > 1 && message.bytes <= long_bytes) n_values += chunks;
    }
    std::vector<std::uint8_t> values(32 * n_values);
    std::uint8_t* next = values.data();
    std::vector<Tree> trees;
    Chains chains(mode);
    for (std::size_t i = 0; i < messages.size(); i++) {
        const std::uint64_t bytes = messages[i].bytes, chunks = chunks_of(bytes);
        const std::uint8_t* in = at(messages[i].place);
        std::uint8_t* out = first_out + out_bytes * i;
        if (bytes > long_bytes) continue;
        if (chunks == 1) {
            if (below_root) continue;
            chains.add({.in = in,
                        .out = out,
                        .bytes = static_cast<std::uint32_t>(bytes),
                        .first = MKZ_BLAKE3_CHUNK_START,
                        .last = MKZ_BLAKE3_CHUNK_END | MKZ_BLAKE3_ROOT});
            continue;
        }
        const std::uint64_t whole = bytes / 1024 / batch * batch;
        lanes().hash_chunks(in, whole, {0}, mode.key_words(), mode.flags(), next);
        for (std::uint64_t k = whole; k < chunks; k++) {
            chains.add({.in = in + 1024 * k,
                        .out = next + 32 * k,
                        .counter = k,
                        .bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(1024, bytes - 1024 * k)),
                        .first = MKZ_BLAKE3_CHUNK_START,
                        .last = MKZ_BLAKE3_CHUNK_END});
        }
        trees.push_back({next, chunks, out});
        next += 32 * chunks;
    }
    chains.run();
    while (!trees.empty()) merge_level(mode, below_root, trees, chains);
}

bool hash_each(const HashEach& a, const Workers& workers) {
    const std::uint64_t n = a.messages.size();
    if (n == 0) return true;
    // The overhead of a message, in bytes that take as long to hash.
    constexpr std::uint64_t each = 256;
    std::uint64_t short_bytes = 0, all_long_bytes = 0;
    for (const Extent& message : a.messages) {
        (message.bytes > long_bytes ? all_long_bytes : short_bytes) += message.bytes;
        short_bytes += each;
    }
    // A thread takes pieces of about 1 MiB: enough chunks of each length to fill the lanes, while the values stay in
    // the second-level cache. Fewer bytes if the threads would get fewer than four pieces each.
    constexpr std::uint64_t least = 64 << 10, most = 1 << 20;
    const unsigned threads = short_bytes <= least ? 1 : workers.threads.count();
    const std::uint64_t per_piece =
        threads == 1 ? most : std::clamp(short_bytes / (std::uint64_t{4} * threads), least, most);
    std::vector<std::uint64_t> starts = {0};
    std::vector<std::uint64_t> long_ones;
    std::uint64_t bytes = 0;
    for (std::uint64_t i = 0; i < n; i++) {
        if (bytes >= per_piece) {
            starts.push_back(i);
            bytes = 0;
        }
        if (a.messages[i].bytes > long_bytes)
            long_ones.push_back(i);
        else
            bytes += a.messages[i].bytes + each;
    }
    starts.push_back(n);
    const double whole = static_cast<double>(short_bytes + all_long_bytes);
    double before = static_cast<double>(short_bytes) / whole;
    const runtime::Tick tick = runtime::part_of(workers.tick, 0, before);
    const bool finished = in_pieces(workers.with(tick), starts.size() - 1, 1, [&](std::uint64_t piece, std::uint64_t) {
        const std::uint64_t first = starts[piece], out_bytes = a.below_root ? 64 : 32;
        hash_together(a.messages.subspan(first, starts[piece + 1] - first), a.mode, a.below_root,
                      at(a.out) + out_bytes * first);
    });
    if (!finished) return false;
    std::vector<std::uint8_t> values;
    for (const std::uint64_t i : long_ones) {
        const double share = static_cast<double>(a.messages[i].bytes) / whole;
        const runtime::Tick its = runtime::part_of(workers.tick, before, share);
        before += share;
        if (!below_root(at(a.messages[i].place), a.messages[i].bytes, a.mode, workers.with(its), values)) return false;
        if (a.below_root)
            std::memcpy(at(a.out) + 64 * i, values.data(), 64);
        else
            hash_root(values.data(), a.mode, at(a.out) + 32 * i);
    }
    return true;
}

}  // namespace merklize::cpu
