// commit_extended(): a commitment to the extensions of matrices.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "calls/run.hpp"
#include "host/host_block.hpp"
#include "host/invalid.hpp"
#include "host/threads.hpp"
#include "jobs/cpu_device.hpp"
#include "lde/input.hpp"
#include "merklize/error.hpp"

namespace merklize::inline v0 {
namespace {

// Of the call; the rest is the commitment.
constexpr double extending_share = 0.2;

struct Asked {
    std::span<const ExtendedMatrix> matrices;
    std::vector<runtime::Extension> extensions;
    const CommitmentForm& form;
    const RunOptions& options;  // with the call's device
    bool keep;
    unsigned drop_levels;
};

// Extends all matrices to their places. Complete when it returns.
void extend_all(const Asked& asked, Timings* timings) {
    Timings times;
    RunOptions options = runtime::part_of(asked.options, 0, extending_share, timings == nullptr ? nullptr : &times);
    options.policy = {};  // the caller's is for hashes
    runtime::Run run(options);
    double all = 0;
    for (const runtime::Extension& extension : asked.extensions) all += static_cast<double>(extension.out_bytes);
    for (const runtime::Extension& extension : asked.extensions) {
        if (extension.out_bytes != 0) run.launch(extension.job, static_cast<double>(extension.out_bytes) / all);
    }
    run.finish();
    if (timings != nullptr) runtime::add(*timings, times);
}

MatrixCommitment commit_to(const Asked& asked, std::span<const Matrix> extended, Timings* timings) {
    Timings times;
    const RunOptions options =
        runtime::part_of(asked.options, extending_share, 1 - extending_share, timings == nullptr ? nullptr : &times);
    MatrixCommitment commitment(extended, asked.form, options, asked.keep, asked.drop_levels);
    if (timings != nullptr) runtime::add(*timings, times);
    return commitment;
}

void require_apart(std::span<const ExtendedMatrix> matrices, std::span<const Matrix> inputs,
                   const runtime::MatrixInput& input) {
    using enum runtime::Operand::Use;
    std::vector<runtime::Operand> operands;
    runtime::add_reads(operands, inputs, input);
    for (std::size_t m = 0; m < matrices.size(); m++) {
        operands.push_back({writes, "out", std::as_bytes(matrices[m].out), m});
        if (const auto& buffer = matrices[m].buffer) operands.push_back({writes, "buffer", *buffer, m});
    }
    runtime::require_apart(operands);
}

// The extension of a matrix, whose words follow one another.
Matrix dense_extension(const Matrix& matrix, unsigned added_bits) {
    Matrix extended;
    extended.rows = matrix.rows << added_bits;
    extended.columns = matrix.columns;
    extended.word_bytes = matrix.word_bytes;
    extended.row_stride = static_cast<std::int64_t>(matrix.columns);
    extended.elements = matrix.elements;
    return extended;
}

// The extensions stay in the memory of the device. A thread copies them to the host while rows are hashed.
MatrixCommitment commit_on_device(Asked asked, Timings* timings) {
    std::vector<Buffer> buffers;
    std::vector<Matrix> extended;
    for (std::size_t m = 0; m < asked.matrices.size(); m++) {
        runtime::Extension& extension = asked.extensions[m];
        const std::optional<Buffer>& buffer = asked.matrices[m].buffer;
        buffers.push_back(buffer ? *buffer : Buffer(asked.options.device, extension.out_bytes));
        set_out(extension, runtime::place_of(buffers.back()), buffers.back().size());
        extended.push_back(dense_extension(asked.matrices[m].matrix, extension.job.added_bits));
        extended.back().buffer = buffers.back();
    }
    const bool has_out =
        std::ranges::any_of(asked.matrices, [](const ExtendedMatrix& matrix) { return !matrix.out.empty(); });
    // Runs `work` on a second thread, if some matrix has an `out`.
    const auto on_a_thread = [&](const auto& work) {
        std::jthread thread;
        try {
            if (has_out) thread = std::jthread(work);
        } catch (const std::system_error&) {
            work();  // if the system gives no more threads, the call only gets slower
        }
        return thread;
    };
    {
        // Fault in the pages of `out` now; during the copy that would take longer than everything else.
        const std::jthread making = on_a_thread([&]() noexcept {
            try {
                for (const ExtendedMatrix& matrix : asked.matrices)
                    runtime::make_pages(matrix.out, runtime::default_threads());
            } catch (...) {}  // then the copy makes them
        });
        extend_all(asked, timings);
    }
    std::exception_ptr failed;
    std::jthread copying = on_a_thread([&]() noexcept {
        try {
            for (std::size_t m = 0; m < buffers.size(); m++) {
                if (!asked.matrices[m].out.empty()) buffers[m].copy_to(asked.matrices[m].out);
            }
        } catch (...) {
            failed = std::current_exception();
        }
    });
    MatrixCommitment commitment = commit_to(asked, extended, timings);
    if (copying.joinable()) copying.join();
    if (failed) std::rethrow_exception(failed);
    return commitment;
}

// The extensions lie where the caller wants them, or in memory of the call.
MatrixCommitment commit_on_host(Asked asked, Timings* timings) {
    std::vector<runtime::HostBlock> blocks;
    std::vector<Matrix> extended;
    for (std::size_t m = 0; m < asked.matrices.size(); m++) {
        runtime::Extension& extension = asked.extensions[m];
        void* to = asked.matrices[m].out.data();
        if (asked.matrices[m].out.empty()) to = blocks.emplace_back(extension.out_bytes).data();
        set_out(extension, runtime::host_place(to), extension.out_bytes);
        extended.push_back(dense_extension(asked.matrices[m].matrix, extension.job.added_bits));
        extended.back().words = to;
    }
    extend_all(asked, timings);
    try {
        return commit_to(asked, extended, timings);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
    }
    // The device has no room for the nodes, so the processors hash the rows, and the nodes lie on the host, too.
    RunOptions on_host = asked.options;
    on_host.device = runtime::cpu_device();
    on_host.stream.reset();
    on_host.policy = {};
    return commit_to({asked.matrices, {}, asked.form, on_host, asked.keep, asked.drop_levels}, extended, timings);
}

}  // namespace

MatrixCommitment commit_extended(std::span<const ExtendedMatrix> matrices, const CommitmentForm& form,
                                 const RunOptions& options, bool keep, unsigned drop_levels) {
    const PublicCall entry("commit_extended");
    std::vector<Matrix> inputs;
    for (const ExtendedMatrix& matrix : matrices) inputs.push_back(matrix.matrix);
    const runtime::MatrixInput input = runtime::read_matrices(inputs, form.hash);
    const Buffer* first = nullptr;
    std::size_t n_buffers = 0;
    for (const ExtendedMatrix& matrix : matrices) {
        if (!matrix.buffer) continue;
        n_buffers++;
        if (first == nullptr) first = &*matrix.buffer;
        runtime::require_same_device(*first, *matrix.buffer);
        if (input.on != nullptr) runtime::require_same_device(*input.on, *matrix.buffer);
    }
    if (n_buffers != 0 && n_buffers != matrices.size())
        invalid_call("all matrices must have a buffer, or none; give all of them one");
    const RunOptions run_options = first != nullptr ? runtime::on_device_of(*first, options)
                                                    : runtime::options_for(inputs, input, form.hash, options);
    Asked asked{matrices, {}, form, run_options, keep, drop_levels};
    for (const ExtendedMatrix& matrix : matrices) {
        asked.extensions.push_back(runtime::read_extension(matrix.matrix, matrix.form));
        if (!matrix.out.empty())
            set_out(asked.extensions.back(), runtime::host_place(matrix.out.data()), matrix.out.size());
        if (matrix.buffer) set_out(asked.extensions.back(), runtime::place_of(*matrix.buffer), matrix.buffer->size());
    }
    require_apart(matrices, inputs, input);
    Timings sum{.available = true};
    Timings* const timings = options.timings == nullptr ? nullptr : &sum;
    const auto finished = [&](MatrixCommitment commitment) {
        if (timings != nullptr) *options.timings = sum;
        return commitment;
    };
    const runtime::DeviceState& device = runtime::state_of(run_options.device);
    if (first != nullptr) return finished(commit_on_device(asked, timings));
    if (device.is_host() || !device.parts.empty()) return finished(commit_on_host(asked, timings));
    try {
        return finished(commit_on_device(asked, timings));
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
    }
    sum = {.available = true};
    return finished(commit_on_host(asked, timings));
}

}  // namespace merklize::inline v0
