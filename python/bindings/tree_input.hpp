#pragma once

#include <optional>

#include <nanobind/nanobind.h>
#include <merklize/merklize.hpp>

#include "source.hpp"

namespace merklize::binding {

/// The input of a tree, as Python gives it.
class LeafInput {
public:
    /// input      a path as bytes, a descriptor as an int, or what PythonSource takes
    /// leaf_size  of pieces; row_size  of rows; both None: the input holds the leaves themselves
    /// errors     TypeError, InvalidArgument (both sizes)
    LeafInput(nanobind::handle input, nanobind::handle leaf_size, nanobind::handle row_size, bool needs_bytes = false);

    const TreeInput& get() const noexcept { return input_; }

private:
    std::optional<PythonSource> source_;
    TreeInput input_;
};

}  // namespace merklize::binding
