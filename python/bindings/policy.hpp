#pragma once

#include <nanobind/nanobind.h>
#include <merklize/policy.hpp>

namespace merklize::binding {

/// policy  None, or a mapping from names of fields of merklize::Policy to values; the value of `constants` is a name
/// errors  InvalidArgument (an unknown field, or a value that it does not take)
Policy to_policy(nanobind::handle policy);

/// All fields that apply to a job on a device, or on the CPU.
nanobind::dict to_dict(const Policy& policy, bool on_host);
/// The fields that are set.
nanobind::dict chosen(const Policy& policy);

}  // namespace merklize::binding
