#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include <merklize/buffer.hpp>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>
#include <merklize/hash.hpp>
#include <merklize/policy.hpp>
#include <merklize/proof.hpp>

namespace merklize {

namespace runtime {
class Run;
}

/// Builds all parents of a binary Merkle tree in the caller's memory.
/// nodes    [2n] digests in heap order: root at 1, children of i at 2i and 2i+1, leaf k at n+k. The caller fills the leaves; slots
///          1 .. n-1 are written, slot 0 is set to zeros.
/// returns  the policy used
/// errors   invalid_argument (n not a power of two >= 2; for field hashes a leaf word >= p), cancelled (parents undefined)
/// cost     n-1 merges
TreePolicy build_tree(std::span<Digest> nodes, Hash hash = Hash::blake3, const TreePolicy& policy = {},
                      const RunOptions& options = {});

/// The same in the memory of a device: nodes is [2n] digests there, on 32 bytes; options.device is not looked at.
/// order    after what is enqueued on options.stream; complete when it returns
TreePolicy build_tree(const Buffer& nodes, Hash hash = Hash::blake3, const TreePolicy& policy = {},
                      const RunOptions& options = {});

/// The root alone, of n leaves, n a power of two >= 1 (the root of one leaf is the leaf).
/// errors  as build_tree, and out_of_memory
/// cost    n-1 merges; 32 n bytes of working memory, at most 256 MiB of it on a device for leaves on the host
Digest merkle_root(std::span<const Digest> leaves, Hash hash = Hash::blake3, const TreePolicy& policy = {},
                   const RunOptions& options = {});
Digest merkle_root(const Buffer& leaves, Hash hash = Hash::blake3, const TreePolicy& policy = {},
                   const RunOptions& options = {});

/// The root of leaves that lie in several buffers, which may be on several devices: each has the leaves of one subtree, and all
/// devices work at once, by one host thread each.
/// leaves  2^k buffers of equal counts of leaves, a power of two
/// order   complete when it returns. There is no common stream: what wrote the leaves must have ended
/// errors  invalid_argument (counts; a stream), and those of merkle_root()
Digest merkle_root_parts(std::span<const Buffer> leaves, Hash hash = Hash::blake3, const TreePolicy& policy = {},
                         const RunOptions& options = {});

/// A whole Merkle tree: n leaves and n-1 parents, 64 n bytes. They are in the memory of the device that built it, or on the host
/// where that is the same memory (the CPU) or they do not fit. Immutable, so safe to read from any thread.
class MerkleTree {
public:
    /// leaves  n digests, n a power of two >= 2; copied.
    /// errors  as build_tree, and out_of_memory
    explicit MerkleTree(std::span<const Digest> leaves, Hash hash = Hash::blake3, const TreePolicy& policy = {},
                        const RunOptions& options = {});

    /// leaves  [n] digests on a device; copied there. options.device is not looked at.
    explicit MerkleTree(const Buffer& leaves, Hash hash = Hash::blake3, const TreePolicy& policy = {},
                        const RunOptions& options = {});

    /// Leaf k = BLAKE3 of bytes [k leaf_bytes, (k+1) leaf_bytes) of the file (the last one may be shorter); parents by
    /// `blake3`. The file is read once, by all threads, and not held.
    /// errors  io; invalid_argument (leaf_bytes 0; a file whose count of leaves is not a power of two >= 2)
    static MerkleTree from_file(const std::filesystem::path& path, std::uint64_t leaf_bytes,
                                const TreePolicy& policy = {}, const RunOptions& options = {});

    MerkleTree(MerkleTree&&) noexcept;
    MerkleTree& operator=(MerkleTree&&) noexcept;
    ~MerkleTree();

    Hash hash() const noexcept { return hash_; }
    std::uint64_t n_leaves() const noexcept { return n_leaves_; }
    const Digest& root() const noexcept { return root_; }
    /// All 2n slots in heap order; slot 0 is zeros. Of a tree on a device, the first call copies them to the host.
    /// errors  out_of_memory
    std::span<const Digest> nodes() const;
    /// Whether the nodes are in the memory of device(); then device_nodes() is all 2n slots there.
    bool on_device() const noexcept;
    /// errors  invalid_argument (the nodes are on the host)
    Buffer device_nodes() const;
    /// The 2^height nodes at `height` levels below the root, left to right; cap(0) is the root. Only they leave the device.
    /// errors  invalid_argument (2^height > n)
    std::vector<Digest> cap(unsigned height) const;
    /// On a device the paths are gathered there; only they leave it.
    /// errors  invalid_argument (index >= n)
    MerkleProof prove(std::uint64_t index) const;
    /// One proof an index, in order; any count, repeats allowed.
    std::vector<MerkleProof> prove(std::span<const std::uint64_t> indices) const;

    const DeviceInfo& device() const noexcept { return device_.info(); }
    const TreePolicy& policy() const noexcept { return policy_; }

private:
    MerkleTree(std::uint64_t n_leaves, Hash hash, const Device& device);
    void make_nodes();
    void build_parents(const TreePolicy& policy, runtime::Run& run, double share);

    struct Nodes;
    std::unique_ptr<Nodes> nodes_;
    std::uint64_t n_leaves_;
    Hash hash_;
    Digest root_{};
    TreePolicy policy_;
    Device device_;
};

}  // namespace merklize
