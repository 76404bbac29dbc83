// The functions of a driver (seams/driver.h), listed once. Every backend declares them and fills its table from this
// list.
#pragma once

#include "seams/backend.h"

// X(function): a backend's functions have the names of the table.
// clang-format off
#define MKZ_DRIVER_FUNCTIONS(X)                                                                                    \
    X(facts)                                                                                                       \
    X(allocate) X(allocate_host) X(release_host) X(is_pinned) X(wrap) X(wrap_host) X(native) X(alignment)          \
    X(release) X(limit_memory) X(memory_in_use)                                                                    \
    X(stream_open) X(stream_close) X(stream_synchronize) X(stream_wait)                                            \
    X(copy_to_device) X(copy_to_host) X(copy_on_device)                                                            \
    X(event_record) X(event_wait) X(event_query) X(event_span) X(event_native) X(event_release)                    \
    X(program_build) X(program_binary) X(program_load) X(program_release) X(program_function) X(launch)
// clang-format on

namespace merklize::backends {

template <class Pointer>
struct Of;
template <class Result, class... Arguments>
struct Of<Result (*)(Arguments...)> {
    using Function = Result(Arguments...) noexcept;
};

}  // namespace merklize::backends

// In a backend's namespace: declares its functions.
#define MKZ_DECLARE_DRIVER_FUNCTION(name) ::merklize::backends::Of<decltype(mkz_driver::name)>::Function name;
// {MKZ_DRIVER_FUNCTIONS(MKZ_FILL_DRIVER_FUNCTION)} is its table; functions that may be null come last.
#define MKZ_FILL_DRIVER_FUNCTION(name) .name = name,

// A backend's own table, where its functions have the names of the table.
#define MKZ_BACKEND(text, its_driver, error_function) \
    {                                                 \
        .abi = MKZ_BACKEND_ABI,                       \
        .name = text,                                 \
        .why_unavailable = why_unavailable,           \
        .device_count = device_count,                 \
        .device_facts = device_facts,                 \
        .tune = tune,                                 \
        .driver = its_driver,                         \
        .last_error = error_function,                 \
    }
