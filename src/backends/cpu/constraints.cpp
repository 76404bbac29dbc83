// Constraints: each step of a program runs over a block of points, in lanes.
#include <algorithm>
#include <array>
#include <cstring>

#include "backends/cpu/constraint_block.hpp"
#include "backends/cpu/lanes.hpp"
#include "host/threads.hpp"
#include "jobs/extension.hpp"
#include "jobs/host_executor.hpp"

namespace merklize::runtime {

bool HostExecutor::launch(const Constraints& job, const Tick& tick) {
    const FieldFacts& field = *find_field(job.field);
    const cpu::ConstraintKernel kernel =
        field.word_bytes == 8 ? cpu::lanes().constraints_64 : cpu::lanes().constraints_32;
    cpu::ConstraintBlock shared{.scalars = job.scalars.data(),
                                .weights = job.weights.data(),
                                .steps = job.steps.data(),
                                .steps_end = job.steps.data() + job.steps.size(),
                                .modulus = field.modulus,
                                .degree = job.degree};
    for (std::size_t m = 0; m < job.matrices.size(); m++) {
        shared.matrices[m] = host_bytes(job.matrices[m].first);
        shared.columns[m] = job.matrices[m].columns;
        shared.column_stride[m] = job.matrices[m].column_stride;
    }
    const std::uint64_t size = std::uint64_t{1} << job.log_rows;
    const auto turned = [&](std::uint64_t i) -> std::uint64_t {
        return job.is_reversed ? mkz_extend_reversed(static_cast<mkz_u32>(i), job.log_rows) : i;
    };
    // Neighbouring points have rows far apart where rows are in bit-reversed order. So a block has neighbouring rows
    // then, if all points are wanted.
    const bool by_rows = job.points == size;
    return parallel_for(
        (job.points + cpu::constraint_points - 1) / cpu::constraint_points, threads_,
        [&](std::size_t task) {
            const std::uint64_t first = task * cpu::constraint_points,
                                count = std::min(cpu::constraint_points, job.points - first);
            cpu::ConstraintBlock block = shared;
            std::array<std::byte*, cpu::constraint_points> to;
            for (std::uint64_t k = 0; k < cpu::constraint_points; k++) {
                const std::uint64_t i = first + std::min(k, count - 1), point = by_rows ? turned(i) : job.first + i;
                const std::array rows = {turned(point), turned((point + job.next) & (size - 1))};
                for (std::size_t m = 0; m < job.matrices.size(); m++) {
                    for (std::size_t after = 0; after < 2; after++)
                        block.rows[m][after][k] = static_cast<std::int64_t>(rows[after]) * job.matrices[m].row_stride;
                }
                to[k] = job.out + (point - job.first) * job.degree * field.word_bytes;
            }
            std::array<std::byte, sizeof(mkz_u64) * MKZ_CONSTRAINT_DEGREE * cpu::constraint_points> sums;
            kernel(block, sums.data());
            for (std::uint64_t k = 0; k < count; k++) {
                for (std::uint32_t d = 0; d < job.degree; d++)
                    std::memcpy(to[k] + d * field.word_bytes,
                                &sums[(d * cpu::constraint_points + k) * field.word_bytes], field.word_bytes);
            }
        },
        tick);
}

}  // namespace merklize::runtime
