#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "backends/listed_devices.hpp"
#include "backends/memory_limit.hpp"
#include "backends/opencl/api.hpp"
#include "backends/opencl/error.hpp"
#include "backends/opencl/handle.hpp"

namespace merklize::opencl {

inline constexpr std::uint64_t page_bytes = 4096;  // host memory that devices use is aligned to pages

/// One device of one platform. Made when the devices are first listed, alive until the process ends.
class Device {
public:
    Device(std::uint32_t index, cl_platform_id platform, cl_device_id id);
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    /// The one context of this device: all queues, blocks and programs of a device must share one to work together.
    /// Made on first use and never released, because some runtimes crash if it is released while the process ends.
    cl_context context();
    /// Joins the context `theirs` of the caller's queue or memory `what`. If this device has no context yet, it takes
    /// that one; if it has another, invalid_argument.
    void join_context(cl_context theirs, const char* what);

    /// Host memory allocated by the device's driver, so that copies need no staging.
    void* allocate_pinned(std::uint64_t bytes);
    void release_pinned(void* host);
    bool is_pinned(const void* host);

    /// Throws the code that a function of OpenCL returned: "opencl:0 (NAME): FUNCTION: CODE while DOING".
    [[noreturn]] void fail(const char* function, cl_int code, const std::string& doing) const {
        fail(status_of(code), function, code, doing);
    }
    [[noreturn]] void fail(mkz_status status, const char* function, cl_int code, const std::string& doing) const;
    /// Throws a failure of the caller's or of the device's: "opencl:0 (NAME): TEXT".
    [[noreturn]] void refuse(mkz_status status, const std::string& text) const;

    const std::uint32_t index;
    const cl_platform_id platform;
    const cl_device_id id;
    std::string label;  // "opencl:0 (NAME)"
    mkz_device_facts facts{};
    backends::DeviceClass device_class = backends::DeviceClass::gpu;
    mkz_driver_facts driver_facts;
    std::string spirv;  // the versions of SPIR-V that it takes; empty: none
    std::uint64_t max_items = 0;
    backends::MemoryLimit memory_limit;

private:
    struct Pinned {
        Handle<cl_mem> memory;
        void* mapped;
        std::uint64_t bytes;
    };
    cl_command_queue helper_queue();  // mutex_ must be held

    std::mutex mutex_;
    cl_context context_ = nullptr;
    cl_command_queue helper_ = nullptr;
    std::map<const char*, Pinned, std::greater<>> pinned_;  // by the address given out, highest first
};

using DeviceList = backends::DeviceList<Device>;
/// All devices, listed at the first call and numbered as the loader lists platforms, and each platform its devices.
/// Never destroyed, like the library.
const DeviceList& devices();
/// Throws a Failure if no device has this index.
Device& device_of(std::uint32_t index);

MKZ_DRIVER_FUNCTIONS(MKZ_DECLARE_DRIVER_FUNCTION)

}  // namespace merklize::opencl
