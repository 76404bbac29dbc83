// Constraints: some points at a time, whose cells are copied before, cell after cell. Matrices of the host go to the
// device whole, because a point reads two rows of them that may be far apart.
#include <algorithm>
#include <array>
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

// A launch of so many points ends before a display or a watchdog of the driver waits too long, and keeps a large GPU
// busy.
constexpr std::uint64_t most_points = 256 << 10, least_points = 1 << 10;
// Of copied cells at first. With less memory there are fewer points at a time.
std::uint64_t most_cells_bytes(DeviceCall& call) {
    if (call.facts().unified != 0) return 256 << 20;  // the host's own memory, which processes share
    return std::clamp<std::uint64_t>(call.facts().max_allocation / 16, 256 << 20, std::uint64_t{8} << 30);
}

// A program whose steps name the copies of cells.
struct StepsOfCopies {
    std::vector<std::uint32_t> steps, cells;
    std::uint32_t slots = 0;

    explicit StepsOfCopies(const Constraints& a) : steps(a.steps.begin(), a.steps.end()) {
        std::array<std::vector<std::uint32_t>, std::size_t{2} * MKZ_CONSTRAINT_MATRICES> copies;  // by kind and column
        const auto copied = [&](std::uint32_t& operand) {
            const std::uint32_t kind = operand >> MKZ_OPERAND_BITS, column = operand & ((1u << MKZ_OPERAND_BITS) - 1);
            if (kind < MKZ_OPERAND_CELL) return;
            std::vector<std::uint32_t>& of_kind = copies[kind - MKZ_OPERAND_CELL];
            if (of_kind.size() <= column) of_kind.resize(column + 1);
            if (of_kind[column] == 0) {
                cells.push_back(operand);
                of_kind[column] = static_cast<std::uint32_t>(cells.size());
            }
            operand = MKZ_OPERAND_CELL << MKZ_OPERAND_BITS | (of_kind[column] - 1);
        };
        for (std::size_t at = 0; at < steps.size(); at += MKZ_STEP_WORDS) {
            copied(steps[at + 2]);
            if (steps[at] == MKZ_STEP_SUM) continue;
            copied(steps[at + 3]);
            slots = std::max(slots, steps[at + 1] + 1);
        }
        // The kernel runs two steps at a time, and reads two ahead. One more writes a slot that nothing reads.
        const std::size_t n = a.steps.size() / MKZ_STEP_WORDS;
        steps.resize((n + n % 2 + 2) * MKZ_STEP_WORDS);
    }

    // Those that the kernel runs.
    std::uint32_t n_steps() const { return static_cast<std::uint32_t>(steps.size() / MKZ_STEP_WORDS - 2); }
    // So many that the copied cells of the points take no more than `bytes`.
    std::uint64_t points_in(std::uint64_t bytes, std::uint64_t word) const {
        return std::clamp(bytes / (std::max<std::uint64_t>(cells.size(), 1) * word), least_points, most_points);
    }
};

class ConstraintLaunch {
public:
    ConstraintLaunch(DeviceCall& call, const Constraints& a, const StepsOfCopies& program)
        : call_(call), a_(a), field_(*find_field(a.field)), program_(program) {}

    bool run(std::uint64_t points_at_once, const Tick& tick) {
        constexpr std::uint64_t lanes = MKZ_CONSTRAINT_LANES;
        const std::uint64_t word = field_.word_bytes, sum_bytes = word * a_.degree;
        const Variant variant = constraint_variant(program_.slots);
        const Kernel copy =
            call_.free_kernel(variant, word == 8 ? bodies::constraint_cells64 : bodies::constraint_cells32);
        const Kernel kernel = call_.free_kernel(variant, word == 8 ? bodies::constraints64 : bodies::constraints32);
        mkz_cells_shape cells{};
        const std::vector<mkz_memory*> matrices = place_matrices(cells);
        const Lease scalars = sent(a_.scalars), weights = sent(a_.weights), steps = sent_words(program_.steps),
                    named = sent_words(program_.cells);
        const std::uint64_t most = std::min(points_at_once, a_.points), n_cells = program_.cells.size();
        const Lease copies = call_.scratch(std::max<std::uint64_t>(n_cells, 1) * divide_up(most, lanes) * lanes * word);
        const Lease sums = call_.scratch(most * sum_bytes);
        cells.next = a_.next;
        cells.modulus = field_.modulus;
        cells.n_cells = static_cast<std::uint32_t>(n_cells);
        cells.log_rows = a_.log_rows;
        cells.is_reversed = a_.is_reversed ? 1 : 0;
        mkz_constraints_shape shape{
            .points = 0, .pitch = 0, .modulus = field_.modulus, .n_steps = program_.n_steps(), .degree = a_.degree};
        for (std::uint64_t done = 0; done < a_.points; done += shape.points) {
            shape.points = std::min(most, a_.points - done);
            shape.pitch = divide_up(shape.points, lanes);
            cells.first = a_.first + done;
            cells.pitch = shape.pitch * lanes;
            if (n_cells != 0) {
                const std::uint64_t tiles = divide_up(n_cells, MKZ_CELLS_SIDE) * divide_up(cells.pitch, MKZ_CELLS_SIDE);
                call_.enqueue(
                    copy, tiles,
                    {matrices[0], matrices[1], matrices[2], range_of(named).memory, range_of(copies).memory, cells});
            }
            call_.enqueue(kernel, divide_up(shape.pitch, kernel.group_size),
                          {range_of(copies).memory, range_of(scalars).memory, range_of(weights).memory,
                           range_of(steps).memory, range_of(sums).memory, shape});
            call_.download(a_.out + done * sum_bytes, sums.place(), shape.points * sum_bytes);
            const auto share = static_cast<double>(done + shape.points) / static_cast<double>(a_.points);
            if (tick && !tick(share)) return false;
        }
        return true;
    }

private:
    // Where each matrix lies on the device. A kernel wants three.
    std::vector<mkz_memory*> place_matrices(mkz_cells_shape& cells) {
        const std::uint64_t word = field_.word_bytes, rows = std::uint64_t{1} << a_.log_rows;
        std::vector<mkz_memory*> memory;
        for (std::size_t m = 0; m < a_.matrices.size(); m++) {
            MatrixAt matrix = a_.matrices[m];
            require_aligned_words(call_, matrix, word);
            if (!matrix.first.on_device) {
                const Lease& room = rooms_.emplace_back(call_.scratch(rows * matrix.columns * word));
                std::vector<std::byte> packed;
                matrix = upload_rows(call_, matrix, field_.word_bytes, rows, room.place(), packed);
            }
            const Range in = range_of(matrix.first);
            memory.push_back(in.memory);
            const auto words = static_cast<std::int64_t>(word);
            cells.offset[m] = in.offset / word;
            cells.row_stride[m] = static_cast<std::uint64_t>(matrix.row_stride / words);
            cells.column_stride[m] = static_cast<std::uint64_t>(matrix.column_stride / words);
        }
        memory.resize(MKZ_CONSTRAINT_MATRICES, memory[0]);
        return memory;
    }
    // No block is empty.
    Lease sent(std::span<const std::byte> bytes) {
        Lease lease = call_.scratch(std::max<std::uint64_t>(bytes.size(), sizeof(std::uint64_t)));
        if (!bytes.empty()) call_.upload(lease.place(), bytes.data(), bytes.size());
        return lease;
    }
    Lease sent_words(const std::vector<std::uint32_t>& words) { return sent(std::as_bytes(std::span(words))); }

    DeviceCall& call_;
    const Constraints& a_;
    const FieldFacts& field_;
    const StepsOfCopies& program_;
    std::vector<Lease> rooms_;
};

}  // namespace

// With little memory a device takes fewer points at a time. If it has none, the processors compute.
bool DeviceCall::launch(const Constraints& a, const Tick& tick) {
    const std::uint32_t word = find_field(a.field)->word_bytes;
    const StepsOfCopies program(a);
    for (std::uint64_t bytes = most_cells_bytes(*this);; bytes /= 4) {
        const std::uint64_t points = program.points_in(bytes, word);
        try {
            return ConstraintLaunch(*this, a, program).run(points, tick);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::out_of_memory) throw;
        }
        free_scratch();
        if (points == least_points) break;
    }
    Constraints here = a;
    std::vector<HostBlock> given;
    for (MatrixAt& matrix : here.matrices) {
        given.push_back(on_host(*this, matrix, word, std::uint64_t{1} << a.log_rows));
        if (matrix.first.on_device) matrix = packed_at(host_place(given.back().data()), matrix.columns, word);
    }
    return HostExecutor(threads()).launch(here, tick);
}

}  // namespace merklize::runtime
