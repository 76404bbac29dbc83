#pragma once

#include <string>
#include <utility>

#include "backends/failure.hpp"
#include "backends/opencl/api.hpp"

namespace merklize::opencl {

using backends::Failure;

/// "CL_OUT_OF_RESOURCES (-5)"
std::string code_text(cl_int code);

/// The status that the caller gets when a function returns a code.
mkz_status status_of(cl_int code) noexcept;

/// Runs the body of a function of the C tables.
template <class Body>
mkz_status guarded(Body&& body) noexcept {
    return backends::guarded("opencl", std::forward<Body>(body));
}

}  // namespace merklize::opencl
