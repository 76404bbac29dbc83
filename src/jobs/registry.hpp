#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "merklize/device.hpp"
#include "seams/backend.h"

namespace merklize::runtime {

class QueueDevice;

/// The backends of this build, in the order of devices().
std::span<const mkz_backend* const> backends() noexcept;

/// The measured costs of a job by a hash on a device, with the device's name and driver for which they hold.
struct KnownCost {
    struct Point {
        std::uint64_t bytes;
        double seconds;
    };

    std::string device, name, driver;
    Job job{};
    Hash hash{};
    std::vector<Point> points{};  // at least one; bytes grow
    bool is_pinned = false;       // of data in memory that is pinned for the device

    /// The expected time: on the lines between the points, and on the last line beyond them.
    double seconds(std::uint64_t bytes) const;
};

/// The costs by which "auto" chooses, as calibrate() stored them for this machine, sorted by their jobs; none if it was
/// never measured: calls/calibration.cpp.
std::vector<KnownCost> load_costs();

/// Opens a device of a backend that has a driver: queue/device.cpp.
/// id  for error texts
std::shared_ptr<QueueDevice> open_device(const mkz_backend& backend, std::uint32_t index, std::string id);

/// What a Device refers to. One for each device, alive as long as the process.
struct DeviceState {
    DeviceState(const mkz_backend* backend, std::uint32_t index, DeviceInfo info, std::vector<Device> parts = {})
        : backend(backend), index(index), info(std::move(info)), parts(std::move(parts)) {}

    const mkz_backend* backend;  // of several devices: the first one's
    std::uint32_t index;
    DeviceInfo info;
    std::vector<Device> parts;       // several devices at once, or none
    std::vector<KnownCost> costs{};  // of "auto": the costs by which it chooses, or none

    /// Whether the device has no memory of its own: the CPU, and several devices as one, which get shares of host
    /// memory.
    bool is_host() const noexcept { return backend->driver == nullptr || !parts.empty(); }
    /// Whether a processor computes: the host's, or a device that says it is one. Opens no device.
    bool is_processor() const noexcept;
    /// The opened device; opens it at the first call.  errors  invalid_argument (is_host())
    const std::shared_ptr<QueueDevice>& opened() const;
};

}  // namespace merklize::runtime
