#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>
#include <merklize/hash.hpp>
#include <merklize/matrix.hpp>

namespace merklize::inline v0 {

/// All that defines a commitment besides the matrices: the rule `plonky3` (docs/formats.md).
struct CommitmentForm {
    Hash hash = Hash::blake3;
    /// Children of a node: 2, or 4 for hashes that have a merge of four; one of poseidon2() has it if it was made with
    /// a quad.
    unsigned arity = 2;
    /// Layers between the cap and the root; 0: the cap is the root.
    unsigned cap_height = 0;
    /// As in RowForm.
    std::uint32_t montgomery = 0;
    /// Bytes of a word: 1, 4, 8 or 16. 0: as the field hash, or the matrices, have them. For verify() with a hash of
    /// bytes, 0 means 1, or 4 with `montgomery`.
    unsigned word_bytes = 0;

    CommitmentForm(Hash of = Hash::blake3, unsigned children = 2, unsigned cap = 0, std::uint32_t p = 0)  // NOLINT
        : hash(of), arity(children), cap_height(cap), montgomery(p) {}
};

struct MatrixDims {
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    bool operator==(const MatrixDims&) const = default;
};

/// One row of each matrix, with the siblings that prove the rows to be in a commitment. Only verify() tells whether
/// they do.
struct MatrixOpening {
    std::uint64_t index = 0;  ///< of the leaf: below the rows of the tallest matrix
    /// The rows of all matrices one after another, in the order of the matrices. A matrix with fewer rows than the
    /// tallest one gives row `index >> (log2 of the tallest's rows - log2 of its own)`, both rounded up.
    std::vector<std::byte> rows{};
    /// For each layer below the cap, from the leaves on, the other children of the group, left to right.
    std::vector<Digest> siblings{};

    bool operator==(const MatrixOpening&) const = default;
};

/// Several openings as one. Each digest that the verifier cannot compute is there once.
struct MatrixMultiOpening {
    std::vector<std::uint64_t> indices{};  ///< ascending and distinct
    std::vector<std::byte> rows{};         ///< those of each index, one after another
    /// Layer by layer, from the leaves on, left to right.
    std::vector<Digest> siblings{};

    bool operator==(const MatrixMultiOpening&) const = default;
};

/// A Merkle tree over the rows of several matrices of different heights. The rows of the tallest ones are the leaves;
/// rows of a lower one are hashed into the layer that has about as many nodes. The nodes stay in the memory of the
/// device that made them, or on the host if that is the CPU or they do not fit. A single matrix of 2^k rows has the
/// root of MerkleTree::from_rows().
///
/// Any number of threads may read one.
class MERKLIZE_API MatrixCommitment {
public:
    /// matrices  at least one, as hash_rows() takes them, but of different heights: with h rows of the tallest one,
    ///           every height must be ceil(h / 2^k) for some k
    /// keep      keeps the matrices for open(): those on the host as copies in the memory of the device, those on a
    ///           device as handles, so that their words must not change
    /// drop_levels  the nodes of so many lowest layers are not kept: 2^-drop_levels of the memory, with arity 2.
    ///              Openings make theirs
    ///           again, each from the 2^drop_levels rows around its own
    /// errors    invalid_argument (heights, sizes, a hash without merges of four, a cap below the leaves, dropped
    ///           layers above the cap; a word that is not below the modulus, with its place), out_of_memory, cancelled
    explicit MatrixCommitment(std::span<const Matrix> matrices, const CommitmentForm& form = {},
                              const RunOptions& options = {}, bool keep = false, unsigned drop_levels = 0);
    MatrixCommitment(MatrixCommitment&&) noexcept;
    MatrixCommitment& operator=(MatrixCommitment&&) noexcept;
    ~MatrixCommitment();

    /// Its word_bytes is not 0.
    const CommitmentForm& form() const noexcept;
    std::span<const MatrixDims> dims() const noexcept;
    /// Rows of the tallest matrix.
    std::uint64_t n_leaves() const noexcept;
    /// Layers above the leaves.
    unsigned height() const noexcept;
    /// The commitment: arity^cap_height digests, or fewer if layers near the root have steps of 2. The root alone for
    /// cap_height 0.
    std::span<const Digest> cap() const noexcept;
    const DeviceInfo& device() const noexcept;
    bool on_device() const noexcept;
    bool keeps_matrices() const noexcept;
    unsigned drop_levels() const noexcept;
    /// Siblings of an opening: the same number for each index.
    std::size_t path_length() const noexcept;

    /// matrices  those of the commitment, unless it keeps them. An opening of given matrices is verified before it is
    ///           returned: rows that are not the commitment's are refused. The rows of a matrix above the cap, which no
    ///           opening proves, are not compared
    /// errors    invalid_argument (index >= n_leaves(); matrices missing, of another shape, or with other rows)
    MatrixOpening open(std::uint64_t index, std::span<const Matrix> matrices = {}) const;
    /// One opening for each index, in order; repeats are allowed. All of them come from a device at once.
    std::vector<MatrixOpening> open(std::span<const std::uint64_t> indices,
                                    std::span<const Matrix> matrices = {}) const;
    /// indices  at least one, in any order, no index twice
    MatrixMultiOpening open_together(std::span<const std::uint64_t> indices,
                                     std::span<const Matrix> matrices = {}) const;
    /// The siblings alone, for callers that have the rows: [indices.size(), path_length()], and those of
    /// open_together(). They need the matrices, in any form of elements, only if layers are dropped and matrices not
    /// kept. Then the rows around each dropped node that is made again are compared with the kept nodes, and no other
    /// rows.
    std::vector<Digest> siblings(std::span<const std::uint64_t> indices, std::span<const Matrix> matrices = {}) const;
    std::vector<Digest> siblings_together(std::span<const std::uint64_t> indices,
                                          std::span<const Matrix> matrices = {}) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Whether an opening shows that its rows are in the commitment. Needs no device. An opening or a cap that is malformed
/// does not verify: counts that do not fit, an index out of range, words that are no field elements.
/// cap     as MatrixCommitment::cap()
/// dims    what the verifier knows of the matrices, in their order
/// errors  invalid_argument (dims or a form that no commitment has; a matrix that is hashed into a layer above the cap:
///         as in Plonky3, a commitment to it can be made, but no opening proves its rows)
MERKLIZE_API bool verify(const MatrixOpening& opening, std::span<const Digest> cap, std::span<const MatrixDims> dims,
                         const CommitmentForm& form);
MERKLIZE_API bool verify(const MatrixMultiOpening& opening, std::span<const Digest> cap,
                         std::span<const MatrixDims> dims, const CommitmentForm& form);

}  // namespace merklize::inline v0
