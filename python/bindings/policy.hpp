#pragma once

#include <nanobind/nanobind.h>
#include <merklize/policy.hpp>

namespace merklize::binding {

/// policy  None, or a mapping of the fields of merklize::Policy by their names; constants by the name of its value
/// errors  InvalidArgument (an unknown field, or a value that it does not take)
Policy to_policy(nanobind::handle policy);

/// All fields that a job of a device has, or of the CPU.
nanobind::dict to_dict(const Policy& policy, bool on_host);
/// The fields that are set.
nanobind::dict chosen(const Policy& policy);

}  // namespace merklize::binding
