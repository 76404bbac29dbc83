#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "merklize/device.hpp"
#include "jobs/backend.h"
#include "tuning/calibration.hpp"
#include "host/threads.hpp"

namespace merklize::runtime {

class QueueDevice;

/// The backends of this build, in the order of devices().
std::span<const mkz_backend* const> backends() noexcept;

/// The CPU: it finishes on the host what devices began, such as the last nodes of a digest.
const mkz_backend& host_backend() noexcept;
/// One launch of it, done when it returns.
/// returns  false if tick cancelled it
bool launch_on_host(mkz_kernel kernel, const void* arguments, unsigned threads, const Tick& tick = {});

/// What a Device refers to. One a device, alive as long as the process.
struct DeviceState {
    DeviceState(const mkz_backend* backend, std::uint32_t index, DeviceInfo info, std::vector<Device> parts = {})
        : backend(backend), index(index), info(std::move(info)), parts(std::move(parts)) {}

    const mkz_backend* backend;  // of several devices: the first one's
    std::uint32_t index;
    DeviceInfo info;
    std::vector<Device> parts;       // several devices at once, or none
    std::vector<KnownCost> costs{};  // "auto": what it chooses by, or nothing

    /// Whether calls with host data ask chosen() (calibration.hpp) for the device.
    bool chooses() const noexcept { return !costs.empty(); }

    /// Whether it has no memory of its own: the CPU, and several devices at once, which get their shares of host memory.
    bool is_host() const noexcept { return backend->driver == nullptr || !parts.empty(); }
    /// The device opened, at the first call.  errors  invalid_argument (is_host())
    const std::shared_ptr<QueueDevice>& queue_device() const;

private:
    mutable std::mutex opening_;
    mutable std::shared_ptr<QueueDevice> opened_;
};

}  // namespace merklize::runtime
