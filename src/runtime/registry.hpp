#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "merklize/device.hpp"
#include "runtime/backend.h"

namespace merklize::runtime {

class QueueDevice;

/// The backends of this build, in the order of devices().
std::span<const mkz_backend* const> backends() noexcept;

/// The CPU: it finishes on the host what devices began, such as the last nodes of a digest.
const mkz_backend& host_backend() noexcept;

/// What a Device refers to. One a device, alive as long as the process.
struct DeviceState {
    DeviceState(const mkz_backend* backend, std::uint32_t index, DeviceInfo info)
        : backend(backend), index(index), info(std::move(info)) {}

    const mkz_backend* backend;
    std::uint32_t index;
    DeviceInfo info;

    bool is_host() const noexcept { return backend->driver == nullptr; }
    /// The device opened, at the first call; not for the host.
    const std::shared_ptr<QueueDevice>& queue_device() const;

private:
    mutable std::mutex opening_;
    mutable std::shared_ptr<QueueDevice> opened_;
};

}  // namespace merklize::runtime
