#pragma once

#include <nanobind/nanobind.h>
#include <merklize/merklize.hpp>

namespace merklize::binding {

/// The fields of a proof, in the order that the classes of merklize.proof take.
nanobind::tuple describe(const MerkleProof& proof);
nanobind::tuple describe(const MultiProof& proof);
nanobind::tuple describe(const ConsistencyProof& proof);

}  // namespace merklize::binding
