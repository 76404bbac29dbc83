#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nanobind/nanobind.h>
#include <merklize/policy.hpp>

namespace merklize::binding {

namespace nb = nanobind;

/// Where and how a call runs: the options that nearly every function of the package takes.
struct Settings {
    std::string device = "auto";            ///< an id, several with commas between, or "auto"
    unsigned threads = 0;                   ///< of the CPU; 0: all
    nb::object progress = nb::none();       ///< a callable, or None
    std::optional<std::uint64_t> stream{};  ///< handle of the caller's queue
    bool wait = true;                       ///< until the results are complete; else the stream completes them later
    Policy policy{};                        ///< tuning values
    nb::object timings = nb::none();        ///< a Timings to fill, or None
};

}  // namespace merklize::binding
