// Openings of a commitment: nodes and rows are gathered where they are.
#include <algorithm>
#include <string>

#include "calls/run.hpp"
#include "host/invalid.hpp"
#include "jobs/matrix_rows.hpp"
#include "levels/heap.hpp"
#include "matrices/input.hpp"
#include "matrices/state.hpp"
#include "merklize/error.hpp"

namespace merklize::inline v0 {
namespace {

void require_indices(const runtime::CommitmentPlan& plan, std::span<const std::uint64_t> indices) {
    for (const std::uint64_t index : indices) {
        if (index >= plan.n_leaves)
            invalid("MatrixCommitment",
                    "index must be below " + std::to_string(plan.n_leaves) + ", got " + std::to_string(index));
    }
}

std::vector<std::uint64_t> sorted_indices(const runtime::CommitmentPlan& plan, std::span<const std::uint64_t> indices) {
    require_indices(plan, indices);
    if (indices.empty()) invalid("MatrixCommitment", "open_together: there must be at least 1 index, got 0");
    std::vector<std::uint64_t> sorted(indices.begin(), indices.end());
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        invalid("MatrixCommitment", "open_together: no index may be there twice, got " + std::to_string(*twice));
    return sorted;
}

}  // namespace

std::vector<Digest> MatrixCommitment::State::gather(std::span<const std::uint64_t> slots) const {
    std::vector<Digest> found(slots.size());
    if (slots.empty()) return found;
    const RunOptions options{.device = device};
    runtime::Run run(options);
    runtime::gather_nodes(nodes.place(), slots, found.data(), run);
    run.finish();
    return found;
}

std::vector<std::byte> MatrixCommitment::State::rows_of(std::span<const std::uint64_t> indices,
                                                        std::span<const Matrix> given) const {
    const std::span<const Matrix> matrices = kept.empty() ? given : std::span<const Matrix>(kept);
    if (matrices.empty())
        invalid("MatrixCommitment",
                "open: the matrices are not kept; give them, or build the commitment with keep = true");
    const runtime::MatrixInput input = runtime::read_matrices(matrices, form.hash, "MatrixCommitment: open");
    if (input.elements != Elements::canonical)
        invalid("MatrixCommitment",
                "open: rows must be of canonical words, which a verifier takes; these matrices have another form");
    std::uint64_t row_bytes = 0;
    for (std::size_t m = 0; m < matrices.size(); m++) {
        const MatrixDims one{matrices[m].rows, matrices[m].columns};
        if (matrices.size() != dims.size() || one != dims[m] || input.word_bytes != form.word_bytes)
            invalid("MatrixCommitment",
                    "open: the matrices must be those of the commitment; matrix " + std::to_string(m) + " is not");
        row_bytes += input.word_bytes * one.columns;
    }
    std::vector<std::byte> rows(row_bytes * indices.size());
    if (rows.empty()) return rows;
    const auto each = [&](auto&& use) {
        std::uint64_t to = 0;
        for (const std::uint64_t index : indices) {
            for (std::size_t m = 0; m < matrices.size(); m++) {
                if (input.at[m].columns == 0) continue;
                use(from_row(input.at[m], index >> plan.shifts[m]), to);
                to += input.word_bytes * input.at[m].columns;
            }
        }
    };
    if (input.on == nullptr) {
        each([&](const runtime::MatrixAt& row, std::uint64_t to) {
            runtime::pack_rows(row, input.word_bytes, 1, rows.data() + to, 0, input.word_bytes);
        });
        return rows;
    }
    const RunOptions options{.device = input.on->device()};
    runtime::Run run(options);
    const runtime::Lease gathered = run.on_device().scratch(rows.size());
    each([&](const runtime::MatrixAt& row, std::uint64_t to) {
        run.on_device().pack_rows(row, input.word_bytes, 1, runtime::moved(gathered.place(), to));
    });
    run.on_device().copy_to_host(rows.data(), gathered.place(), rows.size());
    run.finish();
    return rows;
}

std::vector<Digest> MatrixCommitment::siblings(std::span<const std::uint64_t> indices) const {
    require_indices(state_->plan, indices);
    std::vector<std::uint64_t> slots;
    slots.reserve(indices.size() * path_length());
    for (const std::uint64_t index : indices) {
        const std::vector<std::uint64_t> path = runtime::opening_slots(state_->plan, {&index, 1});
        slots.insert(slots.end(), path.begin(), path.end());
    }
    return state_->gather(slots);
}

std::vector<Digest> MatrixCommitment::siblings_together(std::span<const std::uint64_t> indices) const {
    return state_->gather(runtime::opening_slots(state_->plan, sorted_indices(state_->plan, indices)));
}

MatrixOpening MatrixCommitment::open(std::uint64_t index, std::span<const Matrix> matrices) const {
    return std::move(open(std::span(&index, 1), matrices)[0]);
}

std::vector<MatrixOpening> MatrixCommitment::open(std::span<const std::uint64_t> indices,
                                                  std::span<const Matrix> matrices) const {
    const std::vector<Digest> nodes = siblings(indices);
    const std::vector<std::byte> rows = state_->rows_of(indices, matrices);
    const std::size_t path = path_length(), row_bytes = indices.empty() ? 0 : rows.size() / indices.size();
    std::vector<MatrixOpening> openings(indices.size());
    for (std::size_t i = 0; i < indices.size(); i++) {
        const auto row = std::span(rows).subspan(i * row_bytes, row_bytes);
        const auto siblings = std::span(nodes).subspan(i * path, path);
        openings[i] = {indices[i], {row.begin(), row.end()}, {siblings.begin(), siblings.end()}};
    }
    return openings;
}

MatrixMultiOpening MatrixCommitment::open_together(std::span<const std::uint64_t> indices,
                                                   std::span<const Matrix> matrices) const {
    std::vector<std::uint64_t> sorted = sorted_indices(state_->plan, indices);
    std::vector<std::byte> rows = state_->rows_of(sorted, matrices);
    std::vector<Digest> siblings = state_->gather(runtime::opening_slots(state_->plan, sorted));
    return {std::move(sorted), std::move(rows), std::move(siblings)};
}

}  // namespace merklize::inline v0
