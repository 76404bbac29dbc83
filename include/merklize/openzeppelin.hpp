#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/bytes.hpp>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>

/// Trees of OpenZeppelin's @openzeppelin/merkle-tree, which Solidity's MerkleProof verifies. docs/formats.md has the
/// rule.
namespace merklize::inline v0 {

/// The leaf of a standard tree: Keccak-256 of Keccak-256 of these bytes, which are abi.encode(value). Because a leaf is
/// hashed twice, no inner node can pose as a leaf.
MERKLIZE_API Digest openzeppelin_leaf(ByteView abi_encoded);
/// The same of many values, those of one length side by side.
/// errors  invalid_argument (timings)
/// cost    copies each value once
MERKLIZE_API std::vector<Digest> openzeppelin_leaves(std::span<const std::span<const std::byte>> abi_encoded,
                                                     const RunOptions& options = {});

/// A proof of several leaves, for Solidity's MerkleProof.multiProofVerify().
struct OpenZeppelinMultiProof {
    std::vector<Digest> leaves{};  ///< in the order that the verifier needs
    std::vector<Digest> proof{};
    std::vector<bool> flags{};  ///< proofFlags
};

/// A tree of 2n - 1 nodes over n leaves, any n from 1 on. Pairs are sorted, so proofs carry no directions. Leaves are
/// named by their index in the order in which they were given. In a standard tree a leaf is openzeppelin_leaf(); in a
/// simple tree it is any 32 bytes, which must be the hash of something that is not 64 bytes long.
class MERKLIZE_API OpenZeppelinTree {
public:
    /// leaves       host memory, copied
    /// sort_leaves  the package's default; false keeps their order
    /// errors       invalid_argument (no leaves; timings)
    /// cost         n - 1 merges on options.device
    explicit OpenZeppelinTree(std::span<const Digest> leaves, bool sort_leaves = true, const RunOptions& options = {});
    /// The tree of a dump, with each leaf at the place that the dump states. A dump is right if nodes() are its `tree`.
    /// tree_indices  `treeIndex` of each leaf
    /// errors        invalid_argument (no leaves; tree_indices that are not n - 1 to 2n - 2, each once; timings)
    OpenZeppelinTree(std::span<const Digest> leaves, std::span<const std::uint64_t> tree_indices,
                     const RunOptions& options = {});

    std::uint64_t n_leaves() const noexcept { return slots_.size(); }
    const Digest& root() const noexcept { return nodes_[1]; }
    /// All 2n - 1 nodes in the package's order, the root first: `tree` of its dump. Valid as long as this object.
    std::span<const Digest> nodes() const noexcept { return std::span(nodes_).subspan(1); }
    /// The place of a leaf among nodes(): `treeIndex` of its dump.
    /// errors  invalid_argument (index)
    std::uint64_t tree_index(std::uint64_t index) const;
    /// Siblings from the leaf up, as getProof() gives them.
    /// errors  invalid_argument (index)
    std::vector<Digest> prove(std::uint64_t index) const;
    /// As getMultiProof() gives it.
    /// errors  invalid_argument (an index that no leaf has, or an index twice)
    OpenZeppelinMultiProof prove_together(std::span<const std::uint64_t> indices) const;

private:
    void build(std::span<const Digest> leaves, const RunOptions& options);

    std::vector<Digest> nodes_;         // a heap: the root at 1
    std::vector<std::uint64_t> slots_;  // of each leaf
};

/// Whether the proof leads from the leaf to the root, as Solidity's MerkleProof.verify().
MERKLIZE_API bool verify_openzeppelin(std::span<const Digest> proof, const Digest& root, const Digest& leaf) noexcept;

}  // namespace merklize::inline v0
