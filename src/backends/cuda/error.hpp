#pragma once

#include <string>
#include <utility>

#include "backends/cuda/api.hpp"
#include "backends/failure.hpp"

namespace merklize::cuda {

using backends::Failure;

/// Throws a Failure unless `result` is CUDA_SUCCESS.
/// what  the driver's function, for the text
/// on    "cuda:0"
void check(CUresult result, const char* what, const std::string& on);

/// Throws a Failure in a process that was forked from one that had started CUDA.
void require_own_process();

/// Runs the body of a function of the C tables: no exception leaves it, and a forked child never reaches the driver.
template <class Body>
mkz_status guarded(Body&& body) noexcept {
    return backends::guarded("cuda", [&] {
        require_own_process();
        std::forward<Body>(body)();
    });
}

}  // namespace merklize::cuda
