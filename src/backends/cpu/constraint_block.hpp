#pragma once

#include <cstddef>
#include <cstdint>

#include "merklize/core/kernels/constraints.h"

namespace merklize::cpu {

/// Points of a block: whole vectors of every instruction set, and enough that the reading of a step costs little.
inline constexpr std::uint64_t constraint_points = 64;

/// A program of constraints (core/kernels/constraints.h), and where it finds the words of a block of points. Words are
/// of any alignment. Strides and rows are in bytes.
struct ConstraintBlock {
    const std::byte *scalars, *weights;
    const std::uint32_t *steps, *steps_end;
    std::uint64_t modulus;
    std::uint32_t degree;
    const std::byte *matrices[MKZ_CONSTRAINT_MATRICES] = {};
    std::uint64_t columns[MKZ_CONSTRAINT_MATRICES] = {};
    std::int64_t column_stride[MKZ_CONSTRAINT_MATRICES] = {};
    /// Of the points, and of the points after them.
    std::int64_t rows[MKZ_CONSTRAINT_MATRICES][2][constraint_points] = {};
};

}  // namespace merklize::cpu
