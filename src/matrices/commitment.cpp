// MatrixCommitment: what it keeps, and how it is made.
#include <algorithm>
#include <string>
#include <utility>

#include "calls/run.hpp"
#include "host/invalid.hpp"
#include "host/threads.hpp"
#include "jobs/matrix_rows.hpp"
#include "levels/build.hpp"
#include "matrices/build.hpp"
#include "matrices/input.hpp"
#include "matrices/state.hpp"

namespace merklize::inline v0 {
namespace {

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
    if (bytes == 0) {
        if (nodes.on_device()) copy.buffer = Buffer(device, 0);  // where the others are
        return copy;
    }
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
                                   const RunOptions& options, bool keep, unsigned drop_levels) {
    const PublicCall entry("MatrixCommitment");
    CommitmentForm form = given;
    runtime::MatrixInput input = runtime::read_matrices(matrices, form.hash);
    if (form.word_bytes != 0 && form.word_bytes != input.word_bytes) {
        invalid_call("words must have " + std::to_string(form.word_bytes) + " bytes, got " +
                     std::to_string(input.word_bytes));
    }
    form.word_bytes = input.word_bytes;
    runtime::require_row_form({form.hash, {}, form.montgomery}, form.word_bytes);
    if (keep && input.elements != Elements::canonical) {
        invalid_call("matrices that are kept must have canonical words, which a verifier takes");
    }
    std::vector<MatrixDims> dims = dims_of(matrices);
    runtime::CommitmentPlan plan = runtime::plan_commitment(dims, form, drop_levels);
    const RunOptions here = runtime::options_for(matrices, input, form.hash, options);
    state_ = std::make_unique<State>(form, std::move(dims), std::move(plan), here.device);
    runtime::Run run(here);
    if (keep) {
        for (std::size_t m = 0; m < matrices.size(); m++)
            state_->kept.push_back(matrices[m].buffer ? matrices[m] : state_->copy_of(matrices[m], input.at[m], run));
        input = runtime::read_matrices(state_->kept, form.hash);
    }
    runtime::build_commitment(state_->form, input, state_->plan, state_->nodes.place(), run);
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
unsigned MatrixCommitment::drop_levels() const noexcept { return state_->plan.drop_levels; }
bool MatrixCommitment::keeps_matrices() const noexcept { return !state_->kept.empty(); }
std::size_t MatrixCommitment::path_length() const noexcept { return state_->plan.path_length(); }

}  // namespace merklize::inline v0
