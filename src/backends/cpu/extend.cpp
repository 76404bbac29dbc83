// Extensions: each pass runs over tiles of rows and columns, which all threads share.
#include <algorithm>
#include <atomic>
#include <new>

#include "backends/cpu/lanes.hpp"
#include "host/host_block.hpp"
#include "host/threads.hpp"
#include "jobs/extension.hpp"
#include "jobs/host_executor.hpp"
#include "jobs/matrix_rows.hpp"
#include "jobs/progress.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

// Coefficients and values of the columns of a batch: what a shared cache holds.
constexpr std::uint64_t extend_batch_bytes = 32 << 20;

}  // namespace

bool HostExecutor::launch(const Extend& job, const Tick& tick) {
    try {
        const ExtensionPlan plan(job);
        const ExtensionPlan::Tables tables = plan.tables();
        const std::uint64_t word = plan.field().word_bytes, tile_columns = cpu::extend_tile_bytes / word;
        const std::uint64_t tiles_a_batch =
            std::max<std::uint64_t>(1, extend_batch_bytes / (2 * job.rows * cpu::extend_tile_bytes));
        const std::uint64_t batch = std::min(job.in.columns, tile_columns * tiles_a_batch);
        const HostBlock coefficients(plan.needs_scratch() ? job.rows * batch * word : 0),
            values(plan.needs_scratch() ? job.rows * batch * word : 0);
        const cpu::ExtendKernel kernel = word == 8 ? cpu::lanes().extend_64 : cpu::lanes().extend_32;
        std::atomic<bool> all_below{true};
        double before = 0;
        for (std::uint64_t first = 0; first < job.in.columns && all_below; first += batch) {
            const std::uint64_t columns = std::min(batch, job.in.columns - first);
            const auto passes = plan.passes(columns, 0, {job.in, job.out});
            const auto bytes_at = [&](ExtensionPlan::At at) {
                switch (at) {
                    case ExtensionPlan::At::in: return host_bytes(from_row(job.in, 0, first).first);
                    case ExtensionPlan::At::coefficients: return static_cast<std::byte*>(coefficients.data());
                    case ExtensionPlan::At::values: return static_cast<std::byte*>(values.data());
                    case ExtensionPlan::At::out: break;
                }
                return host_bytes(job.out.first) + word * first;
            };
            const double share =
                static_cast<double>(columns) / static_cast<double>(job.in.columns) / static_cast<double>(passes.size());
            for (const ExtensionPlan::Pass& step : passes) {
                const auto& pass = step.pass;
                const std::uint64_t across = (columns + tile_columns - 1) / tile_columns;
                const bool finished =
                    parallel_for((job.rows >> pass.levels) * across, threads_,
                                 [&](std::size_t tile) {
                                     if (!kernel(pass, tile / across, tile % across * tile_columns, bytes_at(step.from),
                                                 bytes_at(step.to), tables.roots.data(), tables.scales.data()))
                                         all_below = false;
                                 },
                                 part_of(tick, before, share));
                if (!finished) return false;
                before += share;
                if (!all_below) break;
            }
        }
        if (!all_below) require_words_below(words_of(job), 0, job.in, 0, job.rows);
        return true;
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCode::out_of_memory, "cpu: out of memory");
    }
}

}  // namespace merklize::runtime
