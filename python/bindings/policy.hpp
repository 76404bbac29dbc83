#pragma once

#include <nanobind/nanobind.h>
#include <merklize/policy.hpp>

namespace merklize::binding {

/// policy  None, or a mapping of the fields of the C++ struct by their names; constants by the name of its value
/// errors  InvalidArgument (unknown fields or values)
TreePolicy to_tree_policy(nanobind::handle policy);
HashPolicy to_hash_policy(nanobind::handle policy);

/// All fields, for a tree of a device; those that the CPU has, for one of the CPU.
nanobind::dict to_dict(const TreePolicy& policy, bool on_host);
/// The fields that are set.
nanobind::dict chosen(const TreePolicy& policy);
nanobind::dict chosen(const HashPolicy& policy);

}  // namespace merklize::binding
