#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "backends/cuda/api.hpp"
#include "runtime/status.h"

namespace merklize::cuda {

/// Inside this backend errors are exceptions of this one type; guarded() turns them into a status and a text.
struct Failure : std::exception {
    Failure(mkz_status code, std::string words) : status(code), text(std::move(words)) {}
    const char* what() const noexcept override { return text.c_str(); }

    mkz_status status;
    std::string text;
};

/// Throws a Failure unless `result` is CUDA_SUCCESS.
/// what  the driver's function, for the text
/// on    "cuda:0"
void check(CUresult result, const char* what, const std::string& on);

/// Throws a Failure in a process that was forked from one that had started CUDA.
void require_own_process();

/// Keeps the text of the exception that is being handled for last_error(). Only to be called in a catch block.
mkz_status note_exception() noexcept;

/// The calling thread's last error.
const char* last_error() noexcept;

/// Runs the body of a function of the C tables: no exception leaves it, and a forked child never reaches the driver.
template <class Body>
mkz_status guarded(Body&& body) noexcept {
    try {
        require_own_process();
        std::forward<Body>(body)();
        return MKZ_OK;
    } catch (...) {
        return note_exception();
    }
}

}  // namespace merklize::cuda
