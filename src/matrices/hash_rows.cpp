// hash_rows() of several matrices.
#include <numeric>
#include <string>
#include <vector>

#include "calls/run.hpp"
#include "host/invalid.hpp"
#include "matrices/input.hpp"

namespace merklize::inline v0 {
namespace {

runtime::HashMatrices make_job(std::span<const Matrix> matrices, const runtime::MatrixInput& input, std::uint64_t n,
                               const runtime::MemoryRange& out, const RowForm& form) {
    for (std::size_t m = 0; m < matrices.size(); m++) {
        if (matrices[m].rows != n) {
            invalid_call("matrix " + std::to_string(m) + " must have a row for each of the " + std::to_string(n) +
                         " digests of out, got " + std::to_string(matrices[m].rows));
        }
    }
    runtime::require_row_form(form, input.word_bytes);
    std::vector<runtime::Operand> operands = {{runtime::Operand::Use::writes, "out", out}};
    runtime::add_reads(operands, matrices, input);
    runtime::require_apart(operands);
    std::vector<std::size_t> all(matrices.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return runtime::rows_job(form, input, all, n);
}

}  // namespace

void hash_rows(std::span<const Matrix> matrices, std::span<Digest> out, const RowForm& form,
               const RunOptions& options) {
    const PublicCall entry("hash_rows");
    const runtime::MatrixInput input = runtime::read_matrices(matrices, form.hash);
    runtime::HashMatrices job = make_job(matrices, input, out.size(), std::as_bytes(out), form);
    job.out = runtime::host_place(out.data());
    const RunOptions here = runtime::options_for(matrices, input, form.hash, options);
    runtime::Run run(here);
    run.launch(job, 1);
    run.finish();
}

void hash_rows(std::span<const Matrix> matrices, Buffer out, const RowForm& form, const RunOptions& options) {
    const PublicCall entry("hash_rows");
    const runtime::MatrixInput input = runtime::read_matrices(matrices, form.hash);
    if (out.size() % Digest::size != 0) {
        invalid_call("out", "must be a multiple of 32 bytes, got " + std::to_string(out.size()) + " bytes");
    }
    if (input.on != nullptr) runtime::require_same_device(*input.on, out);
    runtime::HashMatrices job = make_job(matrices, input, out.size() / Digest::size, out, form);
    job.out = runtime::place_of(out);
    const RunOptions here = runtime::on_device_of(out, options);
    runtime::Run run(here);
    run.launch(job, 1);
    run.finish();
}

}  // namespace merklize::inline v0
