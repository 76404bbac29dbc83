// Many trees are built by the launches of one: they are the lowest levels of a tree over all their leaves.
#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "host/invalid.hpp"
#include "levels/build.hpp"
#include "levels/indices.hpp"
#include "levels/node_store.hpp"
#include "levels/right_edge.hpp"
#include "merklize/error.hpp"
#include "merklize/tree.hpp"

namespace merklize::inline v0 {

using runtime::Place;
using runtime::TreeLayout;

namespace {

TreeLayout layout_of(const TreeForm& form, std::uint64_t leaves, std::uint64_t n) {
    runtime::require_no_look(form);
    runtime::require_tree_size(n);
    runtime::Merges(form).require_count(n);
    if (!std::has_single_bit(n)) invalid_call("n_leaves", "must be a power of two, got " + std::to_string(n));
    runtime::require_tree_size(leaves);
    if (leaves % n != 0) {
        invalid_call("the count of leaves must be a multiple of the " + std::to_string(n) + " leaves of a tree, got " +
                     std::to_string(leaves));
    }
    return {leaves, static_cast<unsigned>(std::countr_zero(n)), leaves};
}

}  // namespace

struct MERKLIZE_LOCAL MerkleForest::State {
    State(const PublicCall& /*entry*/, const TreeForm& of, std::uint64_t leaves, std::uint64_t n, const Device& on)
        : form(of), n_leaves(n), layout(layout_of(of, leaves, n)), device(on), nodes(on, layout.slots()) {}

    TreeForm form;
    std::uint64_t n_leaves;  ///< of each tree
    TreeLayout layout;
    Device device;
    runtime::NodeStore nodes;
    Policy policy{};

    void build(const Place& leaves, runtime::Run& run) {
        runtime::Merges merges(form);
        require_leaves(leaves, layout.n_leaves, merges, "leaves", run);
        copy_nodes(runtime::at_node(nodes.place(), layout.leaf_slot), leaves, layout.n_leaves, run);
        policy = build_levels({nodes.place(), layout.leaf_slot}, nodes.place(), layout, merges, run);
    }
    void require_level(unsigned level) const {
        if (level <= layout.height()) return;
        invalid_call("level", "must be 0 to " + std::to_string(layout.height()) + " in trees of " +
                                  std::to_string(n_leaves) + " leaves, got " + std::to_string(level));
    }
};

MerkleForest::MerkleForest(std::span<const Digest> leaves, std::uint64_t n_leaves, const TreeForm& form,
                           const RunOptions& options)
    : state_(std::make_unique<State>(PublicCall("MerkleForest"), form, leaves.size(), n_leaves, options.device)) {
    const PublicCall entry("MerkleForest");
    runtime::Run run(options);
    state_->build(runtime::host_place(leaves.data()), run);
}

MerkleForest::MerkleForest(const ConstBuffer& leaves, std::uint64_t n_leaves, const TreeForm& form,
                           const RunOptions& options)
    : state_(std::make_unique<State>(PublicCall("MerkleForest"), form, runtime::digests_in(leaves, "leaves"), n_leaves,
                                     leaves.device())) {
    const PublicCall entry("MerkleForest");
    const RunOptions here = runtime::on_device_of(leaves, options);
    runtime::Run run(here);
    state_->build(runtime::place_of(leaves), run);
}

MerkleForest::MerkleForest(MerkleForest&&) noexcept = default;
MerkleForest& MerkleForest::operator=(MerkleForest&&) noexcept = default;
MerkleForest::~MerkleForest() = default;

const TreeForm& MerkleForest::form() const noexcept { return state_->form; }
std::uint64_t MerkleForest::n_leaves() const noexcept { return state_->n_leaves; }
std::uint64_t MerkleForest::n_trees() const noexcept { return state_->layout.n_leaves / state_->n_leaves; }
unsigned MerkleForest::height() const noexcept { return state_->layout.height(); }
bool MerkleForest::on_device() const noexcept { return state_->nodes.on_device(); }
const DeviceInfo& MerkleForest::device() const noexcept { return state_->device.info(); }
const Policy& MerkleForest::policy() const noexcept { return state_->policy; }

std::vector<Digest> MerkleForest::roots() const {
    std::vector<Digest> roots(n_trees());
    state_->nodes.read(state_->layout.level_offset(height()), roots);
    return roots;
}

std::span<const Digest> MerkleForest::level(unsigned level) const {
    const PublicCall entry("level");
    state_->require_level(level);
    return {state_->nodes.host() + state_->layout.level_offset(level), state_->layout.level_size(level)};
}

ConstBuffer MerkleForest::device_level(unsigned level) const {
    const PublicCall entry("device_level");
    state_->require_level(level);
    if (!on_device()) invalid_call("the forest's nodes are in memory of the host; level() has them");
    return state_->nodes.buffer().slice(Digest::size * state_->layout.level_offset(level),
                                        Digest::size * state_->layout.level_size(level));
}

MerkleProof MerkleForest::prove(std::uint64_t tree, std::uint64_t index) const {
    const PublicCall entry("prove");
    if (tree >= n_trees())
        invalid_call("tree", "must be below " + std::to_string(n_trees()) + ", got " + std::to_string(tree));
    runtime::require_index(index, n_leaves());
    const std::uint64_t leaf = tree * n_leaves() + index;
    std::vector<std::uint64_t> slots = {state_->layout.leaf_slot + leaf};
    for (unsigned level = 0; level < height(); level++)
        slots.push_back(state_->layout.level_offset(level) + ((leaf >> level) ^ 1));
    std::vector<Digest> nodes(slots.size());
    RunOptions options;
    options.device = state_->device;
    runtime::Run run(options);
    gather_nodes(state_->nodes.place(), slots, nodes.data(), run);
    return {form().hash, form().rule, n_leaves(), index, nodes[0], {nodes.begin() + 1, nodes.end()}};
}

}  // namespace merklize::inline v0
