#pragma once

#include <nanobind/nanobind.h>

#include "manifests/create.hpp"

namespace merklize::binding {

/// The files of a source in a store, and the storage that reads them.
/// found  (source, storage) as merklize.stores._manifests' Store.opener() gives them
manifests::Place to_place(nanobind::handle found);

}  // namespace merklize::binding
