#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merklize/matrix_commitment.hpp"

namespace merklize::runtime {

/// The layers of a commitment, from the leaves to the root: pure data. The rule is Plonky3's (docs/formats.md).
struct CommitmentPlan {
    struct Layer {
        std::uint64_t first = 0;              ///< slot of its first node, if it is kept
        std::uint64_t nodes = 0;              ///< nodes that are computed; zeros follow them
        std::uint64_t length = 0;             ///< nodes with the zeros
        unsigned step = 0;                    ///< nodes that have one parent; 0: the root
        std::vector<std::size_t> matrices{};  ///< matrices whose rows are hashed into this layer
    };

    std::vector<Layer> layers{};
    unsigned arity = 2;
    unsigned drop_levels = 0;  ///< number of lowest layers without slots
    std::uint64_t slots = 0;
    std::uint64_t n_leaves = 0;      ///< rows of the tallest matrix
    std::vector<unsigned> shifts{};  ///< for each matrix; leaf i opens its row i >> shift
    unsigned cap_layer = 0;
    std::uint64_t cap_size = 0;

    /// The number of siblings of one opening.
    std::size_t path_length() const noexcept;
    /// Nodes of a layer, at most drop_levels, below a node of the lowest kept one.
    std::uint64_t block_size(unsigned layer) const noexcept;
};

/// A node by its layer and its number there.
struct LayerNode {
    unsigned layer = 0;
    std::uint64_t number = 0;
};

/// errors  invalid_argument (no matrix, no rows, heights that the rule does not take, an arity other than 2 and 4, a
///         hash without merges of that arity, a cap above the root, drop_levels above the cap)
CommitmentPlan plan_commitment(std::span<const MatrixDims> dims, const CommitmentForm& form, unsigned drop_levels = 0);

/// The nodes below `count` nodes of the lowest kept layer, and these nodes: a plan with slots for all of them. Row 0 of
/// a matrix in it is the row of the commitment below node `first`.
CommitmentPlan plan_blocks(const CommitmentPlan& plan, std::uint64_t first, std::uint64_t count);

/// The siblings that the verifier of these leaves cannot compute, layer by layer, left to right.
/// positions  ascending and distinct
std::vector<LayerNode> opening_nodes(const CommitmentPlan& plan, std::span<const std::uint64_t> positions);

}  // namespace merklize::runtime
