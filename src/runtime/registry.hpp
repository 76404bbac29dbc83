#pragma once

#include <cstdint>
#include <span>

#include "merklize/device.hpp"
#include "runtime/backend.h"

namespace merklize::runtime {

/// The backends of this build, in the order in which "auto" tries them.
std::span<const mkz_backend* const> backends() noexcept;

/// What a Device refers to. Alive as long as a Device is.
struct DeviceState {
    const mkz_backend* backend;
    std::uint32_t index;
    DeviceInfo info;
};

}  // namespace merklize::runtime
