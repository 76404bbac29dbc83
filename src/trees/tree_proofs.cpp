// Proofs from a tree in memory: first the slots of the wanted nodes, level by level, then all nodes at once.
#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "host/invalid.hpp"
#include "host/threads.hpp"
#include "jobs/cpu_device.hpp"
#include "levels/indices.hpp"
#include "merklize/error.hpp"
#include "proofs/plan.hpp"
#include "proofs/shape.hpp"
#include "trees/tree_state.hpp"

namespace merklize::inline v0 {

using runtime::TreeLayout;

namespace {

// How many levels a slot of the whole heap lies below the lowest level of `kept`. 0 or less if the slot is kept.
int levels_below(std::uint64_t slot, const TreeLayout& kept) {
    return static_cast<int>(std::bit_width(slot)) - static_cast<int>(std::bit_width(kept.leaf_slot));
}

}  // namespace

void MerkleTree::State::fetch(std::span<const std::uint64_t> slots, std::span<const Digest> leaves,
                              Digest* found) const {
    // To copy so few nodes takes one thread less time than to ask how many there are.
    constexpr std::size_t few_slots = 1024;
    RunOptions on_device = options();
    if (slots.size() <= few_slots) on_device.threads = 1;
    runtime::Run run(on_device);
    if (drop_levels == 0) {
        if (!leaves.empty()) invalid_call("leaves", "must not be given, because this tree keeps its leaves");
        return gather_nodes(nodes.place(), slots, found, run);
    }

    // A kept node has the same slot in the kept heap. A dropped node is in the subtree below a node of the lowest kept
    // level.
    std::vector<std::uint64_t> kept(slots.begin(), slots.end());
    std::vector<std::pair<std::uint64_t, std::size_t>> dropped;  // subtree, place in `slots`
    for (std::size_t i = 0; i < slots.size(); i++) {
        const int below = levels_below(slots[i], layout);
        if (below <= 0) continue;
        dropped.emplace_back((slots[i] >> below) - layout.leaf_slot, i);
        kept[i] = 0;
    }
    gather_nodes(nodes.place(), kept, found, run);
    if (dropped.empty()) return;
    if (leaves.size() != n_leaves) {
        invalid_call("this tree dropped its lowest " + std::to_string(drop_levels) + " levels, so all its " +
                     std::to_string(n_leaves) + " leaves must be given, got " + std::to_string(leaves.size()));
    }
    std::ranges::sort(dropped);
    RunOptions here;
    here.device = runtime::cpu_device();
    runtime::Run cpu(here);
    runtime::Merges merges(form);
    // How many subtrees are built at once: a forest of at most 64 MiB.
    const std::size_t most = std::max<std::uint64_t>(1, (std::uint64_t{1} << 20) >> drop_levels);
    for (std::size_t next = 0; next < dropped.size();) {
        std::vector<std::uint64_t> subtrees;
        std::size_t end = next;
        for (; end < dropped.size(); end++) {
            if (!subtrees.empty() && subtrees.back() == dropped[end].first) continue;
            if (subtrees.size() == most) break;
            subtrees.push_back(dropped[end].first);
        }
        // Only the last subtree of the tree can have fewer leaves. It is the last one here.
        const std::uint64_t width = std::uint64_t{1} << drop_levels;
        const std::uint64_t last = std::min(width, n_leaves - subtrees.back() * width);
        const TreeLayout forest{(subtrees.size() - 1) * width + last, drop_levels, subtrees.size() * width};
        const runtime::HostBlock block(Digest::size * forest.slots());
        auto* heap = static_cast<Digest*>(block.data());
        for (std::size_t k = 0; k < subtrees.size(); k++) {
            const auto part = leaves.subspan(subtrees[k] * width, k + 1 < subtrees.size() ? width : last);
            std::ranges::copy(part, heap + forest.leaf_slot + k * width);
        }
        require_leaves(runtime::host_place(heap + forest.leaf_slot), forest.n_leaves, merges, "leaves", cpu);
        build_levels({runtime::host_place(heap), forest.leaf_slot}, runtime::host_place(heap), forest, merges, cpu);

        std::vector<std::uint64_t> tops(subtrees);
        for (std::uint64_t& top : tops) top += layout.leaf_slot;
        std::vector<Digest> expected(tops.size());
        gather_nodes(nodes.place(), tops, expected.data(), run);
        for (std::size_t k = 0, i = next; k < subtrees.size(); k++) {
            if (heap[subtrees.size() + k] != expected[k]) {
                const std::uint64_t first = subtrees[k] * width;
                invalid_call("the leaves given are not this tree's: leaves " + std::to_string(first) + " to " +
                             std::to_string(std::min(first + width, n_leaves) - 1) +
                             " do not make the node above them");
            }
            for (; i < end && dropped[i].first == subtrees[k]; i++) {
                const std::uint64_t slot = slots[dropped[i].second];
                const int below = levels_below(slot, layout);
                const std::uint64_t within = slot & ((std::uint64_t{1} << below) - 1);
                found[dropped[i].second] = heap[((subtrees.size() + k) << below) + within];
            }
        }
        next = end;
    }
}

void MerkleTree::State::fetch_padded(std::span<std::uint64_t> slots, std::span<const Digest> leaves,
                                     Digest* found) const {
    if (form.rule != TreeRule::pad) return fetch(slots, leaves, found);
    const TreeLayout whole{n_leaves};
    std::vector<std::pair<std::size_t, unsigned>> padded;
    for (std::size_t i = 0; i < slots.size(); i++) {
        const runtime::NodeAt node = runtime::node_at(whole, slots[i]);
        if (node.index < whole.level_size(node.level)) continue;
        padded.emplace_back(i, node.level);
        slots[i] = 0;
    }
    fetch(slots, leaves, found);
    runtime::Merges merges(form);
    for (const auto& [at, level] : padded) found[at] = merges.pad(level);
}

MerkleProof MerkleTree::prove(std::uint64_t index, std::span<const Digest> leaves) const {
    return std::move(prove(std::span(&index, 1), leaves).front());
}

std::vector<MerkleProof> MerkleTree::prove(std::span<const std::uint64_t> indices,
                                           std::span<const Digest> leaves) const {
    const PublicCall entry("prove");
    const TreeLayout layout{n_leaves()};
    std::vector<std::uint64_t> slots;
    std::vector<std::size_t> ends;
    ends.reserve(indices.size());
    slots.reserve(indices.size() * (1 + layout.height()));
    for (const std::uint64_t index : indices) {
        runtime::require_index(index, n_leaves());
        slots.push_back(layout.leaf_slot + index);
        for (unsigned level = 0; level < layout.height(); level++) {
            const std::uint64_t node = index >> level;
            if (in_proof(sibling_of(node, layout, level, form().rule)))
                slots.push_back(layout.level_offset(level) + (node ^ 1));
        }
        ends.push_back(slots.size());
    }
    std::vector<Digest> nodes(slots.size());
    state_->fetch_padded(slots, leaves, nodes.data());
    std::vector<MerkleProof> proofs;
    proofs.reserve(indices.size());
    for (std::size_t i = 0, first = 0; i < indices.size(); first = ends[i++]) {
        const std::span of = std::span(nodes).subspan(first, ends[i] - first);
        proofs.push_back({hash(), form().rule, n_leaves(), indices[i], of[0], {of.begin() + 1, of.end()}});
    }
    return proofs;
}

MultiProof MerkleTree::prove_together(std::span<const std::uint64_t> indices, std::span<const Digest> leaves) const {
    const PublicCall entry("prove_together");
    if (indices.empty()) invalid_call("needs at least one leaf index, got none");
    const TreeLayout layout{n_leaves()};
    MultiProof proof{hash(), form().rule, n_leaves(), {}, {}, {}};
    constexpr std::size_t few = 4096;  // done before another thread wakes up
    const unsigned threads = indices.size() <= few ? 1 : runtime::default_threads();
    proof.indices = runtime::ascending(indices, n_leaves(), threads);
    runtime::ProofSlots wanted(layout, form().rule, proof.indices, threads);
    // Copies the leaves, and clears the siblings, beside the lists. This thread allocates, because glibc keeps freed
    // memory for each thread that allocates.
    proof.siblings.reserve(wanted.size());
    proof.leaves.resize(indices.size());
    std::vector<std::uint64_t> slots = proof.indices;
    for (std::uint64_t& slot : slots) slot += layout.leaf_slot;
    runtime::parallel_for(2 + wanted.parts(), threads, [&](std::size_t i) {
        if (i == 0) return proof.siblings.resize(wanted.size());
        if (i == 1) return state_->fetch(slots, leaves, proof.leaves.data());
        wanted.list(i - 2);
    });
    state_->fetch_padded(wanted.slots(), leaves, proof.siblings.data());
    return proof;
}

MultiProof MerkleTree::prove_range(std::uint64_t first, std::uint64_t last, std::span<const Digest> leaves) const {
    const PublicCall entry("prove_range");
    return prove_together(runtime::index_range(first, last, n_leaves()), leaves);
}

ConsistencyProof MerkleTree::prove_consistency(std::uint64_t old_leaves) const {
    const PublicCall entry("prove_consistency");
    ConsistencyProof proof{hash(), old_leaves, n_leaves(), {}};
    const TreeLayout layout{n_leaves()};
    std::vector<std::uint64_t> slots;
    for (const runtime::NodeAt& node : runtime::consistency_proof_nodes(layout, form().rule, old_leaves)) {
        state_->kept_level(node.level);
        slots.push_back(layout.level_offset(node.level) + node.index);
    }
    proof.nodes.resize(slots.size());
    state_->fetch(slots, {}, proof.nodes.data());
    return proof;
}

}  // namespace merklize::inline v0
