#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/extend.hpp>

namespace merklize::inline v0 {

/// An operand of a step: the value that the step reads. A number that no program can have makes an operand that
/// evaluate_constraints() refuses.
struct ConstraintOperand {
    std::uint32_t bits = 0;

    static constexpr unsigned number_bits = 29;
    static constexpr std::uint32_t most_number = (1u << number_bits) - 1;  ///< of no slot, scalar or column

    /// A value that an earlier step wrote: slot 0 to 63.
    static constexpr ConstraintOperand slot(std::uint32_t number) noexcept { return {below_most(number)}; }
    /// An element of ConstraintForm::scalars.
    static constexpr ConstraintOperand scalar(std::uint32_t number) noexcept {
        return {1u << number_bits | below_most(number)};
    }
    /// A word of matrix 0 to 2, in the row of the point that is computed, or in its next row if `is_next`.
    static constexpr ConstraintOperand cell(std::uint32_t matrix, std::uint32_t column, bool is_next = false) noexcept {
        if (matrix > 2) return slot(most_number);
        return {(2 + 2 * matrix + (is_next ? 1u : 0u)) << number_bits | below_most(column)};
    }

private:
    static constexpr std::uint32_t below_most(std::uint32_t number) noexcept {
        return number < most_number ? number : most_number;
    }
};

/// What a step does.
enum class ConstraintOp : std::uint32_t {
    add = 0,       ///< slot `to` becomes a + b
    subtract = 1,  ///< slot `to` becomes a - b
    multiply = 2,  ///< slot `to` becomes a b
    sum = 3,       ///< adds a times the weight of number b to the point's sum
};

/// A step of a program.
struct ConstraintStep {
    ConstraintOp op = ConstraintOp::add;
    std::uint32_t to = 0;  ///< 0 to 63; of a sum 0
    ConstraintOperand a{}, b{};
};

/// The polynomials, and the points at which they are evaluated.
struct ConstraintForm {
    Field field = Field::goldilocks;
    RowOrder order = RowOrder::natural;  ///< of the matrices' rows
    std::uint64_t next = 1;              ///< point i + next has the next row of point i; at most the number of rows
    std::span<const ConstraintStep> steps{};          ///< up to 2^24
    std::span<const std::byte> scalars{}, weights{};  ///< in the form of the matrices' words; a weight has `degree`
    unsigned degree = 1;                              ///< words of a weight and of a sum, 1 to 8
};

/// For each row of matrices, the sum of polynomials times weights: the constraints of a proof on a coset, folded by
/// powers of a challenge. The polynomials are a program without branches. Each point runs it with slots of its own.
/// matrices  one to three, of the same 2^k rows, k <= 32, in memory of the host or of a device, which then computes.
///           Elements::any over Goldilocks, Elements::montgomery over the other fields
/// out       `degree` words, below p, for each point, in natural order and in the form of the matrices' words. Must not
///           overlap the matrices, the scalars or the weights
/// order     complete when it returns
/// errors    invalid_argument (sizes; a step with an unknown op, a slot that no earlier step wrote, or a scalar, column
///           or weight that does not exist; a scalar or a weight that is not below p), out_of_memory, cancelled
/// cost      all steps for each point. A device needs working memory for the program, the sums, and matrices of the
///           host; if it has too little, the processors compute
MERKLIZE_API void evaluate_constraints(std::span<const Matrix> matrices, std::span<std::byte> out,
                                       const ConstraintForm& form, const RunOptions& options = {});

}  // namespace merklize::inline v0
