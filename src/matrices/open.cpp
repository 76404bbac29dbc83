// Openings of a commitment: nodes and rows are gathered where they are.
#include <algorithm>
#include <atomic>
#include <optional>
#include <string>

#include "calls/run.hpp"
#include "host/invalid.hpp"
#include "host/threads.hpp"
#include "jobs/cpu_device.hpp"
#include "jobs/matrix_rows.hpp"
#include "levels/heap.hpp"
#include "matrices/build.hpp"
#include "matrices/input.hpp"
#include "matrices/state.hpp"
#include "merklize/error.hpp"

namespace merklize::inline v0 {
namespace {

void require_indices(const runtime::CommitmentPlan& plan, std::span<const std::uint64_t> indices) {
    for (const std::uint64_t index : indices) {
        if (index >= plan.n_leaves)
            invalid_call("index", "must be below " + std::to_string(plan.n_leaves) + ", got " + std::to_string(index));
    }
}

std::vector<std::uint64_t> sorted_indices(const runtime::CommitmentPlan& plan, std::span<const std::uint64_t> indices) {
    require_indices(plan, indices);
    if (indices.empty()) invalid_call("there must be at least 1 index, got 0");
    std::vector<std::uint64_t> sorted(indices.begin(), indices.end());
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        invalid_call("no index may be there twice, got " + std::to_string(*twice));
    return sorted;
}

[[noreturn]] void refuse_changed(const std::string& rows) {
    invalid_call(rows + " are not the rows of the commitment; give the matrices as they were when it was made");
}

// block  whose rows do not make the node that was kept
[[noreturn]] void refuse_block(const runtime::CommitmentPlan& plan, std::uint64_t block) {
    const std::uint64_t size = plan.block_size(0), first = block * size;
    refuse_changed("rows " + std::to_string(first) + " to " +
                   std::to_string(std::min(first + size, plan.n_leaves) - 1) +
                   " of the tallest matrix, or those that belong to them in lower ones,");
}

// The rows below some nodes of the lowest kept layer, side by side in the order of the nodes: on the run's device if
// the matrices are there, else on the host.
class BlockRows {
public:
    BlockRows(const runtime::CommitmentPlan& plan, std::span<const MatrixDims> dims, const runtime::MatrixInput& from,
              std::span<const std::uint64_t> blocks, runtime::Run& run)
        : input_(from) {
        const RunOptions there{.device = from.on != nullptr ? from.on->device() : run.options().device};
        std::optional<runtime::Run> reads;  // from a device that is full
        if (from.on != nullptr && run.on_host()) {
            input_.on = nullptr;
            reads.emplace(there);
        }
        for (unsigned l = 0; l <= plan.drop_levels; l++) {
            for (const std::size_t m : plan.layers[l].matrices) {
                const std::uint64_t row_bytes = from.word_bytes * dims[m].columns, per_block = plan.block_size(l);
                const std::uint64_t bytes = row_bytes * per_block * blocks.size();
                if (bytes == 0) continue;
                const Place to = input_.on != nullptr ? on_device(bytes, run) : on_host(bytes);
                for (std::size_t i = 0; i < blocks.size(); i++) {
                    const std::uint64_t first = blocks[i] * per_block;
                    const std::uint64_t n = std::min(per_block, dims[m].rows - std::min(dims[m].rows, first));
                    if (n == 0) continue;
                    const Place out = runtime::moved(to, row_bytes * per_block * i);
                    const runtime::MatrixAt rows = from_row(from.at[m], first);
                    if (to.on_device)
                        run.on_device().pack_rows(rows, from.word_bytes, n, out);
                    else if (reads)
                        reads->on_device().fetch_rows(rows, from.word_bytes, n, runtime::host_bytes(out));
                    else
                        runtime::pack_rows(rows, from.word_bytes, n, runtime::host_bytes(out), row_bytes,
                                           from.word_bytes);
                }
                input_.at[m] = {to, dims[m].columns, static_cast<std::int64_t>(row_bytes), from.word_bytes};
            }
        }
    }

    const runtime::MatrixInput& input() const noexcept { return input_; }

private:
    using Place = runtime::Place;
    Place on_host(std::uint64_t bytes) { return runtime::host_place(blocks_.emplace_back(bytes).data()); }
    Place on_device(std::uint64_t bytes, const runtime::Run& run) {
        return runtime::place_of(buffers_.emplace_back(run.options().device, bytes));
    }

    runtime::MatrixInput input_;
    std::vector<runtime::HostBlock> blocks_{};
    std::vector<Buffer> buffers_{};
};

}  // namespace

runtime::MatrixInput MatrixCommitment::State::read_again(std::span<const Matrix> matrices) const {
    const runtime::MatrixInput input = runtime::read_matrices(matrices, form.hash);
    for (std::size_t m = 0; m < matrices.size(); m++) {
        const MatrixDims one{matrices[m].rows, matrices[m].columns};
        if (matrices.size() != dims.size() || one != dims[m] || input.word_bytes != form.word_bytes)
            invalid_call("the matrices must be those of the commitment; matrix " + std::to_string(m) + " is not");
    }
    return input;
}

std::vector<Digest> MatrixCommitment::State::read_kept(std::span<const std::uint64_t> slots) const {
    std::vector<Digest> read(slots.size());
    if (slots.empty()) return read;
    const RunOptions options{.device = device};
    runtime::Run run(options);
    runtime::gather_nodes(nodes.place(), slots, read.data(), run);
    run.finish();
    return read;
}

std::vector<Digest> MatrixCommitment::State::read_nodes(std::span<const runtime::LayerNode> which,
                                                        std::span<const Matrix> given) const {
    std::vector<Digest> found(which.size());
    std::vector<std::uint64_t> slots;
    std::vector<std::size_t> there, dropped;
    for (std::size_t i = 0; i < which.size(); i++) {
        if (which[i].layer < plan.drop_levels) {
            dropped.push_back(i);
        } else {
            there.push_back(i);
            slots.push_back(plan.layers[which[i].layer].first + which[i].number);
        }
    }
    const std::vector<Digest> read = read_kept(slots);
    for (std::size_t i = 0; i < there.size(); i++) found[there[i]] = read[i];
    if (dropped.empty()) return found;
    const std::span<const Matrix> matrices = matrices_of(given);
    if (matrices.empty())
        invalid_call("nodes of the lowest " + std::to_string(plan.drop_levels) +
                     " levels are made again from the rows; give the matrices, or build the "
                     "commitment with keep = true or drop_levels = 0");
    make_again(which, dropped, read_again(matrices), found);
    return found;
}

void MatrixCommitment::State::make_again(std::span<const runtime::LayerNode> which,
                                         std::span<const std::size_t> dropped, const runtime::MatrixInput& input,
                                         std::span<Digest> out) const {
    const auto block_of = [&](std::size_t i) { return which[i].number / plan.block_size(which[i].layer); };
    std::vector<std::uint64_t> blocks;
    for (const std::size_t i : dropped) blocks.push_back(block_of(i));
    std::ranges::sort(blocks);
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    // All blocks but the last are complete, so gathered side by side they form a valid run of blocks.
    const runtime::CommitmentPlan below =
        runtime::plan_blocks(plan, blocks.back() - (blocks.size() - 1), blocks.size());
    std::vector<std::uint64_t> slots, kept;
    for (std::size_t i = 0; i < blocks.size(); i++) {
        slots.push_back(below.layers.back().first + i);
        kept.push_back(plan.layers[plan.drop_levels].first + blocks[i]);
    }
    for (const std::size_t i : dropped) {
        const std::uint64_t size = plan.block_size(which[i].layer);
        const auto at = static_cast<std::uint64_t>(std::ranges::lower_bound(blocks, block_of(i)) - blocks.begin());
        slots.push_back(below.layers[which[i].layer].first + at * size + which[i].number % size);
    }
    std::vector<Digest> read(slots.size());
    const auto make_on = [&](const Device& where) {
        const RunOptions options{.device = where};
        runtime::Run run(options);
        const BlockRows rows(plan, dims, input, blocks, run);
        const runtime::NodeStore made(where, below.slots);
        runtime::build_blocks(form, rows.input(), below, made.place(), blocks[0] * plan.block_size(0), 1, run);
        runtime::gather_nodes(made.place(), slots, read.data(), run);
        run.finish();
    };
    const Device there = input.on != nullptr ? input.on->device() : device;
    try {
        make_on(there);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory || runtime::state_of(there).is_host()) throw;
        make_on(runtime::cpu_device());  // others have filled the device meanwhile
    }
    const std::vector<Digest> tops = read_kept(kept);
    for (std::size_t i = 0; i < blocks.size(); i++) {
        if (read[i] != tops[i]) refuse_block(plan, blocks[i]);
    }
    for (std::size_t i = 0; i < dropped.size(); i++) out[dropped[i]] = read[blocks.size() + i];
}

std::vector<std::byte> MatrixCommitment::State::rows_of(std::span<const std::uint64_t> indices,
                                                        std::span<const Matrix> given) const {
    const std::span<const Matrix> matrices = matrices_of(given);
    if (matrices.empty())
        invalid_call("the matrices are not kept; give them, or build the commitment with keep = true");
    const runtime::MatrixInput input = read_again(matrices);
    if (input.elements != Elements::canonical)
        invalid_call("rows must be of canonical words, which a verifier takes; these matrices have another form");
    std::uint64_t row_bytes = 0;
    for (const MatrixDims& matrix : dims) row_bytes += input.word_bytes * matrix.columns;
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
    try {
        const runtime::Lease gathered = run.on_device().scratch(rows.size());
        each([&](const runtime::MatrixAt& row, std::uint64_t to) {
            run.on_device().pack_rows(row, input.word_bytes, 1, runtime::moved(gathered.place(), to));
        });
        run.on_device().copy_to_host(rows.data(), gathered.place(), rows.size());
        run.finish();
        return rows;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
    }
    // Others have filled the device meanwhile. One by one takes longer, but no memory there.
    each([&](const runtime::MatrixAt& row, std::uint64_t to) {
        run.on_device().fetch_rows(row, input.word_bytes, 1, rows.data() + to);
    });
    run.finish();
    return rows;
}

std::vector<Digest> MatrixCommitment::siblings(std::span<const std::uint64_t> indices,
                                               std::span<const Matrix> matrices) const {
    const PublicCall entry("siblings");
    require_indices(state_->plan, indices);
    std::vector<runtime::LayerNode> nodes;
    nodes.reserve(indices.size() * path_length());
    for (const std::uint64_t index : indices) {
        const std::vector<runtime::LayerNode> path = runtime::opening_nodes(state_->plan, {&index, 1});
        nodes.insert(nodes.end(), path.begin(), path.end());
    }
    return state_->read_nodes(nodes, matrices);
}

std::vector<Digest> MatrixCommitment::siblings_together(std::span<const std::uint64_t> indices,
                                                        std::span<const Matrix> matrices) const {
    const PublicCall entry("siblings_together");
    const std::vector<std::uint64_t> sorted = sorted_indices(state_->plan, indices);
    return state_->read_nodes(runtime::opening_nodes(state_->plan, sorted), matrices);
}

MatrixOpening MatrixCommitment::open(std::uint64_t index, std::span<const Matrix> matrices) const {
    return std::move(open(std::span(&index, 1), matrices)[0]);
}

std::vector<MatrixOpening> MatrixCommitment::open(std::span<const std::uint64_t> indices,
                                                  std::span<const Matrix> matrices) const {
    const PublicCall entry("open");
    const std::vector<Digest> nodes = siblings(indices, matrices);
    const std::vector<std::byte> rows = state_->rows_of(indices, matrices);
    const std::size_t path = path_length(), row_bytes = indices.empty() ? 0 : rows.size() / indices.size();
    std::vector<MatrixOpening> openings(indices.size());
    for (std::size_t i = 0; i < indices.size(); i++) {
        const auto row = std::span(rows).subspan(i * row_bytes, row_bytes);
        const auto siblings = std::span(nodes).subspan(i * path, path);
        openings[i] = {indices[i], {row.begin(), row.end()}, {siblings.begin(), siblings.end()}};
    }
    if (keeps_matrices()) return openings;
    // The caller's matrices may have changed.
    std::atomic<std::size_t> changed = indices.size();
    runtime::parallel_for(indices.size(), 0, [&](std::size_t i) {
        if (!state_->holds({&openings[i].index, 1}, openings[i].rows, openings[i].siblings)) changed = i;
    });
    if (changed != indices.size()) {
        refuse_changed("row " + std::to_string(indices[changed]) +
                       " of the tallest matrix, or those that belong to it in lower ones,");
    }
    return openings;
}

MatrixMultiOpening MatrixCommitment::open_together(std::span<const std::uint64_t> indices,
                                                   std::span<const Matrix> matrices) const {
    const PublicCall entry("open_together");
    std::vector<std::uint64_t> sorted = sorted_indices(state_->plan, indices);
    std::vector<std::byte> rows = state_->rows_of(sorted, matrices);
    std::vector<Digest> siblings = state_->read_nodes(runtime::opening_nodes(state_->plan, sorted), matrices);
    if (!keeps_matrices() && !state_->holds(sorted, rows, siblings)) refuse_changed("some of these rows");
    return {std::move(sorted), std::move(rows), std::move(siblings)};
}

}  // namespace merklize::inline v0
