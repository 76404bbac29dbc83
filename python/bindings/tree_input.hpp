#pragma once

#include <nanobind/nanobind.h>
#include <merklize/merklize.hpp>

namespace merklize::binding {

/// input      a path as bytes, or a descriptor as an int
/// leaf_size  of pieces; row_size  of rows; both None: the input holds the leaves themselves
/// errors     TypeError, InvalidArgument (both sizes)
TreeInput to_tree_input(nanobind::handle input, nanobind::handle leaf_size, nanobind::handle row_size);

}  // namespace merklize::binding
