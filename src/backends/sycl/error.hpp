// Failures inside this plug-in are exceptions. At the C table they become a status and a text.
#pragma once

#include <exception>
#include <mutex>
#include <utility>

#include "backends/failure.hpp"

namespace merklize::sycl_plugin {

using backends::Failure;
using backends::last_error;

/// Throws the current exception again; an exception of SYCL becomes a Failure. Only for catch blocks.
[[noreturn]] void rethrow_as_failure();

/// Runs the body of a function of the C table, which may throw.
template <class Body>
mkz_status guarded(Body&& body) noexcept {
    return backends::guarded("sycl", [&] {
        try {
            body();
        } catch (...) {
            rethrow_as_failure();
        }
    });
}

/// Keeps the first failure that a queue's asynchronous handler gets, for the next call that may throw it.
class AsyncErrors {
public:
    void keep(std::exception_ptr error) {
        const std::lock_guard lock(mutex_);
        if (!first_) first_ = std::move(error);
    }
    /// Throws the failure, once.
    void raise() {
        std::exception_ptr error;
        {
            const std::lock_guard lock(mutex_);
            error.swap(first_);
        }
        if (error) std::rethrow_exception(error);
    }

private:
    std::mutex mutex_;
    std::exception_ptr first_;
};

}  // namespace merklize::sycl_plugin
