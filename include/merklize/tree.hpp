#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <merklize/buffer.hpp>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>
#include <merklize/hash.hpp>
#include <merklize/proof.hpp>
#include <merklize/tree_form.hpp>
#include <merklize/tree_input.hpp>

namespace merklize {

namespace runtime {
class Run;
struct TreeLayout;
}  // namespace runtime

/// Slots that the nodes of n leaves take in heap order: 2^h + n, h = ceil(log2 n); 2n for a power of two.
/// errors  invalid_argument (n = 0), out_of_memory (too many)
std::uint64_t heap_slots(std::uint64_t n_leaves);

/// Builds all parents of a Merkle tree in the caller's memory.
/// nodes    [heap_slots(n)] digests in heap order: root at 1, children of i at 2i and 2i+1, leaf k at 2^h+k. The caller fills the
///          leaves; all other slots are written, those of no node with zeros.
/// returns  the policy used
/// errors   invalid_argument (a count of slots that no n has, n not a power of two under the rule perfect, a mode for another hash
///          than blake3, for field hashes a word >= p), cancelled (parents undefined)
/// cost     n-1 merges, and at most log2 n for the last nodes of levels
Policy build_tree(std::span<Digest> nodes, const TreeForm& form = {}, const RunOptions& options = {});

/// The same in the memory of a device: nodes is there, on 32 bytes; options.device is not looked at.
/// order    after what is enqueued on options.stream; complete when it returns
Policy build_tree(const Buffer& nodes, const TreeForm& form = {}, const RunOptions& options = {});

/// The root alone, of n >= 1 leaves; that of one leaf is the leaf.
/// errors  as build_tree, and out_of_memory
/// cost    n-1 merges, and at most log2 n for the last nodes of levels; 32 bytes of working memory for each leaf, counted up to a power
///         of two; at most 256 MiB of it on a device for leaves on the host
Digest merkle_root(std::span<const Digest> leaves, const TreeForm& form = {}, const RunOptions& options = {});
Digest merkle_root(const Buffer& leaves, const TreeForm& form = {}, const RunOptions& options = {});

/// The root of the tree over an input, in little memory: about 64 MiB, and a read of it. Reading and hashing is by all threads or for
/// the device.
/// errors  as MerkleTree::from_file(), but what can only be read in order, such as a pipe, is taken, and no memory runs out
TreeFacts merkle_root_file(const TreeInput& input, const TreeForm& form = {}, const RunOptions& options = {});

/// The root of leaves that lie in several buffers, which may be on several devices: each has the leaves of one subtree, and all
/// devices work at once, by one host thread each.
/// leaves  2^k buffers of equal counts of leaves, a power of two
/// order   complete when it returns. There is no common stream: what wrote the leaves must have ended
/// errors  invalid_argument (counts; a stream), and those of merkle_root()
Digest merkle_root_parts(std::span<const Buffer> leaves, const TreeForm& form = {}, const RunOptions& options = {});

/// A Merkle tree and its nodes: leaves and all levels above, 32 bytes each. They are in the memory of the device that built it, or
/// on the host where that is the same memory (the CPU) or they do not fit. Safe to read from any thread; update() and append() are
/// not to run beside anything else.
class MerkleTree {
public:
    /// leaves  n >= 1 digests; copied.
    /// drop_levels  levels at the bottom, leaves included, that are not kept: the tree takes 2^drop_levels times less memory, and
    ///         proofs need the leaves again. At most the tree's height.
    /// errors  as build_tree, and out_of_memory
    explicit MerkleTree(std::span<const Digest> leaves, const TreeForm& form = {}, const RunOptions& options = {},
                        unsigned drop_levels = 0);

    /// leaves  [n] digests on a device; copied there. options.device is not looked at.
    explicit MerkleTree(const Buffer& leaves, const TreeForm& form = {}, const RunOptions& options = {},
                        unsigned drop_levels = 0);

    /// Leaf k is the digest of row k by hash_leaves(): the rows are hashed where they lie and merged, in one pass.
    /// rows  n_rows rows of equal length, one after another: bytes, or words of field hashes
    static MerkleTree from_rows(std::span<const std::byte> rows, std::uint64_t n_rows, const TreeForm& form = {},
                                const RunOptions& options = {});
    static MerkleTree from_rows(const Buffer& rows, std::uint64_t n_rows, const TreeForm& form = {},
                                const RunOptions& options = {});

    /// The tree over a regular file, by every hash, rule and mode; form.mode is for leaves and merges alike. The file is read once, by
    /// all threads or for the device, and not held.
    /// errors  io (also what is no regular file, or changes its size); invalid_argument (as TreeInput says; a count of leaves that the
    ///         rule does not take); out_of_memory, before anything is read, if the tree is larger than the machine's memory
    static MerkleTree from_file(const TreeInput& input, const TreeForm& form = {}, const RunOptions& options = {});

    MerkleTree(MerkleTree&&) noexcept;
    MerkleTree& operator=(MerkleTree&&) noexcept;
    ~MerkleTree();

    const TreeForm& form() const noexcept;
    Hash hash() const noexcept { return form().hash; }
    std::uint64_t n_leaves() const noexcept;
    /// Levels above the leaves.
    unsigned height() const noexcept;
    unsigned drop_levels() const noexcept;
    const Digest& root() const noexcept;
    /// What from_file() read; nothing otherwise, and after append(), whose leaves may come from anywhere.
    const LeafSource& source() const noexcept;

    /// All slots in heap order: heap_slots(n) of them, slots of no node zeros. With dropped levels: those of the lowest level that
    /// is kept, as if its nodes were leaves. Of a tree on a device, the first call copies them to the host.
    /// What nodes() and level() gave is invalid after append(), which may move the nodes, and of a tree on a device after update(),
    /// too; on the host update() changes what they show.
    /// errors  out_of_memory
    std::span<const Digest> nodes() const;
    /// The nodes of a level, ceil(n / 2^level) of them; 0 = leaves.  errors  invalid_argument (above the root, or dropped)
    std::span<const Digest> level(unsigned level) const;
    /// Whether the nodes are in the memory of device(); then device_nodes() is all slots there, and device_level() a level.
    bool on_device() const noexcept;
    /// errors  invalid_argument (the nodes are on the host)
    Buffer device_nodes() const;
    Buffer device_level(unsigned level) const;
    /// The level at `height` levels below the root, left to right, for a perfect tree 2^height nodes; cap(0) is the root. Only they
    /// leave the device.  errors  invalid_argument (below the leaves, or dropped)
    std::vector<Digest> cap(unsigned height) const;

    /// Proofs, made on the device: only they leave it. `leaves`: of a tree with dropped levels all its leaves, from which the paths
    /// below are computed again; else nothing.
    /// errors  invalid_argument (index >= n; leaves missing, or not those of the tree, or given to a tree that has them)
    MerkleProof prove(std::uint64_t index, std::span<const Digest> leaves = {}) const;
    /// One proof an index, in order; any count, repeats allowed.
    std::vector<MerkleProof> prove(std::span<const std::uint64_t> indices, std::span<const Digest> leaves = {}) const;
    /// One proof for all: indices in any order, no one twice, at least one.
    MultiProof prove_together(std::span<const std::uint64_t> indices, std::span<const Digest> leaves = {}) const;
    /// That of leaves first .. last-1.
    MultiProof prove_range(std::uint64_t first, std::uint64_t last, std::span<const Digest> leaves = {}) const;
    /// Rule left_full.  errors  invalid_argument (old_leaves 0 or above n; another rule; dropped levels that it needs)
    ConsistencyProof prove_consistency(std::uint64_t old_leaves) const;

    /// Replaces leaves and re-hashes the paths above them, one pass a level. Runs on the tree's device; options.device is not looked
    /// at. After Error(cancelled), or an exception of the progress function, the tree is as before: the old leaves are put back and
    /// their paths hashed again, which takes as long as what was done.
    /// indices, leaves  of equal count; no index twice
    /// errors  invalid_argument (index >= n, an index twice, a word >= p, dropped levels)
    /// cost    a merge a node above a changed leaf
    void update(std::span<const std::uint64_t> indices, std::span<const Digest> leaves, const RunOptions& options = {});
    /// Adds leaves at the end. Rule left_full. Runs and is cancelled as update(). What nodes(), level(), device_nodes() and
    /// device_level() gave before is invalid.
    /// cost    a merge a node that changes; the memory grows by a quarter at least, so that small pieces cost no copy each
    void append(std::span<const Digest> leaves, const RunOptions& options = {});

    const DeviceInfo& device() const noexcept;
    const Policy& policy() const noexcept;

private:
    struct State;
    explicit MerkleTree(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// Many small trees of one form and size, built by the same launches as one large one.
class MerkleForest {
public:
    /// leaves    [n_trees, n] digests, tree after tree; copied
    /// n_leaves  leaves of each tree, a power of two: so all rules are one
    /// errors    as MerkleTree; invalid_argument (n_leaves, or a count of digests that is no multiple of it)
    MerkleForest(std::span<const Digest> leaves, std::uint64_t n_leaves, const TreeForm& form = {},
                 const RunOptions& options = {});
    MerkleForest(const Buffer& leaves, std::uint64_t n_leaves, const TreeForm& form = {},
                 const RunOptions& options = {});
    MerkleForest(MerkleForest&&) noexcept;
    MerkleForest& operator=(MerkleForest&&) noexcept;
    ~MerkleForest();

    const TreeForm& form() const noexcept;
    std::uint64_t n_trees() const noexcept;
    std::uint64_t n_leaves() const noexcept;
    unsigned height() const noexcept;
    /// [n_trees] digests.
    std::vector<Digest> roots() const;
    /// [n_trees, n >> level] digests of a level of all trees; those of a device are copied to the host by the first call.
    std::span<const Digest> level(unsigned level) const;
    bool on_device() const noexcept;
    Buffer device_level(unsigned level) const;
    MerkleProof prove(std::uint64_t tree, std::uint64_t index) const;

    const DeviceInfo& device() const noexcept;
    const Policy& policy() const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace merklize
