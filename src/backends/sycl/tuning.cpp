#include "backends/sycl/tuning.hpp"

#include "backends/sycl/device.hpp"
#include "backends/tuning.hpp"

namespace merklize::sycl_plugin {

void tune(std::uint32_t device, mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, std::uint32_t,
          mkz_policy* policy) noexcept {
    using enum backends::DeviceClass;
    backends::DeviceClass found = gpu;  // of a device that is not there
    std::uint32_t max_group_size = 0;
    guarded([&] {
        const Device& d = device_of(device);
        if (d.driver_facts.is_cpu != 0) found = sycl_processor;
        max_group_size = d.driver_facts.max_group_size;
    });
    backends::tune(found, kernel, hash, n, max_group_size, policy);
}

}  // namespace merklize::sycl_plugin
