#pragma once

#include <nanobind/nanobind.h>
#include <merklize/merklize.hpp>

namespace merklize::binding {

/// form  the tuple (hash, rule, key, context, padding) of merklize._forms; rule, key, context and padding may be None
/// errors  InvalidArgument (unknown names, lengths)
TreeForm to_form(nanobind::handle form);

nanobind::str name_of(Hash hash);
nanobind::str name_of(TreeRule rule);

}  // namespace merklize::binding
