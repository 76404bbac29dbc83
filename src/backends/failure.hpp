// Failures inside a backend are exceptions of one type. At the C tables they become a status and a text.
#pragma once

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "seams/status.h"

namespace merklize::backends {

struct Failure : std::exception {
    Failure(mkz_status code, std::string words) : status(code), text(std::move(words)) {}
    const char* what() const noexcept override { return text.c_str(); }

    mkz_status status;
    std::string text;
};

struct LastError {
    std::string text;
    char without_memory[64] = "";  // not empty: shown instead, because there was no memory for a text
};

inline LastError& kept_error() noexcept {
    static thread_local LastError kept;
    return kept;
}

/// The calling thread's last error, whichever backend's.
inline const char* last_error() noexcept {
    const LastError& kept = kept_error();
    return kept.without_memory[0] != '\0' ? kept.without_memory : kept.text.c_str();
}

/// The status of the exception that is being handled; its text is kept for last_error(). Only for catch blocks.
/// backend  the beginning of the text of any other exception: "opencl"
inline mkz_status note_exception(const char* backend) noexcept {
    LastError& kept = kept_error();
    kept.without_memory[0] = '\0';
    try {
        try {
            throw;
        } catch (Failure& failure) {
            kept.text.swap(failure.text);
            return failure.status;
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& e) {
            kept.text = std::string(backend) + ": " + e.what();
        } catch (...) {
            kept.text = std::string(backend) + ": a foreign exception";
        }
        return MKZ_INTERNAL;
    } catch (...) {
        std::snprintf(kept.without_memory, sizeof kept.without_memory, "%s: the host has no memory left", backend);
        return MKZ_OUT_OF_MEMORY;
    }
}

/// Runs the body of a function of the C tables: no exception leaves it.
template <class Body>
mkz_status guarded(const char* backend, Body&& body) noexcept {
    try {
        std::forward<Body>(body)();
        return MKZ_OK;
    } catch (...) {
        return note_exception(backend);
    }
}

}  // namespace merklize::backends
