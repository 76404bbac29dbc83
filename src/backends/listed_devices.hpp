// Devices that a vendor's runtime lists once, at first use: the functions of mkz_backend that OpenCL and SYCL share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/checks.hpp"
#include "backends/driver_table.hpp"
#include "backends/tuning.hpp"
#include "seams/backend.h"

namespace merklize::backends {

/// Device  has facts, driver_facts and device_class
template <class Device>
struct DeviceList {
    std::vector<std::unique_ptr<Device>> all;
    std::string missing;  // why there are none; else empty
};

/// Throws a Failure if no device has this index.
template <class Device>
Device& device_of(const DeviceList<Device>& list, const char* backend, std::uint32_t index) {
    if (!list.missing.empty()) throw Failure(MKZ_UNAVAILABLE, list.missing);
    require_device(backend, index, list.all.size());
    return *list.all[index];
}

/// The functions of a backend's table.
/// Backend  has a `name`, `devices()`, which may throw and whose list is never destroyed, and the text `without_memory`
///          for when there is no memory to list them
template <class Backend>
struct ListedDevices {
    static const char* why_unavailable() noexcept {
        try {
            const std::string& missing = Backend::devices().missing;
            return missing.empty() ? nullptr : missing.c_str();
        } catch (...) {
            return Backend::without_memory;
        }
    }

    static std::uint32_t device_count() noexcept {
        try {
            return static_cast<std::uint32_t>(Backend::devices().all.size());
        } catch (...) {
            return 0;
        }
    }

    static mkz_status device_facts(std::uint32_t device, mkz_device_facts* facts) noexcept {
        return guarded(Backend::name, [&] { *facts = device_of(Backend::devices(), Backend::name, device).facts; });
    }

    static mkz_status driver_facts(std::uint32_t device, mkz_driver_facts* facts) noexcept {
        return guarded(Backend::name,
                       [&] { *facts = device_of(Backend::devices(), Backend::name, device).driver_facts; });
    }

    static void tune(std::uint32_t device, mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, std::uint32_t,
                     mkz_policy* policy) noexcept {
        DeviceClass found = DeviceClass::gpu;  // for a device that does not exist
        std::uint32_t max_group_size = 0;
        guarded(Backend::name, [&] {
            const auto& d = device_of(Backend::devices(), Backend::name, device);
            found = d.device_class;
            max_group_size = d.driver_facts.max_group_size;
        });
        backends::tune(found, kernel, hash, n, max_group_size, policy);
    }

    static constexpr mkz_backend table(const mkz_driver* driver) noexcept {
        return MKZ_BACKEND(Backend::name, driver, last_error);
    }
};

}  // namespace merklize::backends
