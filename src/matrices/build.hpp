#pragma once

#include "calls/run.hpp"
#include "matrices/input.hpp"
#include "matrices/plan.hpp"
#include "merklize/matrix_commitment.hpp"

namespace merklize::runtime {

/// Hashes the rows of matrices into their layers, and merges the layers. Dropped layers are made in pieces, which take
/// little memory.
/// nodes   the slots of the plan, on the host or on the run's device
/// errors  invalid_argument (a word that is not below the modulus, with its place), cancelled
void build_commitment(const CommitmentForm& form, const MatrixInput& input, const CommitmentPlan& plan,
                      const Place& nodes, Run& run);

/// Makes all nodes of a plan_blocks().
/// input       the rows below its nodes, from row 0 on
/// first_leaf  the number of leaf 0, for texts of errors
/// share       of the call
void build_blocks(const CommitmentForm& form, const MatrixInput& input, const CommitmentPlan& blocks,
                  const Place& nodes, std::uint64_t first_leaf, double share, Run& run);

}  // namespace merklize::runtime
