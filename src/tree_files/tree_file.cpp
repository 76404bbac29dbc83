// TreeFile: reading and proving.
#include "merklize/tree_file.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "host/invalid.hpp"
#include "host/threads.hpp"
#include "levels/indices.hpp"
#include "levels/merges.hpp"
#include "merklize/error.hpp"
#include "proofs/check.hpp"
#include "proofs/shape.hpp"
#include "tree_files/require_fit.hpp"
#include "tree_files/state.hpp"

namespace merklize::inline v0 {
namespace {

using runtime::NodeAt;
using runtime::TreeFileReader;

[[noreturn]] void refuse_damage(const TreeFile& tree) {
    throw Error(ErrorCode::io, tree.path().string() + ": the nodes do not fit the root: the tree file is damaged");
}

bool lacks_key(const TreeFile& tree) { return tree.is_keyed() && tree.form().mode.flags() == 0; }

// A proof from a file of the system is as the file is: verifying it costs more than reading it.
template <class Proof>
Proof checked(const TreeFile& tree, Proof proof) {
    if (tree.descriptor() < 0) runtime::require_fit(tree, proof);
    return proof;
}

// The nodes of a proof: its leaves, and the siblings, which are nodes in the file or, under the rule pad, roots of
// padding.
struct ProofNodes {
    std::vector<Digest> leaves, siblings;
};

// Reads the nodes of several proofs, each of some leaves, by one call of the reader.
// require_mode  called before padding is merged
template <class RequireMode>
std::vector<ProofNodes> read_proofs(const TreeFileReader& reader, const TreeForm& form, RequireMode require_mode,
                                    std::span<const std::span<const std::uint64_t>> proofs) {
    runtime::Merges merges(form);
    const runtime::TreeLayout layout = reader.layout();
    const unsigned threads = runtime::default_threads();
    const auto is_pad = [&](const NodeAt& at) { return at.index == layout.level_size(at.level); };
    const auto pad = [&](unsigned level) {
        if (level != 0) require_mode();
        return merges.pad(level);
    };
    std::vector<std::vector<NodeAt>> siblings;
    std::vector<NodeAt> in_file;
    for (const auto indices : proofs) {
        runtime::ProofSlots wanted(layout, form.rule, indices, threads);
        runtime::parallel_for(wanted.parts(), threads, [&](std::size_t part) { wanted.list(part); });
        std::vector<NodeAt>& places = siblings.emplace_back();
        for (const std::uint64_t slot : wanted.slots()) places.push_back(runtime::node_at(layout, slot));
        for (const std::uint64_t index : indices) in_file.push_back({0, index});
        std::ranges::copy_if(places, std::back_inserter(in_file), [&](const NodeAt& at) { return !is_pad(at); });
    }
    const std::vector<Digest> read = reader.nodes(in_file);
    std::vector<ProofNodes> out(proofs.size());
    for (std::size_t i = 0, next = 0; i < proofs.size(); i++) {
        for (std::size_t k = 0; k < proofs[i].size(); k++) out[i].leaves.push_back(read[next++]);
        for (const NodeAt& at : siblings[i]) out[i].siblings.push_back(is_pad(at) ? pad(at.level) : read[next++]);
    }
    return out;
}

}  // namespace

}  // namespace merklize::inline v0

namespace merklize::runtime {

void require_fit(const TreeFile& tree, const MerkleProof& proof) {
    if (!lacks_key(tree) && !verify(proof, tree.root(), {}, tree.form().mode)) refuse_damage(tree);
}

void require_fit(const TreeFile& tree, const MultiProof& proof) {
    if (!lacks_key(tree) && !verify(proof, tree.root(), {}, tree.form().mode)) refuse_damage(tree);
}

void require_fit(const TreeFile& tree, const ConsistencyProof& proof) {
    if (lacks_key(tree) || proof.old_leaves == proof.new_leaves) return;
    // The old root, which the proof leaves out, is a node of the file.
    Digest first{};
    if (begins_with_old_root(proof.old_leaves))
        tree.read(static_cast<unsigned>(std::countr_zero(proof.old_leaves)), 0, {&first, 1});
    const auto roots = roots_of(proof, first, tree.form().mode);
    if (!roots || roots->new_root != tree.root()) refuse_damage(tree);
}

}  // namespace merklize::runtime

namespace merklize::inline v0 {

TreeFile::State::State(const std::filesystem::path& path)
    : open(std::make_unique<runtime::TreeFileReader>(path)), form(header().hash, header().rule, {}, header().padding) {}

TreeFile::State::State(std::unique_ptr<const runtime::ByteSource> source)
    : open(std::make_unique<runtime::TreeFileReader>(std::move(source))),
      form(header().hash, header().rule, {}, header().padding) {}

void TreeFile::State::reopen() { open = std::make_unique<runtime::TreeFileReader>(open->path()); }

const TreeForm& TreeFile::State::complete_form() const {
    if (is_keyed() && form.mode.flags() == 0) {
        invalid_call(reader().path().string() + " has keyed merges: its key or context must be given first");
    }
    return form;
}

TreeFile::TreeFile(const std::filesystem::path& path)
    : state_((refuse_empty_path(path.native()), std::make_unique<State>(path))) {}
TreeFile::TreeFile(std::unique_ptr<const runtime::ByteSource> source)
    : state_(std::make_unique<State>(std::move(source))) {}
TreeFile::TreeFile(TreeFile&&) noexcept = default;
TreeFile& TreeFile::operator=(TreeFile&&) noexcept = default;
TreeFile::~TreeFile() = default;

const TreeForm& TreeFile::form() const noexcept { return state_->form; }
bool TreeFile::is_keyed() const noexcept { return state_->is_keyed(); }
bool TreeFile::has_key_of(const TreeFile& other) const noexcept {
    const runtime::TreeHeader &one = state_->header(), &two = other.state_->header();
    return one.merges == two.merges && one.key_check == two.key_check;
}
std::uint64_t TreeFile::n_leaves() const noexcept { return state_->header().n_leaves; }
unsigned TreeFile::height() const noexcept { return state_->reader().layout().height(); }
const Digest& TreeFile::root() const noexcept { return state_->header().root; }
const LeafSource& TreeFile::source() const noexcept { return state_->header().source; }
const std::filesystem::path& TreeFile::path() const noexcept { return state_->reader().path(); }

void TreeFile::set_mode(const Mode& mode) {
    const PublicCall entry("set_mode");
    const runtime::TreeHeader given(TreeForm(form().hash, form().rule, mode), n_leaves(), source());
    const runtime::TreeHeader& header = state_->header();
    if (given.merges != header.merges || given.key_check != header.key_check) {
        invalid_call("not the mode of " + path().string() +
                     (header.merges == runtime::TreeHeader::Merges::plain   ? ", which has plain merges"
                      : header.merges == runtime::TreeHeader::Merges::keyed ? ", which is keyed with another key"
                                                                            : ", which is of another context"));
    }
    state_->form.mode = mode;
}

int TreeFile::descriptor() const noexcept { return state_->reader().fd(); }

std::uint64_t TreeFile::level_offset(unsigned level) const {
    const PublicCall entry("level_offset");
    state_->require_nodes(level, 0, 0);
    return state_->header().offset(level);
}

void TreeFile::State::require_nodes(unsigned level, std::uint64_t first, std::uint64_t count) const {
    const runtime::TreeLayout layout = reader().layout();
    if (level > layout.height()) {
        invalid_call("level " + std::to_string(level) + " is above the root, which is level " +
                     std::to_string(layout.height()));
    }
    const std::uint64_t size = layout.level_size(level);
    if (first <= size && count <= size - first) return;
    invalid_call("first and count must be within the " + std::to_string(size) + " nodes of level " +
                 std::to_string(level) + ", got " + std::to_string(first) + " and " + std::to_string(count));
}

void TreeFile::read(unsigned level, std::uint64_t first, std::span<Digest> out) const {
    const PublicCall entry("read");
    state_->require_nodes(level, first, out.size());
    state_->reader().read(level, first, out);
}

std::vector<Digest> TreeFile::read(unsigned level, std::uint64_t first, std::uint64_t count) const {
    const PublicCall entry("read");
    state_->require_nodes(level, first, count);
    std::vector<Digest> out(count);
    state_->reader().read(level, first, out);
    return out;
}

MerkleProof TreeFile::prove(std::uint64_t index) const { return std::move(prove({&index, 1})[0]); }

std::vector<MerkleProof> TreeFile::prove(std::span<const std::uint64_t> indices) const {
    const PublicCall entry("prove");
    std::vector<std::span<const std::uint64_t>> proofs;
    for (const std::uint64_t& index : indices) {
        runtime::require_index(index, n_leaves());
        proofs.emplace_back(&index, 1);
    }
    const TreeForm& form = state_->form;
    const auto require_mode = [this] { state_->complete_form(); };
    std::vector<MerkleProof> made;
    for (auto& [leaves, siblings] : read_proofs(state_->reader(), form, require_mode, proofs)) {
        const std::uint64_t index = indices[made.size()];
        made.push_back(
            checked(*this, MerkleProof{form.hash, form.rule, n_leaves(), index, leaves[0], std::move(siblings)}));
    }
    return made;
}

MultiProof TreeFile::prove_together(std::span<const std::uint64_t> indices) const {
    const PublicCall entry("prove_together");
    if (indices.empty()) invalid_call("needs at least one leaf index, got none");
    std::vector<std::uint64_t> sorted = runtime::ascending(indices, n_leaves(), runtime::default_threads());
    const TreeForm& form = state_->form;
    const std::span<const std::uint64_t> proof = sorted;
    const auto require_mode = [this] { state_->complete_form(); };
    auto [leaves, siblings] = std::move(read_proofs(state_->reader(), form, require_mode, {&proof, 1})[0]);
    return checked(
        *this, MultiProof{form.hash, form.rule, n_leaves(), std::move(sorted), std::move(leaves), std::move(siblings)});
}

MultiProof TreeFile::prove_range(std::uint64_t first, std::uint64_t last) const {
    const PublicCall entry("prove_range");
    return prove_together(runtime::index_range(first, last, n_leaves()));
}

ConsistencyProof TreeFile::prove_consistency(std::uint64_t old_leaves) const {
    const PublicCall entry("prove_consistency");
    const auto nodes = runtime::consistency_proof_nodes(state_->reader().layout(), form().rule, old_leaves);
    return checked(*this, ConsistencyProof{form().hash, old_leaves, n_leaves(), state_->reader().nodes(nodes)});
}

}  // namespace merklize::inline v0
