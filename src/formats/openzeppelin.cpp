#include "merklize/openzeppelin.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <numeric>
#include <string>

#include "calls/run.hpp"
#include "hashes/merge_one.hpp"
#include "host/invalid.hpp"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"

namespace merklize::inline v0 {
namespace {

constexpr Hash node_hash = Hash::keccak256_sorted;

// The slot of a leaf.
std::uint64_t slot_of(std::span<const std::uint64_t> slots, std::uint64_t index) {
    if (index < slots.size()) return slots[index];
    invalid_call("index", "must be 0 to " + std::to_string(slots.size() - 1) + ", got " + std::to_string(index));
}

/// The calls of one call, which tell one progress.
class Steps {
public:
    Steps(const RunOptions& options, std::size_t whole)
        : options_(options),
          whole_(static_cast<double>(std::max<std::size_t>(whole, 1))),
          progress_(options.progress) {}

    /// Makes a call, which is `count` of the whole.
    template <class Call>
    void operator()(std::size_t count, Call&& call) {
        const double share = static_cast<double>(count) / whole_;
        RunOptions step = options_;
        step.progress = progress_.begin(share);
        call(step);
        progress_.end(progress_.tell(share));
    }

private:
    const RunOptions& options_;
    const double whole_;
    runtime::Progress progress_;
};

}  // namespace

Digest openzeppelin_leaf(ByteView abi_encoded) {
    return hash_message(hash_message(abi_encoded, Hash::keccak256).bytes, Hash::keccak256);
}

std::vector<Digest> openzeppelin_leaves(std::span<const std::span<const std::byte>> abi_encoded,
                                        const RunOptions& options) {
    const PublicCall entry("openzeppelin_leaves");
    runtime::require_no_timings(options);
    std::map<std::size_t, std::vector<std::size_t>> by_length;
    for (std::size_t i = 0; i < abi_encoded.size(); i++) by_length[abi_encoded[i].size()].push_back(i);
    std::vector<Digest> once(abi_encoded.size()), of_length;
    Steps steps(options, 2 * abi_encoded.size());
    std::vector<std::byte> rows;
    for (const auto& one : by_length) {  // Clang 14 lets no lambda capture a binding
        const std::size_t length = one.first;
        const auto& which = one.second;
        rows.clear();
        for (const std::size_t i : which) rows.insert(rows.end(), abi_encoded[i].begin(), abi_encoded[i].end());
        of_length.resize(which.size());
        steps(which.size(), [&](const RunOptions& step) {
            merklize::hash_leaves(rows, length, of_length, Hash::keccak256, {}, step);
        });
        for (std::size_t k = 0; k < which.size(); k++) once[which[k]] = of_length[k];
    }
    std::vector<Digest> leaves(once.size());
    steps(once.size(), [&](const RunOptions& step) {
        merklize::hash_leaves(std::as_bytes(std::span(once)), Digest::size, leaves, Hash::keccak256, {}, step);
    });
    return leaves;
}

OpenZeppelinTree::OpenZeppelinTree(std::span<const Digest> leaves, bool sort_leaves, const RunOptions& options)
    : slots_(leaves.size()) {
    const PublicCall entry("OpenZeppelinTree");
    std::vector<std::uint64_t> order(leaves.size());
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    if (sort_leaves) std::ranges::stable_sort(order, {}, [&](std::uint64_t i) -> const Digest& { return leaves[i]; });
    for (std::uint64_t i = 0; i < order.size(); i++) slots_[order[i]] = 2 * order.size() - 1 - i;
    build(leaves, options);
}

OpenZeppelinTree::OpenZeppelinTree(std::span<const Digest> leaves, std::span<const std::uint64_t> tree_indices,
                                   const RunOptions& options) {
    const PublicCall entry("OpenZeppelinTree");
    const std::uint64_t n = leaves.size();
    std::vector<bool> is_taken(n);
    for (const std::uint64_t index : tree_indices) {
        const std::uint64_t place = index + 1 - n;  // among the leaves; an inner node wraps to a large number
        if (place >= n || is_taken[place]) break;
        is_taken[place] = true;
        slots_.push_back(index + 1);
    }
    if (n != 0 && (slots_.size() != n || tree_indices.size() != n)) {
        invalid_call("tree_indices", "of " + std::to_string(n) + " leaves must be " + std::to_string(n - 1) + " to " +
                                         std::to_string(2 * n - 2) + ", each once");
    }
    build(leaves, options);
}

// Puts the leaves into their slots, and makes the inner nodes level by level.
void OpenZeppelinTree::build(std::span<const Digest> leaves, const RunOptions& options) {
    if (leaves.empty()) invalid_call("leaves", "must be at least 1, got 0");
    runtime::require_no_timings(options);
    nodes_.resize(2 * leaves.size());
    for (std::size_t i = 0; i < leaves.size(); i++) nodes_[slots_[i]] = leaves[i];
    std::vector<Digest> left, right;
    Steps steps(options, leaves.size() - 1);
    for (std::size_t end = leaves.size(); end > 1;) {  // one past the last inner node that is not made yet
        const std::size_t first = std::bit_floor(end - 1), count = end - first;
        left.resize(count);
        right.resize(count);
        for (std::size_t i = 0; i < count; i++) {
            left[i] = nodes_[2 * (first + i)];
            right[i] = nodes_[2 * (first + i) + 1];
        }
        steps(count, [&](const RunOptions& step) {
            merge(left, right, std::span(nodes_).subspan(first, count), node_hash, {}, step);
        });
        end = first;
    }
}

std::uint64_t OpenZeppelinTree::tree_index(std::uint64_t index) const {
    const PublicCall entry("tree_index");
    return slot_of(slots_, index) - 1;
}

std::vector<Digest> OpenZeppelinTree::prove(std::uint64_t index) const {
    const PublicCall entry("prove");
    std::vector<Digest> proof;
    for (std::uint64_t slot = slot_of(slots_, index); slot > 1; slot /= 2) proof.push_back(nodes_[slot ^ 1]);
    return proof;
}

OpenZeppelinMultiProof OpenZeppelinTree::prove_together(std::span<const std::uint64_t> indices) const {
    const PublicCall entry("prove_together");
    std::vector<std::uint64_t> queue;
    for (const std::uint64_t index : indices) queue.push_back(slot_of(slots_, index));
    std::ranges::sort(queue, std::greater<>{});
    if (std::ranges::adjacent_find(queue) != queue.end())
        invalid_call("a proof of several leaves takes each index once");
    OpenZeppelinMultiProof made;
    for (const std::uint64_t slot : queue) made.leaves.push_back(nodes_[slot]);
    if (queue.empty()) made.proof.push_back(root());
    for (std::size_t at = 0; at < queue.size() && queue[at] > 1;) {
        const std::uint64_t slot = queue[at++];
        const bool is_known = at < queue.size() && queue[at] == (slot ^ 1);
        made.flags.push_back(is_known);
        if (is_known)
            at++;
        else
            made.proof.push_back(nodes_[slot ^ 1]);
        queue.push_back(slot / 2);
    }
    return made;
}

bool verify_openzeppelin(std::span<const Digest> proof, const Digest& root, const Digest& leaf) noexcept {
    Digest node = leaf;
    for (const Digest& sibling : proof) node = runtime::merge_one(node_hash, node, sibling);
    return node == root;
}

}  // namespace merklize::inline v0
