// Proofs out of a tree: the slots of the nodes wanted, level after level, and then all of them at once.
#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "merklize/error.hpp"
#include "runtime/proof_plan.hpp"
#include "runtime/proof_shape.hpp"
#include "runtime/tree_state.hpp"

namespace merklize {

using runtime::TreeLayout;

namespace {

[[noreturn]] void invalid(const std::string& text) { throw Error(ErrorCode::invalid_argument, text); }

void require_index(std::uint64_t index, std::uint64_t n_leaves, const char* what) {
    if (index < n_leaves) return;
    invalid(std::string(what) + ": leaf index must be below " + std::to_string(n_leaves) + ", got " +
            std::to_string(index));
}

// How far a slot of the whole heap is below the lowest level of `kept`; not above 0 if it is in there.
int levels_below(std::uint64_t slot, const TreeLayout& kept) {
    return static_cast<int>(std::bit_width(slot)) - static_cast<int>(std::bit_width(kept.leaf_slot));
}

// The siblings of a proof: slots to fetch, and where padding goes, which no slot has.
class Siblings {
public:
    Siblings(const TreeForm& form, const TreeLayout& layout) : merges_(form), layout_(layout) {}

    std::vector<std::uint64_t>& slots() { return slots_; }
    void add(std::uint64_t sibling, unsigned level) {
        if (sibling < layout_.level_size(level)) {
            slots_.push_back(layout_.level_offset(level) + sibling);
        } else {
            padded_.emplace_back(slots_.size(), level);
            slots_.push_back(0);
        }
    }
    void put_padding(std::span<Digest> nodes) {
        for (const auto& [at, level] : padded_) nodes[at] = merges_.filler(level);
    }

private:
    runtime::Merges merges_;
    TreeLayout layout_;
    std::vector<std::uint64_t> slots_{};
    std::vector<std::pair<std::size_t, unsigned>> padded_{};
};

}  // namespace

void MerkleTree::State::fetch(std::span<const std::uint64_t> slots, std::span<const Digest> leaves, const char* what,
                              Digest* found) const {
    const RunOptions on_device = options();
    runtime::Run run(on_device);
    if (drop_levels == 0) {
        if (!leaves.empty()) invalid(std::string(what) + ": this tree keeps its leaves and wants none given");
        return gather_nodes(nodes.place(), slots, found, run);
    }

    // Kept nodes have the same slots in the heap that is there; a dropped one is in the subtree below one of its lowest level.
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
        invalid(std::string(what) + ": a tree without its lowest " + std::to_string(drop_levels) +
                " levels needs its " + std::to_string(n_leaves) + " leaves again, got " +
                std::to_string(leaves.size()));
    }
    std::ranges::sort(dropped);
    RunOptions here;
    here.device = Device("cpu");
    runtime::Run cpu(here);
    runtime::Merges merges(form);
    // So many subtrees at once as a forest: 64 MiB.
    const std::size_t most = std::max<std::uint64_t>(1, (std::uint64_t{1} << 20) >> drop_levels);
    for (std::size_t next = 0; next < dropped.size();) {
        std::vector<std::uint64_t> subtrees;
        std::size_t end = next;
        for (; end < dropped.size(); end++) {
            if (!subtrees.empty() && subtrees.back() == dropped[end].first) continue;
            if (subtrees.size() == most) break;
            subtrees.push_back(dropped[end].first);
        }
        // Only the tree's last subtree can have fewer leaves, and is the last here.
        const std::uint64_t width = std::uint64_t{1} << drop_levels;
        const std::uint64_t last = std::min(width, n_leaves - subtrees.back() * width);
        const TreeLayout forest{(subtrees.size() - 1) * width + last, drop_levels, subtrees.size() * width};
        const runtime::HostBlock block(Digest::size * forest.slots());
        auto* heap = static_cast<Digest*>(block.data());
        for (std::size_t k = 0; k < subtrees.size(); k++) {
            const auto part = leaves.subspan(subtrees[k] * width, k + 1 < subtrees.size() ? width : last);
            std::ranges::copy(part, heap + forest.leaf_slot + k * width);
        }
        require_leaves(runtime::host_place(heap + forest.leaf_slot), forest.n_leaves, merges, what, cpu);
        build_levels({runtime::host_place(heap), forest.leaf_slot}, runtime::host_place(heap), forest, merges, {}, cpu);

        std::vector<std::uint64_t> tops(subtrees);
        for (std::uint64_t& top : tops) top += layout.leaf_slot;
        std::vector<Digest> expected(tops.size());
        gather_nodes(nodes.place(), tops, expected.data(), run);
        for (std::size_t k = 0, i = next; k < subtrees.size(); k++) {
            if (heap[subtrees.size() + k] != expected[k]) {
                const std::uint64_t first = subtrees[k] * width;
                invalid(std::string(what) + ": the leaves given are not this tree's: leaves " + std::to_string(first) +
                        " to " + std::to_string(std::min(first + width, n_leaves) - 1) +
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

MerkleProof MerkleTree::prove(std::uint64_t index, std::span<const Digest> leaves) const {
    return std::move(prove(std::span(&index, 1), leaves).front());
}

std::vector<MerkleProof> MerkleTree::prove(std::span<const std::uint64_t> indices,
                                           std::span<const Digest> leaves) const {
    const TreeLayout layout{n_leaves()};
    Siblings wanted(form(), layout);
    std::vector<std::size_t> ends;
    ends.reserve(indices.size());
    wanted.slots().reserve(indices.size() * (1 + layout.height()));
    for (const std::uint64_t index : indices) {
        require_index(index, n_leaves(), "prove");
        wanted.slots().push_back(layout.leaf_slot + index);
        for (unsigned level = 0; level < layout.height(); level++) {
            const std::uint64_t node = index >> level;
            if (in_proof(sibling_of(node, layout, level, form().rule))) wanted.add(node ^ 1, level);
        }
        ends.push_back(wanted.slots().size());
    }
    std::vector<Digest> nodes(wanted.slots().size());
    state_->fetch(wanted.slots(), leaves, "prove", nodes.data());
    wanted.put_padding(nodes);
    std::vector<MerkleProof> proofs;
    proofs.reserve(indices.size());
    for (std::size_t i = 0, first = 0; i < indices.size(); first = ends[i++]) {
        const std::span of = std::span(nodes).subspan(first, ends[i] - first);
        proofs.push_back({hash(), form().rule, n_leaves(), indices[i], of[0], {of.begin() + 1, of.end()}});
    }
    return proofs;
}

MultiProof MerkleTree::prove_together(std::span<const std::uint64_t> indices, std::span<const Digest> leaves) const {
    if (indices.empty()) invalid("prove_together: at least one leaf index, got none");
    MultiProof proof{hash(), form().rule, n_leaves(), {indices.begin(), indices.end()}, {}, {}};
    if (!std::ranges::is_sorted(proof.indices)) std::ranges::sort(proof.indices);
    require_index(proof.indices.back(), n_leaves(), "prove_together");
    if (const auto twice = std::ranges::adjacent_find(proof.indices); twice != proof.indices.end())
        invalid("prove_together: leaf index " + std::to_string(*twice) + " is there twice");

    const TreeLayout layout{n_leaves()};
    Siblings wanted(form(), layout);
    std::vector<std::uint64_t> known(proof.indices);  // nodes of a level that a verifier has
    for (unsigned level = 0; level < layout.height(); level++) {
        climb(known, layout, level, form().rule, [&](runtime::Sibling sibling, std::size_t i) {
            if (in_proof(sibling)) wanted.add(known[i] ^ 1, level);
        });
    }
    proof.siblings.resize(wanted.slots().size());
    state_->fetch(wanted.slots(), leaves, "prove_together", proof.siblings.data());
    wanted.put_padding(proof.siblings);
    known = proof.indices;
    for (std::uint64_t& index : known) index += layout.leaf_slot;
    proof.leaves.resize(known.size());
    state_->fetch(known, leaves, "prove_together", proof.leaves.data());
    return proof;
}

MultiProof MerkleTree::prove_range(std::uint64_t first, std::uint64_t last, std::span<const Digest> leaves) const {
    if (first >= last || last > n_leaves()) {
        invalid("prove_range: a range [first, last) within " + std::to_string(n_leaves()) + " leaves, got [" +
                std::to_string(first) + ", " + std::to_string(last) + ")");
    }
    std::vector<std::uint64_t> indices(last - first);
    std::iota(indices.begin(), indices.end(), first);
    return prove_together(indices, leaves);
}

ConsistencyProof MerkleTree::prove_consistency(std::uint64_t old_leaves) const {
    if (form().rule != TreeRule::left_full) {
        invalid("prove_consistency: the rule must be 'left_full', not '" + std::string(rule_name(form().rule)) + "'");
    }
    if (old_leaves == 0 || old_leaves > n_leaves()) {
        invalid("prove_consistency: old_leaves must be 1 to " + std::to_string(n_leaves()) + ", got " +
                std::to_string(old_leaves));
    }
    ConsistencyProof proof{hash(), old_leaves, n_leaves(), {}};
    const TreeLayout layout{n_leaves()};
    std::vector<std::uint64_t> slots;
    for (const runtime::NodeAt& node : runtime::consistency_proof_nodes(layout, old_leaves)) {
        state_->kept_level(node.level, "prove_consistency");
        slots.push_back(layout.level_offset(node.level) + node.index);
    }
    proof.nodes.resize(slots.size());
    state_->fetch(slots, {}, "prove_consistency", proof.nodes.data());
    return proof;
}

}  // namespace merklize
