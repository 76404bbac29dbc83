#include "merklize/tree.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "calls/calibration.hpp"
#include "hashes/field.hpp"
#include "host/invalid.hpp"
#include "levels/right_edge.hpp"
#include "merklize/error.hpp"
#include "trees/tree_state.hpp"

namespace merklize::inline v0 {

using runtime::host_bytes;
using runtime::host_place;
using runtime::place_of;
using runtime::TreeLayout;

namespace {

// The layout of the kept levels, as a tree of their own.
TreeLayout kept_layout(const TreeForm& form, std::uint64_t n_leaves, unsigned drop_levels) {
    if (drop_levels != 0) runtime::require_no_look(form);
    runtime::Merges(form).require_count(n_leaves);
    const TreeLayout whole{n_leaves};
    if (drop_levels > whole.height()) {
        invalid_call("drop_levels", "must be at most the height, " + std::to_string(whole.height()) + " for " +
                                        std::to_string(n_leaves) + " leaves, got " + std::to_string(drop_levels));
    }
    return TreeLayout{whole.level_size(drop_levels), whole.height() - drop_levels};
}

}  // namespace

MerkleTree::State::State(const PublicCall& /*entry*/, const TreeForm& of, std::uint64_t n, unsigned dropped,
                         const Device& on)
    : form(of),
      n_leaves(n),
      drop_levels(dropped),
      layout(kept_layout(of, n, dropped)),
      device(on),
      nodes(on, layout.slots()) {}

void MerkleTree::State::build_above(runtime::Run& run, double share, const runtime::Place& leaves) {
    runtime::Merges merges(form, drop_levels);
    nodes.clear_gaps(layout, run);
    if (n_leaves == 0) {
        root = runtime::empty_root();
        return run.finish();
    }
    const bool to_keep = leaves.pointer != nullptr;
    const runtime::LevelAt level =
        to_keep ? runtime::LevelAt{leaves, 0} : runtime::LevelAt{nodes.place(), layout.leaf_slot};
    policy = build_levels(level, nodes.place(), layout, merges, run, share, &root, 0, to_keep);
    require_unambiguous();
}

void MerkleTree::State::require_unambiguous() const {
    if (!runtime::is_looked_at(form)) return;
    runtime::require_unambiguous(layout, [&](unsigned level, std::uint64_t first, std::span<Digest> out) {
        nodes.read(layout.level_offset(level) + first, out);
    });
}

unsigned MerkleTree::State::kept_level(unsigned level) const {
    if (level <= height() && level >= drop_levels) return level - drop_levels;
    const std::string dropped =
        drop_levels == 0 ? "" : " that keeps levels from " + std::to_string(drop_levels) + " on";
    invalid_call("level", "must be " + std::to_string(drop_levels) + " to " + std::to_string(height()) +
                              " for a tree of " + std::to_string(n_leaves) + " leaves" + dropped + ", got " +
                              std::to_string(level));
}

void MerkleTree::State::require_on_device(const char* on_host) const {
    if (!nodes.on_device())
        invalid_call(std::string("the tree's nodes are in memory of the host; ") + on_host + "() has them");
}

RunOptions MerkleTree::State::here(RunOptions options) const {
    options.device = device;
    return options;
}

MerkleTree::MerkleTree(std::unique_ptr<State> state) : state_(std::move(state)) {}
MerkleTree::MerkleTree(MerkleTree&&) noexcept = default;
MerkleTree& MerkleTree::operator=(MerkleTree&&) noexcept = default;
MerkleTree::~MerkleTree() = default;

MerkleTree::MerkleTree(std::span<const Digest> leaves, const TreeForm& form, const RunOptions& wanted,
                       unsigned drop_levels)
    : state_(std::make_unique<State>(
          PublicCall("MerkleTree"), form, leaves.size(), drop_levels,
          runtime::chosen(wanted, Job::tree, form.hash, leaves.size_bytes(), leaves.data()).device)) {
    const PublicCall entry("MerkleTree");
    State& state = *state_;
    const RunOptions options = state.here(wanted);
    runtime::Run run(options);
    // The CPU copies the leaves while it merges them. For a device that works on host memory all threads copy them
    // first. A device that gets all leaves checks their words itself.
    constexpr std::size_t per_piece = 4096;
    constexpr double copy_share = 0.05;
    const bool sends = drop_levels == 0 && state.nodes.on_device() && !leaves.empty(),
               is_field = runtime::is_field(runtime::info(form.hash)) && !sends,
               to_copy = drop_levels == 0 && !state.nodes.on_device() && !run.on_host();
    std::byte* slots = to_copy ? host_bytes(state.base()) : nullptr;
    double share = 1;
    if (to_copy || is_field) {
        share -= copy_share;
        run.parallel((leaves.size() + per_piece - 1) / per_piece,
                     [&](std::size_t piece) {
                         const std::size_t first = piece * per_piece;
                         const auto part = leaves.subspan(first, std::min(per_piece, leaves.size() - first));
                         if (is_field) runtime::require_canonical(form.hash, part, "leaves", first);
                         if (to_copy) std::memcpy(slots + Digest::size * first, part.data(), part.size_bytes());
                     },
                     copy_share);
    }
    if (drop_levels != 0) {
        reduce_levels({host_place(leaves.data()), 0}, leaves.size(), drop_levels, form, 0, runtime::part_levels,
                      state.base(), run, share);
        share = 0;
    } else if (sends) {
        run.on_device().upload(state.base(), leaves.data(), leaves.size_bytes());
        require_leaves(state.base(), leaves.size(), runtime::Merges(form), "leaves", run);
    }
    const bool to_keep = drop_levels == 0 && run.on_host();
    state.build_above(run, share, to_keep ? host_place(leaves.data()) : runtime::Place{});
}

MerkleTree::MerkleTree(const ConstBuffer& leaves, const TreeForm& form, const RunOptions& options, unsigned drop_levels)
    : state_(std::make_unique<State>(PublicCall("MerkleTree"), form, runtime::digests_in(leaves, "leaves"), drop_levels,
                                     leaves.device())) {
    const PublicCall entry("MerkleTree");
    State& state = *state_;
    const RunOptions here = runtime::on_device_of(leaves, options);
    runtime::Run run(here);
    require_leaves(place_of(leaves), state.n_leaves, runtime::Merges(form), "leaves", run);
    if (state.n_leaves == 0) {
        state.build_above(run, 1);
        return;
    }
    const runtime::Lease aligned = run.on_device().aligned_nodes(place_of(leaves), state.n_leaves);
    if (drop_levels != 0) {
        reduce_levels({aligned.place(), 0}, state.n_leaves, drop_levels, form, 0, runtime::part_levels, state.base(),
                      run, 1);
        state.build_above(run, 0);
    } else if (state.nodes.on_device()) {
        state.build_above(run, 1, aligned.place());
    } else {
        copy_nodes(state.base(), place_of(leaves), state.n_leaves, run);
        state.build_above(run, 1);
    }
}

const TreeForm& MerkleTree::form() const noexcept { return state_->form; }
std::uint64_t MerkleTree::n_leaves() const noexcept { return state_->n_leaves; }
unsigned MerkleTree::height() const noexcept { return state_->height(); }
unsigned MerkleTree::drop_levels() const noexcept { return state_->drop_levels; }
const Digest& MerkleTree::root() const noexcept { return state_->root; }
const LeafSource& MerkleTree::source() const noexcept { return state_->source; }
const DeviceInfo& MerkleTree::device() const noexcept { return state_->device.info(); }
const Policy& MerkleTree::policy() const noexcept { return state_->policy; }
bool MerkleTree::on_device() const noexcept { return state_->nodes.on_device(); }

std::span<const Digest> MerkleTree::nodes() const { return {state_->nodes.host(), state_->layout.slots()}; }

std::span<const Digest> MerkleTree::level(unsigned level) const {
    const PublicCall entry("level");
    const unsigned kept = state_->kept_level(level);
    return nodes().subspan(state_->layout.level_offset(kept), state_->layout.level_size(kept));
}

ConstBuffer MerkleTree::device_nodes() const {
    const PublicCall entry("device_nodes");
    state_->require_on_device("nodes");
    return state_->nodes.buffer().slice(0, Digest::size * state_->layout.slots());
}

ConstBuffer MerkleTree::device_level(unsigned level) const {
    const PublicCall entry("device_level");
    const unsigned kept = state_->kept_level(level);
    state_->require_on_device("level");
    return state_->nodes.buffer().slice(Digest::size * state_->layout.level_offset(kept),
                                        Digest::size * state_->layout.level_size(kept));
}

std::vector<Digest> MerkleTree::cap(unsigned height) const {
    const PublicCall entry("cap");
    if (height > state_->layout.height()) {
        const std::string kept =
            state_->drop_levels == 0 ? "" : " that keeps " + std::to_string(state_->layout.height() + 1) + " levels";
        invalid_call("height", "must be at most " + std::to_string(state_->layout.height()) + " for " +
                                   std::to_string(n_leaves()) + " leaves" + kept + ", got " + std::to_string(height));
    }
    if (n_leaves() == 0) return {root()};
    const unsigned level = state_->layout.height() - height;
    std::vector<Digest> cap(state_->layout.level_size(level));
    state_->nodes.read(state_->layout.level_offset(level), cap);
    return cap;
}

}  // namespace merklize::inline v0
