#pragma once

#include <cstdint>
#include <vector>

#include <nanobind/nanobind.h>
#include <merklize/merklize.hpp>

namespace merklize::binding {

/// indices  an array of uint64, in C order
std::vector<std::uint64_t> to_indices(nanobind::handle indices);

/// tree  a Tree of Python's;  path  bytes
void save(nanobind::handle tree, nanobind::handle path);

}  // namespace merklize::binding
