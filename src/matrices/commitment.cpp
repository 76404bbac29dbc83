// Builds a commitment: rows are hashed into their layers, and the layers are merged.
#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "calls/run.hpp"
#include "host/invalid.hpp"
#include "host/threads.hpp"
#include "jobs/matrix_rows.hpp"
#include "levels/build.hpp"
#include "matrices/input.hpp"
#include "matrices/state.hpp"

namespace merklize::inline v0 {
namespace {

using runtime::CommitmentPlan;
using runtime::host_place;
using runtime::Place;

constexpr const char* commitment_call = "MatrixCommitment";

void clear_nodes(const Place& nodes, std::uint64_t n, runtime::Run& run) {
    if (n == 0) return;
    if (nodes.on_device) return run.on_device().clear_nodes(nodes, n);
    std::memset(runtime::host_bytes(nodes), 0, Digest::size * n);
}

/// One build.
class Builder {
public:
    Builder(const CommitmentForm& form, const runtime::MatrixInput& input, const CommitmentPlan& plan,
            const Place& nodes, runtime::Run& run)
        : form_(form), input_(input), plan_(plan), nodes_(nodes), run_(run), merges_(TreeForm(form.hash)) {
        for (const CommitmentPlan::Layer& layer : plan.layers) {
            work_ += work_of(layer);
            work_ += static_cast<double>(layer.length);
        }
    }

    void build() {
        const CommitmentPlan::Layer& leaves = plan_.layers[0];
        hash_rows(leaves, at(leaves));
        clear_nodes(runtime::at_node(at(leaves), leaves.nodes), leaves.length - leaves.nodes, run_);
        for (std::size_t l = 0; l + 1 < plan_.layers.size();) l = form_.arity == 2 ? merge_pairs(l) : merge_groups(l);
        run_.finish();
    }

private:
    Place at(const CommitmentPlan::Layer& layer) const { return runtime::at_node(nodes_, layer.first); }

    // Cost, about, in compressions.
    double work_of(const CommitmentPlan::Layer& layer) const {
        double blocks = 0;
        for (const std::size_t m : layer.matrices)
            blocks += static_cast<double>(input_.at[m].columns * input_.word_bytes) / 64;
        return layer.matrices.empty() ? 0 : (1 + blocks) * static_cast<double>(layer.nodes);
    }
    double share_of(double work) const { return work / work_; }

    // Hashes the rows that belong to a layer.
    void hash_rows(const CommitmentPlan::Layer& layer, const Place& out) {
        runtime::HashMatrices job =
            rows_job({form_.hash, {}, form_.montgomery}, input_, layer.matrices, rows_of(layer), commitment_call);
        job.out = out;
        run_.launch(job, share_of(work_of(layer)));
    }
    std::uint64_t rows_of(const CommitmentPlan::Layer& layer) const {
        return ((plan_.n_leaves - 1) >> plan_.shifts[layer.matrices[0]]) + 1;
    }

    // Fills a layer with zeros behind its nodes, and hashes rows into the nodes.
    void complete(const CommitmentPlan::Layer& layer) {
        clear_nodes(runtime::at_node(at(layer), layer.nodes), layer.length - layer.nodes, run_);
        if (layer.matrices.empty()) return;
        std::vector<Digest> host(nodes_.on_device ? 0 : layer.nodes);
        // A block of its own, because the run's working memory is freed when a host matrix has been sent.
        std::optional<Buffer> block;
        if (nodes_.on_device) block.emplace(run_.options().device, Digest::size * layer.nodes);
        const Place digests = block ? runtime::place_of(*block) : host_place(host.data());
        hash_rows(layer, digests);
        const std::uint64_t rows = rows_of(layer);
        clear_nodes(runtime::at_node(digests, rows), layer.nodes - rows, run_);
        if (form_.arity == 2) {
            run_.launch(runtime::MergePairs{.hash = form_.hash,
                                            .mode = {},
                                            .left = at(layer),
                                            .right = digests,
                                            .n = layer.nodes,
                                            .out = at(layer)});
        } else {
            merge_beside({nodes_row(at(layer), 1), nodes_row(digests, 1)}, 2, layer.nodes, at(layer));
        }
        run_.finish();  // before the digests are freed
    }

    // Merges from layer l up to the next one that needs more than pairs of nodes.  returns  that layer
    std::size_t merge_pairs(std::size_t l) {
        const CommitmentPlan::Layer& from = plan_.layers[l];
        std::size_t to = l + 1;
        if (std::has_single_bit(from.length)) {
            while (to + 1 < plan_.layers.size() && plan_.layers[to].matrices.empty()) to++;
        }
        const auto levels = static_cast<unsigned>(to - l);
        const runtime::TreeLayout layout{from.length, levels, from.first};
        runtime::build_levels({nodes_, from.first}, nodes_, layout, merges_, run_,
                              share_of(static_cast<double>(from.length)));
        complete(plan_.layers[to]);
        return to;
    }

    // Words of `count` neighbouring nodes as a row.
    runtime::MatrixAt nodes_row(const Place& nodes, unsigned count, bool one_for_all = false) const {
        const auto word = static_cast<std::int64_t>(node_unit());
        const std::int64_t bytes = static_cast<std::int64_t>(Digest::size) * count;
        return {nodes, static_cast<std::uint64_t>(bytes / word), one_for_all ? 0 : bytes, word};
    }
    unsigned node_unit() const {
        return static_cast<unsigned>(std::max<std::uint64_t>(runtime::row_unit(quad_hash()), 4));
    }
    Hash quad_hash() const { return static_cast<Hash>(runtime::info(form_.hash).quad_hash); }

    // Merges of four. The first `inputs` nodes of each lie in these rows; the others are zeros.
    void merge_beside(std::vector<runtime::MatrixAt> rows, unsigned inputs, std::uint64_t n, const Place& out) {
        static constexpr Digest zeros[2]{};
        rows.push_back(nodes_row(host_zeros(zeros), form_.arity - inputs, true));
        run_.launch(runtime::HashMatrices{.hash = quad_hash(),
                                          .matrices = std::move(rows),
                                          .n = n,
                                          .word_bytes = node_unit(),
                                          .what = commitment_call,
                                          .out = out});
    }
    Place host_zeros(const Digest* zeros) {
        if (!nodes_.on_device) return host_place(zeros);
        if (!zeros_) {
            zeros_.emplace(run_.options().device, Digest::size * 2);
            clear_nodes(runtime::place_of(*zeros_), 2, run_);
        }
        return runtime::place_of(*zeros_);
    }

    std::size_t merge_groups(std::size_t l) {
        const CommitmentPlan::Layer &from = plan_.layers[l], &to = plan_.layers[l + 1];
        if (from.step == form_.arity) {
            run_.launch(runtime::HashRows{.hash = quad_hash(),
                                          .rows = at(from),
                                          .n = to.nodes,
                                          .length = from.step * Digest::size / runtime::row_unit(quad_hash()),
                                          .mode = {},
                                          .out = at(to)},
                        share_of(static_cast<double>(from.length)));
        } else {
            merge_beside({nodes_row(at(from), from.step)}, from.step, to.nodes, at(to));
        }
        complete(to);
        return l + 1;
    }

    const CommitmentForm& form_;
    const runtime::MatrixInput& input_;
    const CommitmentPlan& plan_;
    const Place nodes_;
    runtime::Run& run_;
    runtime::Merges merges_;
    std::optional<Buffer> zeros_{};
    double work_ = 0;
};

std::vector<MatrixDims> dims_of(std::span<const Matrix> matrices) {
    std::vector<MatrixDims> dims;
    for (const Matrix& matrix : matrices) dims.push_back({matrix.rows, matrix.columns});
    return dims;
}

}  // namespace

// A matrix of whole columns stays in columns; any other one is copied row by row.
Matrix MatrixCommitment::State::copy_of(const Matrix& matrix, const runtime::MatrixAt& at, runtime::Run& run) {
    const std::uint64_t word = matrix.word_bytes, lines = matrix.rows;
    const bool down = matrix.row_stride == 1 && matrix.columns > 1;
    Matrix copy = matrix;
    copy.words = nullptr;
    copy.row_stride = down ? 1 : static_cast<std::int64_t>(matrix.columns);
    copy.column_stride = down ? static_cast<std::int64_t>(matrix.rows) : 1;
    const std::uint64_t bytes = word * matrix.rows * matrix.columns;
    if (bytes == 0) return copy;
    const bool lies_together = down ? matrix.column_stride == copy.column_stride
                                    : matrix.column_stride == 1 && matrix.row_stride == copy.row_stride;
    const void* packed = matrix.words;
    if (!lies_together || !nodes.on_device()) {
        runtime::HostBlock block(bytes);
        auto* to = static_cast<std::byte*>(block.data());
        const std::uint64_t row_stride = word * static_cast<std::uint64_t>(copy.row_stride),
                            column_stride = word * static_cast<std::uint64_t>(copy.column_stride);
        const std::uint64_t per_piece = std::max<std::uint64_t>(1, (std::uint64_t{1} << 20) / (word * matrix.columns));
        run.parallel((lines + per_piece - 1) / per_piece,
                     [&](std::size_t piece) {
                         const std::uint64_t first = piece * per_piece;
                         runtime::pack_rows(from_row(at, first), matrix.word_bytes, std::min(per_piece, lines - first),
                                            to + row_stride * first, row_stride, column_stride);
                     },
                     0);
        packed = block.data();
        blocks.push_back(std::move(block));
    }
    if (!nodes.on_device()) {
        copy.words = packed;
        return copy;
    }
    const Buffer buffer(device, bytes);
    run.on_device().upload(runtime::place_of(buffer), packed, bytes);
    blocks.clear();
    copy.buffer = buffer;
    copy.first = 0;
    return copy;
}

MatrixCommitment::MatrixCommitment(std::span<const Matrix> matrices, const CommitmentForm& given,
                                   const RunOptions& options, bool keep) {
    CommitmentForm form = given;
    runtime::MatrixInput input = runtime::read_matrices(matrices, form.hash, commitment_call);
    if (form.word_bytes != 0 && form.word_bytes != input.word_bytes) {
        invalid(commitment_call, "words must have " + std::to_string(form.word_bytes) + " bytes, got " +
                                     std::to_string(input.word_bytes));
    }
    form.word_bytes = input.word_bytes;
    runtime::require_row_form({form.hash, {}, form.montgomery}, form.word_bytes, commitment_call);
    if (keep && input.elements != Elements::canonical) {
        invalid(commitment_call, "matrices that are kept must have canonical words, which a verifier takes");
    }
    std::vector<MatrixDims> dims = dims_of(matrices);
    runtime::CommitmentPlan plan = runtime::plan_commitment(dims, form, commitment_call);
    const RunOptions here = input.on != nullptr ? runtime::on_device_of(*input.on, options)
                                                : runtime::chosen_for_tree(options, form.hash, plan.n_leaves);
    state_ = std::make_unique<State>(form, std::move(dims), std::move(plan), here.device);
    runtime::Run run(here);
    if (keep) {
        for (std::size_t m = 0; m < matrices.size(); m++)
            state_->kept.push_back(matrices[m].buffer ? matrices[m] : state_->copy_of(matrices[m], input.at[m], run));
        input = runtime::read_matrices(state_->kept, form.hash, commitment_call);
    }
    Builder(state_->form, input, state_->plan, state_->nodes.place(), run).build();
    const runtime::CommitmentPlan::Layer& layer = state_->plan.layers[state_->plan.cap_layer];
    state_->cap.resize(state_->plan.cap_size);  // zeros
    state_->nodes.read(layer.first, std::span(state_->cap).first(std::min(layer.length, state_->plan.cap_size)));
}

MatrixCommitment::MatrixCommitment(MatrixCommitment&&) noexcept = default;
MatrixCommitment& MatrixCommitment::operator=(MatrixCommitment&&) noexcept = default;
MatrixCommitment::~MatrixCommitment() = default;

const CommitmentForm& MatrixCommitment::form() const noexcept { return state_->form; }
std::span<const MatrixDims> MatrixCommitment::dims() const noexcept { return state_->dims; }
std::uint64_t MatrixCommitment::n_leaves() const noexcept { return state_->plan.n_leaves; }
unsigned MatrixCommitment::height() const noexcept { return static_cast<unsigned>(state_->plan.layers.size()) - 1; }
std::span<const Digest> MatrixCommitment::cap() const noexcept { return state_->cap; }
const DeviceInfo& MatrixCommitment::device() const noexcept { return state_->device.info(); }
bool MatrixCommitment::on_device() const noexcept { return state_->nodes.on_device(); }
bool MatrixCommitment::keeps_matrices() const noexcept { return !state_->kept.empty(); }
std::size_t MatrixCommitment::path_length() const noexcept { return state_->plan.path_length(); }

}  // namespace merklize::inline v0
