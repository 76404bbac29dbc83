// evaluate_constraints(): sums of polynomials of the rows of matrices.
#include "merklize/constraints.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstring>
#include <string>
#include <vector>

#include "calls/run.hpp"
#include "hashes/field.hpp"
#include "host/invalid.hpp"
#include "lde/input.hpp"
#include "merklize/core/kernels/constraints.h"

namespace merklize::inline v0 {
namespace {

static_assert(sizeof(ConstraintStep) == MKZ_STEP_WORDS * sizeof(std::uint32_t));
static_assert(static_cast<std::uint32_t>(ConstraintOp::sum) == MKZ_STEP_SUM);
static_assert(ConstraintOperand::cell(0, 0).bits >> MKZ_OPERAND_BITS == MKZ_OPERAND_CELL);

constexpr std::uint64_t most_steps = std::uint64_t{1} << 24;

// What steps may name, and the check of them.
class StepChecks {
public:
    StepChecks(std::span<const Matrix> matrices, std::uint64_t scalars, std::uint64_t weights)
        : matrices_(matrices), scalars_(scalars), weights_(weights) {}

    void check(std::uint64_t number, const ConstraintStep& step) {
        number_ = number;
        if (step.op > ConstraintOp::sum) {
            refuse("op must be add (0), subtract (1), multiply (2) or sum (3), got " +
                   std::to_string(static_cast<std::uint32_t>(step.op)));
        }
        check("a", step.a);
        if (step.op == ConstraintOp::sum) {
            require_below("b", "a weight", step.b.bits, weights_);
            require_below("to", "of a sum", step.to, 1);
        } else {
            check("b", step.b);
            require_below("to", "a slot", step.to, MKZ_CONSTRAINT_SLOTS);
            written_.set(step.to);
        }
    }

private:
    void check(const char* side, ConstraintOperand operand) {
        constexpr std::uint64_t most = ConstraintOperand::most_number;
        const std::uint32_t kind = operand.bits >> MKZ_OPERAND_BITS;
        const std::uint64_t found = operand.bits & most;
        if (kind == MKZ_OPERAND_SLOT) {
            require_below(side, "a slot", found, MKZ_CONSTRAINT_SLOTS);
            if (!written_.test(found))
                refuse(std::string(side) + " must be a slot that a step before wrote, got " + std::to_string(found));
        } else if (kind == MKZ_OPERAND_SCALAR) {
            require_below(side, "a scalar", found, std::min(scalars_, most));
        } else {
            const std::uint32_t matrix = (kind - MKZ_OPERAND_CELL) / 2;
            require_below(side, "a matrix", matrix, matrices_.size());
            require_below(side, "a column", found, std::min(matrices_[matrix].columns, most));
        }
    }
    void require_below(const char* what, const char* kind, std::uint64_t found, std::uint64_t end) const {
        if (found < end) return;
        refuse(std::string(what) + " must be " + kind + " below " + std::to_string(end) + ", got " +
               std::to_string(found));
    }
    [[noreturn]] void refuse(const std::string& rule) const {
        invalid_call("steps", "of step " + std::to_string(number_) + " " + rule);
    }

    std::span<const Matrix> matrices_;
    std::uint64_t scalars_, weights_;
    std::uint64_t number_ = 0;
    std::bitset<MKZ_CONSTRAINT_SLOTS> written_{};
};

void require_words(const char* argument, std::span<const std::byte> bytes, std::uint64_t unit, const char* of) {
    if (bytes.size() % unit == 0) return;
    invalid_call(argument, "must have " + std::to_string(unit) + " bytes for each " + of + ", got " +
                               std::to_string(bytes.size()));
}

void require_elements(const char* argument, std::span<const std::byte> bytes, const runtime::FieldFacts& field) {
    const std::size_t n = bytes.size() / field.word_bytes;
    const std::size_t wrong = n == 0 ? n : runtime::first_not_below(field.modulus, field.word_bytes, bytes.data(), n);
    if (wrong == n) return;
    invalid_call("word " + std::to_string(wrong) + " of " + argument +
                 " is not a field element: it must be below p = " + std::to_string(field.modulus));
}

}  // namespace

void evaluate_constraints(std::span<const Matrix> matrices, std::span<std::byte> out, const ConstraintForm& form,
                          const RunOptions& options) {
    const PublicCall entry("evaluate_constraints");
    runtime::require_no_policy(options);
    if (matrices.empty() || matrices.size() > MKZ_CONSTRAINT_MATRICES) {
        invalid_call("matrices", "must be 1 to " + std::to_string(MKZ_CONSTRAINT_MATRICES) + ", got " +
                                     std::to_string(matrices.size()));
    }
    const runtime::FieldMatrices given = runtime::read_field_matrices(matrices, form.field);
    const runtime::FieldFacts& field = given.field;
    const std::uint64_t rows = matrices[0].rows;
    for (const Matrix& matrix : matrices) {
        if (matrix.rows != rows) {
            invalid_call("matrices", "must have the same number of rows, got " + std::to_string(matrix.rows) +
                                         " after " + std::to_string(rows));
        }
        if (matrix.columns == 0) invalid_call("matrices", "must have at least 1 column, got 0");
    }
    if (!std::has_single_bit(rows) || rows > std::uint64_t{1} << 32)
        invalid_call("the number of rows must be a power of two up to 2^32, got " + std::to_string(rows));
    const Elements wanted = form.field == Field::goldilocks ? Elements::any : Elements::montgomery;
    if (matrices[0].elements != wanted) {
        invalid_call("elements", std::string("must be ") + (wanted == Elements::any ? "any" : "montgomery") +
                                     " for matrices over " + field.name);
    }
    if (form.order > RowOrder::bit_reversed) {
        invalid_call("order", "must be natural (0) or bit_reversed (1), got " +
                                  std::to_string(static_cast<std::uint32_t>(form.order)));
    }
    if (form.next > rows) {
        invalid_call("next", "must be at most the number of rows, " + std::to_string(rows) + ", got " +
                                 std::to_string(form.next));
    }
    if (form.degree < 1 || form.degree > MKZ_CONSTRAINT_DEGREE) {
        invalid_call("degree",
                     "must be 1 to " + std::to_string(MKZ_CONSTRAINT_DEGREE) + ", got " + std::to_string(form.degree));
    }
    if (form.steps.size() > most_steps) {
        invalid_call("steps",
                     "must be at most " + std::to_string(most_steps) + ", got " + std::to_string(form.steps.size()));
    }
    const std::uint64_t sum_bytes = std::uint64_t{field.word_bytes} * form.degree;
    require_words("scalars", form.scalars, field.word_bytes, "scalar");
    require_words("weights", form.weights, sum_bytes, "weight");
    if (out.size() / sum_bytes != rows || out.size() % sum_bytes != 0) {
        invalid_call("out", "must have " + std::to_string(sum_bytes) + " bytes for each of " + std::to_string(rows) +
                                " rows, got " + std::to_string(out.size()));
    }
    StepChecks checks(matrices, form.scalars.size() / field.word_bytes, form.weights.size() / sum_bytes);
    // A copy, so that nothing that was checked can change.
    std::vector<std::uint32_t> steps(MKZ_STEP_WORDS * form.steps.size());
    if (!steps.empty()) std::memcpy(steps.data(), form.steps.data(), form.steps.size_bytes());
    for (std::uint64_t number = 0; number < form.steps.size(); number++) {
        ConstraintStep step;
        std::memcpy(static_cast<void*>(&step), &steps[MKZ_STEP_WORDS * number], sizeof step);
        checks.check(number, step);
    }
    using enum runtime::Operand::Use;
    std::vector<runtime::Operand> operands = {
        {reads, "scalars", form.scalars}, {reads, "weights", form.weights}, {writes, "out", std::as_bytes(out)}};
    runtime::add_reads(operands, matrices, given.input);
    runtime::require_apart(operands);
    if (wanted != Elements::any) {
        require_elements("scalars", form.scalars, field);
        require_elements("weights", form.weights, field);
    }
    const runtime::Constraints job{.field = static_cast<std::uint32_t>(form.field),
                                   .matrices = given.input.at,
                                   .log_rows = static_cast<std::uint32_t>(std::countr_zero(rows)),
                                   .points = rows,
                                   .next = form.next,
                                   .is_reversed = form.order == RowOrder::bit_reversed,
                                   .steps = steps,
                                   .scalars = form.scalars,
                                   .weights = form.weights,
                                   .degree = form.degree,
                                   .out = out.data()};
    const RunOptions here = given.input.on == nullptr ? options : runtime::on_device_of(*given.input.on, options);
    runtime::Run run(here);
    run.launch(job, 1);
    run.finish();
}

}  // namespace merklize::inline v0
