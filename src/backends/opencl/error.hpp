// Failures inside this driver are exceptions; at the C table they become a status and a text.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "backends/opencl/api.hpp"
#include "runtime/status.h"

namespace merklize::opencl {

class Failure : public std::runtime_error {
public:
    Failure(mkz_status status, const std::string& text) : std::runtime_error(text), status_(status) {}
    mkz_status status() const noexcept { return status_; }

private:
    mkz_status status_;
};

/// "CL_OUT_OF_RESOURCES (-5)"
std::string code_text(cl_int code);

/// What a code means for the caller when a function returns it.
mkz_status status_of(cl_int code) noexcept;

/// The exception in flight as a status; its text is last_error() of this thread. For use in a catch block.
mkz_status keep_exception() noexcept;
const char* last_error() noexcept;

/// Runs what may throw for a function of the C table.
template <class Body>
mkz_status guarded(Body&& body) noexcept {
    try {
        body();
        return MKZ_OK;
    } catch (...) {
        return keep_exception();
    }
}

}  // namespace merklize::opencl
