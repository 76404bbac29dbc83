#pragma once

#include "merklize/device.hpp"

namespace merklize::runtime {

/// The CPU, for what runs there whatever the default device is. Never destroyed, because threads may compute while the
/// process ends.
inline const Device& cpu_device() {
    static const Device& device = *new Device("cpu");
    return device;
}

/// Options that run a call on the CPU, in the calling thread alone.
inline RunOptions on_this_thread() { return {.device = cpu_device(), .threads = 1}; }

}  // namespace merklize::runtime
