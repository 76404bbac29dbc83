#pragma once

#include "merklize/device.hpp"

namespace merklize::runtime {

/// The processor, for what is computed there whatever the default device is. Never destroyed: threads may compute while the process ends.
inline const Device& cpu_device() {
    static const Device& device = *new Device("cpu");
    return device;
}

/// The same, in the calling thread.
inline RunOptions on_this_thread() { return {.device = cpu_device(), .threads = 1}; }

}  // namespace merklize::runtime
