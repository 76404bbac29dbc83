#pragma once

#include <nanobind/nanobind.h>
#include <merklize/merklize.hpp>

namespace merklize::binding {

nanobind::str name_of(Hash hash);
nanobind::str name_of(TreeRule rule);

}  // namespace merklize::binding
