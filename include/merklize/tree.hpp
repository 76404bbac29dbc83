#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include <merklize/device.hpp>
#include <merklize/digest.hpp>
#include <merklize/hash.hpp>
#include <merklize/policy.hpp>
#include <merklize/proof.hpp>

namespace merklize {

/// Builds all parents of a binary Merkle tree in the caller's memory.
/// nodes    [2n] digests in heap order: root at 1, children of i at 2i and 2i+1, leaf k at n+k. The caller fills the leaves; slots
///          1 .. n-1 are written, slot 0 is set to zeros.
/// returns  the policy used
/// errors   invalid_argument (n not a power of two >= 2; for field hashes a leaf word >= p), cancelled (parents undefined)
/// cost     n-1 merges
TreePolicy build_tree(std::span<Digest> nodes, Hash hash = Hash::blake3, const TreePolicy& policy = {},
                      const RunOptions& options = {});

/// A whole Merkle tree: n leaves and n-1 parents, 64 n bytes of host memory. Immutable, so safe to read from any thread.
class MerkleTree {
public:
    /// leaves  n digests, n a power of two >= 2; copied.
    /// errors  as build_tree, and out_of_memory
    explicit MerkleTree(std::span<const Digest> leaves, Hash hash = Hash::blake3, const TreePolicy& policy = {},
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
    const Digest& root() const noexcept { return nodes()[1]; }
    /// All 2n slots in heap order; slot 0 is zeros.
    std::span<const Digest> nodes() const noexcept;
    /// The 2^height nodes at `height` levels below the root, left to right; cap(0) is the root.
    /// errors  invalid_argument (2^height > n)
    std::span<const Digest> cap(unsigned height) const;
    /// errors  invalid_argument (index >= n)
    MerkleProof prove(std::uint64_t index) const;

    const DeviceInfo& device() const noexcept { return device_.info(); }
    const TreePolicy& policy() const noexcept { return policy_; }

private:
    MerkleTree(std::uint64_t n_leaves, Hash hash, const Device& device);

    struct Nodes;
    std::unique_ptr<Nodes> nodes_;
    std::uint64_t n_leaves_;
    Hash hash_;
    TreePolicy policy_;
    Device device_;
};

}  // namespace merklize
