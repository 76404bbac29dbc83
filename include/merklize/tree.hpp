#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <vector>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/buffer.hpp>
#include <merklize/bytes.hpp>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>
#include <merklize/hash.hpp>
#include <merklize/hash_each.hpp>
#include <merklize/proof.hpp>
#include <merklize/tree_form.hpp>
#include <merklize/tree_input.hpp>

namespace merklize::runtime {
class Run;
struct TreeLayout;
}  // namespace merklize::runtime

namespace merklize::inline v0 {

/// Number of slots that a tree of n leaves takes in heap order: 2^h + n, where h = ceil(log2 n). That is 2n for a power
/// of two.
/// errors  invalid_argument (n = 0), out_of_memory (n is too large)
MERKLIZE_API std::uint64_t heap_slots(std::uint64_t n_leaves);

/// Builds all parents of a Merkle tree in the caller's memory.
/// nodes    [heap_slots(n)] digests in heap order: root at 1, children of i at 2i and 2i+1, leaf k at 2^h+k. The caller
///          must fill the leaves. All other slots are written; a slot without a node becomes zeros.
/// returns  the policy used
/// errors   invalid_argument (a number of slots that fits no n; n not a power of two under the rule perfect; a mode
///          with a hash other than blake3; a field hash with a word >= p), cancelled (parents are undefined)
/// cost     n-1 merges, and at most log2 n more for odd nodes
MERKLIZE_API Policy build_tree(std::span<Digest> nodes, const TreeForm& form = {}, const RunOptions& options = {});

/// The same in the memory of a device, where `nodes` must be aligned to 32 bytes. options.device is ignored.
/// order    begins after what is enqueued on options.stream; complete when it returns
MERKLIZE_API Policy build_tree(Buffer nodes, const TreeForm& form = {}, const RunOptions& options = {});

/// Only the root of n >= 1 leaves, or of none where MerkleTree takes none. The root of one leaf is the leaf.
/// errors  as build_tree(), and out_of_memory
/// cost    n-1 merges, and at most log2 n more for odd nodes. Working memory: 32 bytes a leaf, n rounded up to a power
///         of two; for leaves on the host, at most 256 MiB on a device
MERKLIZE_API Digest merkle_root(std::span<const Digest> leaves, const TreeForm& form = {},
                                const RunOptions& options = {});
MERKLIZE_API Digest merkle_root(const ConstBuffer& leaves, const TreeForm& form = {}, const RunOptions& options = {});

/// The root of the tree over an input. It reads the input once and takes about 64 MiB of memory. All threads read and
/// hash, or they read for the device.
/// errors  as MerkleTree::from_file(), but an input that can only be read in order, such as a pipe, is accepted, and a
///         large tree does not run out of memory
MERKLIZE_API TreeFacts merkle_root_file(const TreeInput& input, const TreeForm& form = {},
                                        const RunOptions& options = {});

/// The root of leaves that lie in several buffers, which may be on several devices. Each buffer has the leaves of one
/// subtree. All devices work at once, with one host thread each.
/// leaves  2^k buffers; each must have the same number of leaves, a power of two
/// order   complete when it returns. There is no common stream: whatever wrote the leaves must have ended.
/// errors  invalid_argument (counts; a stream), and the errors of merkle_root()
MERKLIZE_API Digest merkle_root_parts(std::span<const ConstBuffer> leaves, const TreeForm& form = {},
                                      const RunOptions& options = {});

/// A Merkle tree with its nodes: the leaves and all levels above them, 32 bytes a node. The nodes are in the memory of
/// the device that built the tree. They are on the host if the device is the CPU or if they do not fit on the device.
/// Any number of threads may read a tree, but nothing else may run on it during update() or append().
class MERKLIZE_API MerkleTree {
public:
    /// leaves  n >= 1 digests; copied. Or none, for the hash sha256_rfc6962 and the rule left_full: RFC 6962's empty
    ///         tree, whose root is SHA-256 of nothing. It has one level of no nodes, no proofs, and can be appended to
    ///         and saved
    /// drop_levels  number of levels at the bottom, leaves included, that are not kept: the tree takes 2^drop_levels
    ///              times less
    ///         memory, but proofs need the leaves again. At most the tree's height.
    /// errors  as build_tree(), and out_of_memory
    explicit MerkleTree(std::span<const Digest> leaves, const TreeForm& form = {}, const RunOptions& options = {},
                        unsigned drop_levels = 0);

    /// leaves  [n] digests on a device; copied there. options.device is ignored.
    explicit MerkleTree(const ConstBuffer& leaves, const TreeForm& form = {}, const RunOptions& options = {},
                        unsigned drop_levels = 0);

    /// Leaf k is the digest of message k, of any length, as hash_leaves() gives it: RFC 6962's with its prefix. BLAKE3
    /// hashes each message where it lies, by form.mode; the other hashes take the messages of one length side by side.
    /// errors  as hash_each(), hash_leaves() and build_tree()
    /// cost    of a hash other than blake3, a copy of each message
    static MerkleTree from_messages(std::span<const MessageView> messages, const TreeForm& form = {},
                                    const RunOptions& options = {});
    /// The same of any range of messages, such as std::vector<std::string>.
    template <std::ranges::input_range Messages>
        requires std::convertible_to<std::ranges::range_reference_t<Messages>, MessageView> &&
                 (!std::convertible_to<Messages, std::span<const MessageView>>)
    static MerkleTree from_messages(const Messages& messages, const TreeForm& form = {},
                                    const RunOptions& options = {}) {
        const std::vector<MessageView> views(std::ranges::begin(messages), std::ranges::end(messages));
        return from_messages(std::span<const MessageView>(views), form, options);
    }

    /// Leaf k is the digest of row k by hash_leaves(). The rows are hashed where they lie and merged in the same pass.
    /// rows  n_rows rows of equal length, one after another: bytes, or words for a field hash
    static MerkleTree from_rows(ByteView rows, std::uint64_t n_rows, const TreeForm& form = {},
                                const RunOptions& options = {});
    static MerkleTree from_rows(const ConstBuffer& rows, std::uint64_t n_rows, const TreeForm& form = {},
                                const RunOptions& options = {});

    /// The tree over a regular file or block device, by any hash, rule and mode. form.mode applies to leaves and
    /// merges. The file is read once, by all threads or for the device, and is not kept in memory.
    /// errors  io (also if it can only be read in order, or changes its size); invalid_argument (as TreeInput says; a
    ///         number of leaves that the rule does not allow); out_of_memory, before anything is read, if the tree is
    ///         larger than the machine's memory
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
    /// What from_file() read. Empty for any other tree, and after append(), because its leaves may come from anywhere.
    const LeafSource& source() const noexcept;

    /// All slots in heap order, heap_slots(n) of them; a slot without a node is zeros. With dropped levels, the lowest
    /// level that is kept counts as the leaves. If the tree is on a device, the first call copies the slots to the
    /// host. append() invalidates the spans that nodes() and level() gave, because it may move the nodes. update()
    /// invalidates them too if the tree is on a device; on the host the spans then show the new nodes.
    /// errors  out_of_memory
    std::span<const Digest> nodes() const;
    /// The nodes of a level, ceil(n / 2^level) of them. Level 0 is the leaves.
    /// errors  invalid_argument (a level above the root, or dropped)
    std::span<const Digest> level(unsigned level) const;
    /// Whether the nodes are in the memory of device(). If so, device_nodes() gives all slots there, and device_level()
    /// one level.
    bool on_device() const noexcept;
    /// errors  invalid_argument (the nodes are on the host)
    ConstBuffer device_nodes() const;
    /// errors  as device_nodes() and level()
    ConstBuffer device_level(unsigned level) const;
    /// The nodes `height` levels below the root, left to right: 2^height nodes in a perfect tree. cap(0) is the root.
    /// Only these nodes are copied from the device.
    /// errors  invalid_argument (a level below the leaves, or dropped)
    std::vector<Digest> cap(unsigned height) const;

    /// Makes a proof on the device; only the proof is copied from it.
    /// leaves  for a tree with dropped levels: all its leaves, from which the dropped parts of the paths are computed
    ///         again. Otherwise empty.
    /// errors  invalid_argument (index >= n; leaves missing, or different from the tree's, or given to a tree that has
    ///         them)
    MerkleProof prove(std::uint64_t index, std::span<const Digest> leaves = {}) const;
    /// One proof for each index, in order. Any number of indices; repeats are allowed.
    std::vector<MerkleProof> prove(std::span<const std::uint64_t> indices, std::span<const Digest> leaves = {}) const;
    /// One proof for all indices: at least one, in any order, no index twice.
    MultiProof prove_together(std::span<const std::uint64_t> indices, std::span<const Digest> leaves = {}) const;
    /// The same for leaves first .. last-1.
    MultiProof prove_range(std::uint64_t first, std::uint64_t last, std::span<const Digest> leaves = {}) const;
    /// Only for the rule left_full.
    /// errors  invalid_argument (old_leaves is 0 or above n; another rule; it needs dropped levels)
    ConsistencyProof prove_consistency(std::uint64_t old_leaves) const;

    /// Replaces leaves and hashes the paths above them again, one pass a level. Runs on the tree's device;
    /// options.device is ignored. After Error(cancelled) or an exception from the progress function the tree is as
    /// before: the old leaves are put back and their paths hashed again, which takes as long as the work that is
    /// undone.
    /// indices, leaves  equal counts; no index twice. The leaves may be the tree's own nodes: all are read first
    /// errors  invalid_argument (index >= n, an index twice, a word >= p, dropped levels)
    /// cost    one merge for each node above a changed leaf
    void update(std::span<const std::uint64_t> indices, std::span<const Digest> leaves, const RunOptions& options = {});
    /// Adds leaves at the end, which may be the tree's own nodes. Only for the rule left_full. Runs and is cancelled
    /// like update(). It invalidates what nodes(), level(), device_nodes() and device_level() gave before.
    /// cost    one merge for each node that changes. The memory grows by at least a quarter, so that not every small
    ///         piece costs a copy.
    void append(std::span<const Digest> leaves, const RunOptions& options = {});

    const DeviceInfo& device() const noexcept;
    const Policy& policy() const noexcept;

private:
    struct State;
    explicit MerkleTree(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// Many small trees of one form and size, built by the same launches as one large tree.
class MERKLIZE_API MerkleForest {
public:
    /// leaves    [n_trees, n] digests, tree after tree; copied
    /// n_leaves  leaves of each tree; must be a power of two, for which all rules agree
    /// errors    as MerkleTree; invalid_argument (n_leaves; a number of digests that is not a multiple of it)
    MerkleForest(std::span<const Digest> leaves, std::uint64_t n_leaves, const TreeForm& form = {},
                 const RunOptions& options = {});
    MerkleForest(const ConstBuffer& leaves, std::uint64_t n_leaves, const TreeForm& form = {},
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
    /// [n_trees, n >> level] digests: one level of all trees. If they are on a device, the first call copies them to
    /// the host.
    std::span<const Digest> level(unsigned level) const;
    bool on_device() const noexcept;
    ConstBuffer device_level(unsigned level) const;
    MerkleProof prove(std::uint64_t tree, std::uint64_t index) const;

    const DeviceInfo& device() const noexcept;
    const Policy& policy() const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace merklize::inline v0
