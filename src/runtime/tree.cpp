#include "merklize/tree.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include "merklize/error.hpp"
#include "runtime/field.hpp"
#include "runtime/file.hpp"
#include "runtime/host_block.hpp"
#include "runtime/plan.hpp"
#include "runtime/run.hpp"

namespace merklize {
namespace {

using runtime::HeapLayout;
using runtime::host_place;
using runtime::place_of;

void require_leaf_count(std::uint64_t n, std::uint64_t least = 2) {
    if (n < least || !std::has_single_bit(n)) {
        throw Error(ErrorCode::invalid_argument, "tree: the count of leaves must be a power of two >= " +
                                                     std::to_string(least) + ", got " + std::to_string(n));
    }
    if (n > UINT64_MAX / (4 * Digest::size)) throw Error(ErrorCode::out_of_memory, "tree: too many leaves");
}

std::uint64_t digests_in(const Buffer& buffer, const char* what) {
    if (buffer.size() % Digest::size != 0) {
        throw Error(ErrorCode::invalid_argument, std::string(what) + ": " + std::to_string(buffer.size()) +
                                                     " bytes are not a whole count of digests of 32 bytes");
    }
    return buffer.size() / Digest::size;
}

mkz_tuning to_tuning(const TreePolicy& policy) {
    return {std::min<std::uint32_t>(policy.levels_per_launch, MKZ_MAX_LEVELS),
            policy.group_size,
            policy.merges_per_item,
            static_cast<std::uint32_t>(policy.constants),
            0,
            0,
            0,
            0};
}

// The options of a call on n leaves in host memory, where "auto" has chosen.
RunOptions chosen(const RunOptions& options, Hash hash, std::uint64_t n) {
    if (!options.device.state().chooses()) return options;
    return runtime::chosen(options, traits(hash).is_field ? Job::rescue_tree : Job::blake3_tree, Digest::size * n);
}

// What the backend makes of the caller's wishes for the widest part of the tree.
TreePolicy tuned(const TreePolicy& wanted, Hash hash, std::uint64_t n_leaves, const runtime::Run& run) {
    mkz_tuning tuning = to_tuning(wanted);
    run.device().backend->tune(run.device().index, MKZ_KERNEL_MERGE_SUBTREES, static_cast<std::uint32_t>(hash),
                               n_leaves - 1, run.threads(), &tuning);
    return {tuning.levels_per_launch, tuning.group_size, tuning.lanes, static_cast<Constants>(tuning.constants)};
}

// Builds all levels above the leaves at `below`, where `leaves` is the place of the first, into the heap at `nodes`.
TreePolicy build(const mkz_place& below, std::uint64_t leaves, const mkz_place& nodes, const HeapLayout& layout,
                 Hash hash, const TreePolicy& wanted, runtime::Run& run, double share) {
    const TreePolicy policy = tuned(wanted, hash, layout.n_leaves, run);
    const double merges = static_cast<double>(layout.n_leaves - 1);
    // A device gets all levels at once: its queue cuts them into launches, each with its own choice.
    const bool at_once = !run.on_host();
    const TreePolicy cut = at_once ? TreePolicy{.levels_per_launch = MKZ_MAX_LEVELS} : policy;
    for (const runtime::Launch& launch : runtime::plan_tree(layout, cut)) {
        const std::uint64_t n = layout.level_size(launch.from);
        mkz_merge_subtrees arguments{static_cast<std::uint32_t>(hash),
                                     launch.levels,
                                     n,
                                     launch.from == 0 ? below : nodes,
                                     nodes,
                                     {},
                                     to_tuning(wanted)};
        for (unsigned l = 0; l <= launch.levels; l++) arguments.offset[l] = layout.level_offset(launch.from + l);
        if (launch.from == 0) arguments.offset[0] = leaves;
        run.launch(MKZ_KERNEL_MERGE_SUBTREES, arguments,
                   share * static_cast<double>(n - (n >> launch.levels)) / merges);
    }
    run.finish();
    return policy;
}

}  // namespace

TreePolicy build_tree(std::span<Digest> nodes, Hash hash, const TreePolicy& policy, const RunOptions& options) {
    const std::uint64_t n = nodes.size() / 2;
    if (nodes.size() % 2 != 0) {
        throw Error(ErrorCode::invalid_argument,
                    "build_tree: nodes must be 2 n slots, got " + std::to_string(nodes.size()));
    }
    require_leaf_count(n);
    const RunOptions here = chosen(options, hash, n);
    runtime::Run run(here);
    if (traits(hash).is_field) runtime::require_canonical(nodes.data() + n, 4 * n, "build_tree: leaves");
    nodes[0] = Digest{};
    const mkz_place place = host_place(nodes.data());
    return build(place, n, place, HeapLayout{n}, hash, policy, run, 1);
}

TreePolicy build_tree(const Buffer& nodes, Hash hash, const TreePolicy& policy, const RunOptions& options) {
    const std::uint64_t slots = digests_in(nodes, "build_tree: nodes");
    const std::uint64_t n = slots / 2;
    if (slots % 2 != 0) {
        throw Error(ErrorCode::invalid_argument, "build_tree: nodes must be 2 n slots, got " + std::to_string(slots));
    }
    require_leaf_count(n);
    const RunOptions here = runtime::on_device_of(nodes, options);
    runtime::Run run(here);
    if (traits(hash).is_field) {
        run.session().require_canonical(place_of(nodes.slice(Digest::size * n, Digest::size * n)), 4 * n,
                                        "build_tree: leaves");
    }
    const Digest zeros{};
    run.session().copy_to_device(place_of(nodes), &zeros, sizeof zeros);
    return build(place_of(nodes), n, place_of(nodes), HeapLayout{n}, hash, policy, run, 1);
}

namespace {

// The root above n >= 2 leaves on the run's device.
Digest root_on_device(const mkz_place& leaves, std::uint64_t n, Hash hash, const TreePolicy& policy, runtime::Run& run,
                      double share = 1) {
    const Buffer parents(run.options().device, Digest::size * n);
    build(leaves, 0, place_of(parents), HeapLayout{n}, hash, policy, run, share);
    Digest root;
    run.session().copy_to_host(&root, place_of(parents.slice(Digest::size, Digest::size)), sizeof root);
    run.finish();
    return root;
}

}  // namespace

Digest merkle_root(const Buffer& leaves, Hash hash, const TreePolicy& policy, const RunOptions& options) {
    const std::uint64_t n = digests_in(leaves, "merkle_root: leaves");
    require_leaf_count(n, 1);
    const RunOptions here = runtime::on_device_of(leaves, options);
    runtime::Run run(here);
    runtime::Session& session = run.session();
    if (traits(hash).is_field) session.require_canonical(place_of(leaves), 4 * n, "merkle_root: leaves");
    if (n > 1) return root_on_device(session.aligned_nodes(place_of(leaves), n), n, hash, policy, run);
    Digest root;
    session.copy_to_host(&root, place_of(leaves), sizeof root);
    run.finish();
    return root;
}

namespace {

// The roots of subtrees of 2^k host leaves each, which go to the run's device one after another.
void roots_on_device(std::span<const Digest> leaves, std::span<Digest> roots, Hash hash, const TreePolicy& policy,
                     runtime::Run& run) {
    if (roots.empty()) return;
    const std::uint64_t per_root = leaves.size() / roots.size();
    const Buffer part(run.options().device, Digest::size * per_root);
    for (std::size_t i = 0; i < roots.size(); i++) {
        if (!run.tick(0)) run.throw_cancelled();
        run.session().upload(place_of(part), leaves.data() + i * per_root, part.size());
        roots[i] = root_on_device(place_of(part), per_root, hash, policy, run, 1 / static_cast<double>(roots.size()));
    }
}

}  // namespace

Digest merkle_root(std::span<const Digest> leaves, Hash hash, const TreePolicy& policy, const RunOptions& wanted) {
    const std::uint64_t n = leaves.size();
    const RunOptions options = chosen(wanted, hash, n);
    require_leaf_count(n, 1);
    if (traits(hash).is_field) runtime::require_canonical(leaves.data(), 4 * n, "merkle_root: leaves");
    if (n == 1) return leaves[0];
    runtime::Run run(options);
    if (run.on_host()) {
        const runtime::HostBlock parents(Digest::size * n);
        build(host_place(leaves.data()), 0, host_place(parents.data()), HeapLayout{n}, hash, policy, run, 1);
        return static_cast<const Digest*>(parents.data())[1];
    }
    // The leaves go to the device in parts, whose roots come back; several devices share the parts.
    constexpr std::uint64_t most_on_device = std::uint64_t{1} << 22;
    const std::vector<Device>& devices = run.device().parts;
    const std::uint64_t per_part =
        std::min(n >> (devices.empty() ? 0 : runtime::cut_levels(n, devices.size())), most_on_device);
    std::vector<Digest> roots(n / per_part);
    if (devices.empty()) {
        roots_on_device(leaves, roots, hash, policy, run);
    } else {
        const auto tick = [&](double done) { return run.tick(done); };
        const auto share = [&](std::size_t i, const RunOptions& here) {
            const runtime::Share mine(roots.size(), i, devices.size());
            runtime::Run part(here);
            roots_on_device(leaves.subspan(mine.first * per_part, mine.size * per_part),
                            std::span(roots).subspan(mine.first, mine.size), hash, policy, part);
        };
        if (!runtime::side_by_side(devices, options, run.threads(), share,
                                   options.progress ? runtime::Tick(tick) : runtime::Tick())) {
            run.throw_cancelled();
        }
    }
    return roots.size() == 1 ? roots[0] : merkle_root(roots, hash, {}, {.device = Device("cpu")});
}

/// The nodes: in a block of the host or in a buffer of the device, and then perhaps a copy on the host as well.
struct MerkleTree::Nodes {
    runtime::HostBlock host{};
    std::unique_ptr<Buffer> device{};
    std::once_flag copying{};

    Digest* slots() const { return static_cast<Digest*>(host.data()); }
};

MerkleTree::MerkleTree(std::uint64_t n_leaves, Hash hash, const Device& device)
    : nodes_(std::make_unique<Nodes>()), n_leaves_(n_leaves), hash_(hash), device_(device) {}
MerkleTree::MerkleTree(MerkleTree&&) noexcept = default;
MerkleTree& MerkleTree::operator=(MerkleTree&&) noexcept = default;
MerkleTree::~MerkleTree() = default;

// Where the nodes shall be: with the device, if it has a memory of its own and they fit.
void MerkleTree::make_nodes() {
    require_leaf_count(n_leaves_);
    const std::uint64_t bytes = HeapLayout{n_leaves_}.slots() * Digest::size;
    if (!device_.state().is_host()) {
        const mkz_driver_facts& facts = device_.state().queue_device()->facts();
        if (!facts.unified && bytes <= facts.max_allocation) {
            try {
                nodes_->device = std::make_unique<Buffer>(device_, bytes);
                return;
            } catch (const Error& error) {
                if (error.code() != ErrorCode::out_of_memory) throw;
            }
        }
    }
    nodes_->host = runtime::HostBlock(bytes);
    nodes_->slots()[0] = Digest{};
}

// The leaves are in their slots: builds the rest.
void MerkleTree::build_parents(const TreePolicy& policy, runtime::Run& run, double share) {
    const HeapLayout layout{n_leaves_};
    if (!on_device()) {
        const mkz_place nodes = host_place(nodes_->slots());
        policy_ = build(nodes, layout.level_offset(0), nodes, layout, hash_, policy, run, share);
        root_ = nodes_->slots()[1];
        return;
    }
    const mkz_place nodes = place_of(*nodes_->device);
    const Digest zeros{};
    run.session().copy_to_device(nodes, &zeros, sizeof zeros);
    policy_ = build(nodes, layout.level_offset(0), nodes, layout, hash_, policy, run, share);
    run.session().copy_to_host(&root_, place_of(nodes_->device->slice(Digest::size, Digest::size)), sizeof root_);
    run.finish();
}

MerkleTree::MerkleTree(std::span<const Digest> leaves, Hash hash, const TreePolicy& policy, const RunOptions& wanted)
    : MerkleTree(leaves.size(), hash, chosen(wanted, hash, leaves.size()).device) {
    RunOptions options = wanted;
    options.device = device_;
    make_nodes();
    const bool is_field = traits(hash).is_field;
    runtime::Run run(options);
    // All threads copy, and so share the first touch of the pages.
    constexpr std::size_t per_piece = 4096;
    constexpr double copy_share = 0.05;
    Digest* slots = on_device() ? nullptr : nodes_->slots() + HeapLayout{n_leaves_}.level_offset(0);
    if (slots != nullptr || is_field) {
        run.parallel((leaves.size() + per_piece - 1) / per_piece,
                     [&](std::size_t piece) {
                         const std::size_t first = piece * per_piece;
                         const auto part = leaves.subspan(first, std::min(per_piece, leaves.size() - first));
                         if (is_field)
                             runtime::require_canonical(part.data(), 4 * part.size(), "tree: leaves", 4 * first);
                         if (slots != nullptr) std::memcpy(slots + first, part.data(), part.size_bytes());
                     },
                     copy_share);
    }
    if (on_device()) {
        const Buffer half = nodes_->device->slice(Digest::size * n_leaves_, Digest::size * n_leaves_);
        run.session().upload(place_of(half), leaves.data(), half.size());
    }
    build_parents(policy, run, 1 - copy_share);
}

MerkleTree::MerkleTree(const Buffer& leaves, Hash hash, const TreePolicy& policy, const RunOptions& options)
    : MerkleTree(digests_in(leaves, "tree: leaves"), hash, leaves.device()) {
    require_leaf_count(n_leaves_);
    const RunOptions here = runtime::on_device_of(leaves, options);
    runtime::Run run(here);
    if (traits(hash).is_field) run.session().require_canonical(place_of(leaves), 4 * n_leaves_, "tree: leaves");
    make_nodes();
    if (on_device()) {
        run.session().copy_on_device(place_of(nodes_->device->slice(leaves.size(), leaves.size())), place_of(leaves),
                                     leaves.size());
    } else {
        run.session().download(nodes_->slots() + n_leaves_, place_of(leaves), leaves.size());
    }
    build_parents(policy, run, 1);
}

MerkleTree MerkleTree::from_file(const std::filesystem::path& path, std::uint64_t leaf_bytes, const TreePolicy& policy,
                                 const RunOptions& options) {
    if (leaf_bytes == 0) throw Error(ErrorCode::invalid_argument, "from_file: leaf_bytes must be at least 1, got 0");
    const runtime::File file(path);
    const std::uint64_t bytes = file.regular_size();
    const std::uint64_t n = bytes / leaf_bytes + (bytes % leaf_bytes != 0);
    if (n < 2 || !std::has_single_bit(n)) {
        throw Error(ErrorCode::invalid_argument, "from_file: " + path.string() + " of " + std::to_string(bytes) +
                                                     " bytes makes " + std::to_string(n) + " leaves of " +
                                                     std::to_string(leaf_bytes) +
                                                     " bytes; the count of leaves must be a power of two >= 2");
    }
    MerkleTree tree(n, Hash::blake3, options.device);
    tree.make_nodes();
    runtime::Run run(options);
    constexpr double file_share = 0.9;
    if (tree.on_device()) {
        std::vector<Digest> leaves(n);
        runtime::hash_pieces(file, bytes, leaf_bytes, leaves.data(), run, file_share);
        run.session().upload(place_of(tree.nodes_->device->slice(Digest::size * n, Digest::size * n)), leaves.data(),
                             Digest::size * n);
    } else {
        runtime::hash_pieces(file, bytes, leaf_bytes, tree.nodes_->slots() + HeapLayout{n}.level_offset(0), run,
                             file_share);
    }
    tree.build_parents(policy, run, 1 - file_share);
    return tree;
}

bool MerkleTree::on_device() const noexcept { return nodes_->device != nullptr; }

Buffer MerkleTree::device_nodes() const {
    if (on_device()) return *nodes_->device;
    throw Error(ErrorCode::invalid_argument, "tree: its nodes are on the host");
}

std::span<const Digest> MerkleTree::nodes() const {
    if (on_device()) {
        std::call_once(nodes_->copying, [this] {
            runtime::HostBlock host(nodes_->device->size());
            nodes_->device->copy_to({static_cast<std::byte*>(host.data()), host.size()});
            nodes_->host = std::move(host);
        });
    }
    return {nodes_->slots(), HeapLayout{n_leaves_}.slots()};
}

std::vector<Digest> MerkleTree::cap(unsigned height) const {
    const HeapLayout layout{n_leaves_};
    if (height > layout.height()) {
        throw Error(ErrorCode::invalid_argument, "cap: height must be at most " + std::to_string(layout.height()) +
                                                     " for " + std::to_string(n_leaves_) + " leaves, got " +
                                                     std::to_string(height));
    }
    const unsigned level = layout.height() - height;
    std::vector<Digest> cap(layout.level_size(level));
    if (on_device()) {
        nodes_->device->slice(Digest::size * layout.level_offset(level), Digest::size * cap.size())
            .copy_to(std::as_writable_bytes(std::span(cap)));
    } else {
        std::ranges::copy(nodes().subspan(layout.level_offset(level), cap.size()), cap.begin());
    }
    return cap;
}

MerkleProof MerkleTree::prove(std::uint64_t index) const { return std::move(prove(std::span(&index, 1)).front()); }

std::vector<MerkleProof> MerkleTree::prove(std::span<const std::uint64_t> indices) const {
    const HeapLayout layout{n_leaves_};
    const unsigned height = layout.height();
    for (const std::uint64_t index : indices) {
        if (index >= n_leaves_) {
            throw Error(ErrorCode::invalid_argument, "prove: leaf index must be below " + std::to_string(n_leaves_) +
                                                         ", got " + std::to_string(index));
        }
    }
    std::vector<MerkleProof> proofs;
    proofs.reserve(indices.size());
    for (const std::uint64_t index : indices)
        proofs.push_back({hash_, n_leaves_, index, Digest{}, std::vector<Digest>(height)});
    if (!on_device()) {
        for (MerkleProof& proof : proofs) {
            proof.leaf = nodes_->slots()[layout.level_offset(0) + proof.index];
            for (unsigned level = 0; level < height; level++)
                proof.siblings[level] = nodes_->slots()[layout.sibling(proof.index, level)];
        }
        return proofs;
    }
    // The sibling's path begins with the leaf.
    std::vector<std::uint64_t> wanted(indices.begin(), indices.end());
    std::vector<Digest> paths(indices.size() * height), leaves(indices.size());
    RunOptions options;
    options.device = device_;
    runtime::Run run(options);
    const mkz_place nodes = place_of(*nodes_->device);
    run.session().gather_paths(nodes, n_leaves_, height, wanted.data(), wanted.size(), paths.data());
    for (std::uint64_t& index : wanted) index ^= 1;
    run.session().gather_paths(nodes, n_leaves_, 1, wanted.data(), wanted.size(), leaves.data());
    for (std::size_t i = 0; i < proofs.size(); i++) {
        proofs[i].leaf = leaves[i];
        std::copy_n(paths.begin() + static_cast<std::ptrdiff_t>(i * height), height, proofs[i].siblings.begin());
    }
    return proofs;
}

}  // namespace merklize
