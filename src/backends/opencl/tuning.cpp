#include "backends/opencl/tuning.hpp"

#include <string_view>

#include "backends/opencl/device.hpp"
#include "backends/tuning.hpp"

namespace merklize::opencl {

void tune(std::uint32_t device, mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, std::uint32_t,
          mkz_policy* policy) noexcept {
    using enum backends::DeviceClass;
    backends::DeviceClass found = gpu;  // of a device that is not there
    std::uint32_t max_group_size = 0;
    guarded([&] {
        const Device& d = device_of(device);
        const auto has = [](std::string_view text, std::string_view name) { return text.find(name) != text.npos; };
        max_group_size = d.driver_facts.max_group_size;
        if (d.driver_facts.is_cpu != 0) {
            found = has(d.driver_facts.compiler, "PoCL") ? pocl_processor : intel_processor;
        } else if (has(d.facts.vendor, "NVIDIA")) {
            found = nvidia_gpu;
        }
    });
    backends::tune(found, kernel, hash, n, max_group_size, policy);
}

}  // namespace merklize::opencl
