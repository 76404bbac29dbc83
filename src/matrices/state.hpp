#pragma once

#include <vector>

#include "calls/run.hpp"
#include "host/host_block.hpp"
#include "levels/node_store.hpp"
#include "matrices/input.hpp"
#include "matrices/plan.hpp"
#include "merklize/matrix_commitment.hpp"

namespace merklize::inline v0 {

struct MERKLIZE_LOCAL MatrixCommitment::State {
    State(const CommitmentForm& of, std::vector<MatrixDims> matrices, runtime::CommitmentPlan layers, const Device& on)
        : form(of), dims(std::move(matrices)), plan(std::move(layers)), device(on), nodes(on, plan.slots) {}

    CommitmentForm form;
    std::vector<MatrixDims> dims;
    runtime::CommitmentPlan plan;
    Device device;
    runtime::NodeStore nodes;
    std::vector<Digest> cap{};
    std::vector<Matrix> kept{};  ///< views of `blocks`, of the library's buffers or of the caller's
    std::vector<runtime::HostBlock> blocks{};

    /// A copy of a host matrix, for `kept`, in the memory that has the nodes.
    Matrix copy_of(const Matrix& matrix, const runtime::MatrixAt& at, runtime::Run& run);
    /// Nodes from where they are kept; those of dropped layers are made again from rows of the kept matrices or of the
    /// given ones.
    std::vector<Digest> read_nodes(std::span<const runtime::LayerNode> which, std::span<const Matrix> given) const;
    /// The rows of each index, one after another, from the kept matrices or from the given ones.
    std::vector<std::byte> rows_of(std::span<const std::uint64_t> indices, std::span<const Matrix> given) const;

    /// Whether the siblings prove these rows; those of a matrix that is hashed into a layer above the cap are not
    /// looked at.
    bool holds(std::span<const std::uint64_t> indices, std::span<const std::byte> rows,
               std::span<const Digest> siblings) const;

private:
    std::span<const Matrix> matrices_of(std::span<const Matrix> given) const {
        return kept.empty() ? given : std::span<const Matrix>(kept);
    }
    std::vector<Digest> read_kept(std::span<const std::uint64_t> slots) const;
    runtime::MatrixInput read_again(std::span<const Matrix> matrices) const;
    /// errors  invalid_argument (rows that do not make the kept nodes above them)
    void make_again(std::span<const runtime::LayerNode> which, std::span<const std::size_t> dropped,
                    const runtime::MatrixInput& input, std::span<Digest> out) const;
};

}  // namespace merklize::inline v0
