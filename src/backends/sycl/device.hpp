#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <sycl/sycl.hpp>

#include "backends/listed_devices.hpp"
#include "backends/memory_limit.hpp"
#include "backends/sycl/error.hpp"

namespace merklize::sycl_plugin {

/// One device of one platform. Made when the devices are first listed, alive until the process ends.
class Device {
public:
    Device(std::uint32_t index, const ::sycl::device& device);
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    /// The one context of this device: all queues, blocks and programs of a device share it. The platform's default
    /// one, which queues made without a context have, unless a caller's queue came first.
    const ::sycl::context& context();
    /// Joins the context `theirs` of the caller's queue. If this device has no context yet, it takes that one; if it
    /// has another, invalid_argument.
    void join_context(const ::sycl::context& theirs);

    /// Throws a failure of the caller's or of the device's: "sycl:0 (NAME): TEXT".
    [[noreturn]] void refuse(mkz_status status, const std::string& text) const;

    const std::uint32_t index;
    const ::sycl::device device;
    std::string label;  // "sycl:0 (NAME)"
    mkz_device_facts facts{};
    backends::DeviceClass device_class = backends::DeviceClass::gpu;
    mkz_driver_facts driver_facts{};
    backends::MemoryLimit memory_limit;

private:
    std::mutex mutex_;
    std::optional<::sycl::context> context_;
};

/// Runs a function. An exception of SYCL becomes a Failure with the device and the activity: "sycl:0 (NAME): ... while
/// DOING". refused: the status for errors that SYCL calls invalid.
template <class Body>
auto attempt(const Device& device, const std::string& doing, mkz_status refused, Body&& body) {
    try {
        return body();
    } catch (const ::sycl::exception& e) {
        mkz_status status = refused;
        if (e.code() == ::sycl::errc::memory_allocation) status = MKZ_OUT_OF_MEMORY;
        if (e.code() == ::sycl::errc::feature_not_supported) status = MKZ_UNAVAILABLE;
        device.refuse(status, e.code().message() + ": " + e.what() + " while " + doing);
    }
}

using DeviceList = backends::DeviceList<Device>;
/// All devices, listed at the first call and numbered as the runtime lists platforms, and each platform its devices.
/// Never destroyed, like the runtime. If the runtime fails to start, the list is empty and has that reason.
const DeviceList& devices();
/// Throws a Failure if no device has this index.
Device& device_of(std::uint32_t index);

MKZ_DRIVER_FUNCTIONS(MKZ_DECLARE_DRIVER_FUNCTION)

}  // namespace merklize::sycl_plugin
