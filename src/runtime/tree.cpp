#include "merklize/tree.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "merklize/error.hpp"
#include "runtime/field.hpp"
#include "runtime/file.hpp"
#include "runtime/plan.hpp"
#include "runtime/run.hpp"

namespace merklize {
namespace {

using runtime::HeapLayout;

void require_leaf_count(std::uint64_t n) {
    if (n < 2 || !std::has_single_bit(n)) {
        throw Error(ErrorCode::invalid_argument,
                    "tree: the count of leaves must be a power of two >= 2, got " + std::to_string(n));
    }
}

// Subtrees of 2^12 leaves take 256 KiB, leaves and parents: they stay in a core's second-level cache. Small trees are cut finer,
// so that every thread has several. Field hashes compute too long to need the cache; smaller subtrees share out and stop sooner.
TreePolicy tuned(TreePolicy policy, const HeapLayout& layout, Hash hash, unsigned threads) {
    if (policy.levels_per_launch != 0) {
        policy.levels_per_launch = std::min<std::uint32_t>(policy.levels_per_launch, MKZ_MAX_LEVELS);
        return policy;
    }
    constexpr unsigned subtrees_per_thread = 4;
    const unsigned most_levels = traits(hash).is_field ? 8 : 12;
    const unsigned spread = threads == 1 ? 0 : std::bit_width(subtrees_per_thread * threads - 1);
    const unsigned height = layout.height();
    policy.levels_per_launch = std::min(most_levels, height > spread + 4 ? height - spread : height);
    return policy;
}

TreePolicy build(Digest* nodes, const HeapLayout& layout, Hash hash, const TreePolicy& wanted, runtime::Run& run,
                 double share) {
    const TreePolicy policy = tuned(wanted, layout, hash, run.threads());
    const double merges = static_cast<double>(layout.n_leaves - 1);
    for (const runtime::Launch& launch : runtime::plan_tree(layout, policy)) {
        const std::uint64_t n = layout.level_size(launch.from);
        mkz_merge_subtrees arguments{static_cast<std::uint32_t>(hash), launch.levels, n, nodes, {}};
        for (unsigned l = 0; l <= launch.levels; l++) arguments.offset[l] = layout.level_offset(launch.from + l);
        run.launch(MKZ_KERNEL_MERGE_SUBTREES, arguments,
                   share * static_cast<double>(n - (n >> launch.levels)) / merges);
    }
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
    runtime::Run run(options);
    if (traits(hash).is_field) runtime::require_canonical(nodes.data() + n, 4 * n, "build_tree: leaves");
    nodes[0] = Digest{};
    return build(nodes.data(), HeapLayout{n}, hash, policy, run, 1);
}

struct MerkleTree::Nodes {
    Nodes(const runtime::DeviceState& device, std::uint64_t slots, const runtime::Run& run)
        : backend(device.backend), index(device.index), bytes(slots * Digest::size) {
        void* memory = nullptr;
        run.check(backend->allocate(index, bytes, &memory));
        data = static_cast<Digest*>(memory);
    }
    ~Nodes() { backend->release(index, data, bytes); }
    Nodes(const Nodes&) = delete;
    Nodes& operator=(const Nodes&) = delete;

    const mkz_backend* backend;
    std::uint32_t index;
    std::uint64_t bytes;
    Digest* data = nullptr;
};

MerkleTree::MerkleTree(std::uint64_t n_leaves, Hash hash, const Device& device)
    : n_leaves_(n_leaves), hash_(hash), device_(device) {}
MerkleTree::MerkleTree(MerkleTree&&) noexcept = default;
MerkleTree& MerkleTree::operator=(MerkleTree&&) noexcept = default;
MerkleTree::~MerkleTree() = default;

MerkleTree::MerkleTree(std::span<const Digest> leaves, Hash hash, const TreePolicy& policy, const RunOptions& options)
    : MerkleTree(leaves.size(), hash, options.device) {
    require_leaf_count(n_leaves_);
    if (n_leaves_ > UINT64_MAX / (4 * Digest::size)) throw Error(ErrorCode::out_of_memory, "tree: too many leaves");
    const bool is_field = traits(hash).is_field;
    const HeapLayout layout{n_leaves_};
    runtime::Run run(options);
    nodes_ = std::make_unique<Nodes>(run.device(), layout.slots(), run);
    Digest* nodes = nodes_->data;
    nodes[0] = Digest{};
    // All threads copy, and so share the first touch of the pages.
    constexpr std::size_t per_piece = 4096;
    constexpr double copy_share = 0.05;
    run.parallel((leaves.size() + per_piece - 1) / per_piece,
                 [&](std::size_t piece) {
                     const std::size_t first = piece * per_piece;
                     const auto part = leaves.subspan(first, std::min(per_piece, leaves.size() - first));
                     if (is_field) runtime::require_canonical(part.data(), 4 * part.size(), "tree: leaves", 4 * first);
                     std::memcpy(nodes + layout.level_offset(0) + first, part.data(), part.size_bytes());
                 },
                 copy_share);
    policy_ = build(nodes, layout, hash, policy, run, 1 - copy_share);
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
    const HeapLayout layout{n};
    runtime::Run run(options);
    tree.nodes_ = std::make_unique<Nodes>(run.device(), layout.slots(), run);
    Digest* nodes = tree.nodes_->data;
    nodes[0] = Digest{};
    constexpr double file_share = 0.9;
    runtime::hash_pieces(file, bytes, leaf_bytes, nodes + layout.level_offset(0), run, file_share);
    tree.policy_ = build(nodes, layout, Hash::blake3, policy, run, 1 - file_share);
    return tree;
}

std::span<const Digest> MerkleTree::nodes() const noexcept { return {nodes_->data, HeapLayout{n_leaves_}.slots()}; }

std::span<const Digest> MerkleTree::cap(unsigned height) const {
    const HeapLayout layout{n_leaves_};
    if (height > layout.height()) {
        throw Error(ErrorCode::invalid_argument, "cap: height must be at most " + std::to_string(layout.height()) +
                                                     " for " + std::to_string(n_leaves_) + " leaves, got " +
                                                     std::to_string(height));
    }
    const unsigned level = layout.height() - height;
    return nodes().subspan(layout.level_offset(level), layout.level_size(level));
}

MerkleProof MerkleTree::prove(std::uint64_t index) const {
    if (index >= n_leaves_) {
        throw Error(ErrorCode::invalid_argument,
                    "prove: leaf index must be below " + std::to_string(n_leaves_) + ", got " + std::to_string(index));
    }
    const HeapLayout layout{n_leaves_};
    MerkleProof proof{hash_, n_leaves_, index, nodes()[layout.level_offset(0) + index], {}};
    for (unsigned level = 0; level < layout.height(); level++)
        proof.siblings.push_back(nodes()[layout.sibling(index, level)]);
    return proof;
}

}  // namespace merklize
