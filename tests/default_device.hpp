#pragma once

#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "merklize/device.hpp"

namespace support {

/// Whether the default device has queues and memory of its own: neither the CPU nor several devices.
inline bool has_memory() { return !merklize::runtime::state_of(merklize::Device()).is_host(); }

}  // namespace support
