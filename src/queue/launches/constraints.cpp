// Constraints: some points at a time. Matrices of the host go to the device whole, because a point reads two rows of
// them that may be far apart.
#include <algorithm>
#include <vector>

#include "host/threads.hpp"
#include "jobs/extension.hpp"
#include "jobs/host_executor.hpp"
#include "jobs/matrix_rows.hpp"
#include "merklize/core/kernels/constraints.h"
#include "merklize/error.hpp"
#include "queue/launches/pack.hpp"

namespace merklize::runtime {
namespace {

// A launch of so many ends before a display or a watchdog of the driver waits too long, and keeps a large GPU busy.
constexpr std::uint64_t points_at_once = 256 << 10;

bool evaluate(DeviceCall& call, const Constraints& a, const Tick& tick) {
    const FieldFacts& field = *find_field(a.field);
    const std::uint64_t word = field.word_bytes, sum_bytes = word * a.degree, rows = std::uint64_t{1} << a.log_rows;
    const Kernel kernel = call.free_kernel(data_variant(), word == 8 ? bodies::constraints64 : bodies::constraints32);
    mkz_constraints_shape shape{};
    std::vector<mkz_memory*> memory;
    std::vector<Lease> rooms;
    for (std::size_t m = 0; m < a.matrices.size(); m++) {
        MatrixAt matrix = a.matrices[m];
        require_aligned_words(call, matrix, word);
        if (!matrix.first.on_device) {
            const std::uint64_t row_bytes = matrix.columns * word;
            const Lease& room = rooms.emplace_back(call.scratch(rows * row_bytes));
            std::vector<std::byte> packed;
            const std::byte* from = host_bytes(matrix.first);
            if (!has_whole_rows(matrix, field.word_bytes)) {
                packed.resize(rows * row_bytes);
                copy_columns(matrix, field.word_bytes, rows, packed.data(), row_bytes, call.threads());
                from = packed.data();
            }
            call.upload(room.place(), from, rows * row_bytes);
            matrix = packed_at(room.place(), matrix.columns, word);
        }
        const Range in = range_of(matrix.first);
        memory.push_back(in.memory);
        const auto words = static_cast<std::int64_t>(word);
        shape.offset[m] = in.offset / word;
        shape.row_stride[m] = static_cast<std::uint64_t>(matrix.row_stride / words);
        shape.column_stride[m] = static_cast<std::uint64_t>(matrix.column_stride / words);
    }
    memory.resize(MKZ_CONSTRAINT_MATRICES, memory[0]);
    // No block is empty.
    const auto sent = [&](std::span<const std::byte> bytes) {
        Lease lease = call.scratch(std::max<std::uint64_t>(bytes.size(), word));
        if (!bytes.empty()) call.upload(lease.place(), bytes.data(), bytes.size());
        return lease;
    };
    const Lease scalars = sent(a.scalars), weights = sent(a.weights), steps = sent(std::as_bytes(a.steps));
    const std::uint64_t most = std::min(points_at_once, a.points);
    const Lease sums = call.scratch(most * sum_bytes);
    shape.next = a.next;
    shape.modulus = field.modulus;
    shape.n_steps = static_cast<std::uint32_t>(a.steps.size() / MKZ_STEP_WORDS);
    shape.degree = a.degree;
    shape.log_rows = a.log_rows;
    shape.is_reversed = a.is_reversed ? 1 : 0;
    for (std::uint64_t done = 0; done < a.points; done += shape.points) {
        shape.first = a.first + done;
        shape.points = std::min(most, a.points - done);
        call.enqueue(kernel, divide_up(shape.points, kernel.group_size),
                     {memory[0], memory[1], memory[2], range_of(scalars).memory, range_of(weights).memory,
                      range_of(steps).memory, range_of(sums).memory, shape});
        call.download(a.out + done * sum_bytes, sums.place(), shape.points * sum_bytes);
        const auto share = static_cast<double>(done + shape.points) / static_cast<double>(a.points);
        if (tick && !tick(share)) return false;
    }
    return true;
}

}  // namespace

// If a device has no memory for it, the processors compute.
bool DeviceCall::launch(const Constraints& a, const Tick& tick) {
    try {
        return evaluate(*this, a, tick);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
    }
    free_scratch();
    const std::uint32_t word = find_field(a.field)->word_bytes;
    Constraints here = a;
    std::vector<HostBlock> given;
    for (MatrixAt& matrix : here.matrices) {
        given.push_back(on_host(*this, matrix, word, std::uint64_t{1} << a.log_rows));
        if (matrix.first.on_device) matrix = packed_at(host_place(given.back().data()), matrix.columns, word);
    }
    return HostExecutor(threads()).launch(here, tick);
}

}  // namespace merklize::runtime
