// extend(): the low-degree extension of the columns of a matrix.
#include "merklize/extend.hpp"

#include <vector>

#include "calls/run.hpp"
#include "host/invalid.hpp"
#include "lde/input.hpp"

namespace merklize::inline v0 {
namespace {

void require_apart(const Matrix& matrix, const runtime::Extension& extension, const runtime::MemoryRange& out) {
    std::vector<runtime::Operand> operands = {{runtime::Operand::Use::writes, "out", out}};
    runtime::add_reads(operands, {&matrix, 1}, extension.input);
    runtime::require_apart(operands);
}

// options  with the device of the job's places
void run_extension(const runtime::Extend& job, const RunOptions& options) {
    runtime::Run run(options);
    if (job.in.columns == 0) return;
    run.launch(job, 1);
    run.finish();
}

}  // namespace

void extend(const Matrix& matrix, std::span<std::byte> out, const ExtendForm& form, const RunOptions& options) {
    const PublicCall entry("extend");
    runtime::require_no_policy(options);
    runtime::Extension extension = runtime::read_extension(matrix, form);
    runtime::set_out(extension, runtime::host_place(out.data()), out.size());
    require_apart(matrix, extension, std::as_bytes(out));
    run_extension(extension.job,
                  extension.input.on == nullptr ? options : runtime::on_device_of(*extension.input.on, options));
}

void extend(const Matrix& matrix, Buffer out, const ExtendForm& form, const RunOptions& options) {
    const PublicCall entry("extend");
    runtime::require_no_policy(options);
    runtime::Extension extension = runtime::read_extension(matrix, form);
    if (extension.input.on != nullptr) runtime::require_same_device(*extension.input.on, out);
    runtime::set_out(extension, runtime::place_of(out), out.size());
    require_apart(matrix, extension, out);
    run_extension(extension.job, runtime::on_device_of(out, options));
}

}  // namespace merklize::inline v0
