// Failures inside this plug-in are exceptions; at the C table they become a status and a text.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

#include "runtime/status.h"

namespace merklize::sycl_plugin {

class Failure : public std::runtime_error {
public:
    Failure(mkz_status status, const std::string& text) : std::runtime_error(text), status_(status) {}
    mkz_status status() const noexcept { return status_; }

private:
    mkz_status status_;
};

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

/// What a queue's asynchronous handler was given: the first failure waits here for the next call that may throw it.
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
