#include "backends/opencl/device.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

namespace merklize::opencl {
namespace {

std::string trimmed(std::string text) {
    text.resize(std::min(text.size(), text.find('\0')));
    const std::size_t first = text.find_first_not_of(" \t\n");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\n") + 1 - first);
}

// A text of a platform or device; empty if it has none.
template <class Function, class Object>
std::string text_of(Function function, Object object, cl_uint what) {
    std::size_t bytes = 0;
    if (function(object, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
    std::string text(bytes, '\0');
    if (function(object, what, bytes, text.data(), nullptr) != CL_SUCCESS) return {};
    return trimmed(text);
}

template <class T>
T number_of(cl_device_id id, cl_uint what) {
    T value{};
    return api().clGetDeviceInfo(id, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : T{};
}

// "OpenCL C 3.0 with the vendor's words" -> "OpenCL C 3.0"
std::string first_words(const std::string& text, int words) {
    std::size_t end = 0;
    for (int i = 0; i < words && end != std::string::npos; i++) end = text.find(' ', i == 0 ? 0 : end + 1);
    return text.substr(0, end);
}

// "OpenCL 1.2 ..." of a device -> 12
int version_of(cl_device_id id) {
    const std::string text = text_of(api().clGetDeviceInfo, id, CL_DEVICE_VERSION);
    int major = 0, minor = 0;
    // NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion): what is no number stays 0, which is too old
    std::sscanf(text.c_str(), "OpenCL %d.%d", &major, &minor);
    return 10 * major + minor;
}

// Why this driver cannot use a device, or null.
const char* why_not(cl_device_id id) {
    if (number_of<cl_bool>(id, CL_DEVICE_AVAILABLE) == 0) return "is not available now";
    if (number_of<cl_bool>(id, CL_DEVICE_ENDIAN_LITTLE) == 0) return "is not little endian";
    if (version_of(id) < 12) return "is older than OpenCL 1.2";
    return nullptr;
}

bool holds(cl_context context, cl_device_id id) {
    std::size_t bytes = 0;
    if (api().clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &bytes) != CL_SUCCESS) return false;
    std::vector<cl_device_id> ids(bytes / sizeof(cl_device_id));
    return api().clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, static_cast<void*>(ids.data()), nullptr) ==
               CL_SUCCESS &&
           std::ranges::find(ids, id) != ids.end();
}

void list_platform(cl_platform_id platform, DeviceList& devices) {
    const std::string name = text_of(api().clGetPlatformInfo, platform, CL_PLATFORM_NAME);
    cl_uint count = 0;
    cl_int code = api().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
    std::vector<cl_device_id> ids(code == CL_SUCCESS ? count : 0);
    if (!ids.empty()) code = api().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr);
    if (code != CL_SUCCESS || ids.empty()) {
        devices.missing +=
            "; platform " + name + (code == CL_SUCCESS ? " has no device" : ": clGetDeviceIDs: " + code_text(code));
        return;
    }
    for (cl_device_id id : ids) {
        if (const char* reason = why_not(id)) {
            devices.missing += "; " + name + ": " + text_of(api().clGetDeviceInfo, id, CL_DEVICE_NAME) + " " + reason;
            continue;
        }
        const auto index = static_cast<std::uint32_t>(devices.all.size());
        devices.all.push_back(std::make_unique<Device>(index, platform, id));
    }
}

DeviceList list_devices() {
    DeviceList devices;
    if (const char* reason = why_no_library()) {
        devices.missing = reason;
        return devices;
    }
    devices.missing = "opencl: no device";
    cl_uint count = 0;
    cl_int code = api().clGetPlatformIDs(0, nullptr, &count);
    std::vector<cl_platform_id> platforms(code == CL_SUCCESS ? count : 0);
    if (!platforms.empty()) code = api().clGetPlatformIDs(count, platforms.data(), nullptr);
    if (code != CL_SUCCESS || platforms.empty()) {
        devices.missing +=
            "; the OpenCL library knows no platform: clGetPlatformIDs: " + code_text(code) +
            "; install the driver of a device, which registers itself in /etc/OpenCL/vendors (Debian, for processors: "
            "pocl-opencl-icd), or set MERKLIZE_OPENCL_LIBRARY to a driver's library (pip install intel-opencl-rt: "
            "libintelocl.so)";
        return devices;
    }
    for (cl_platform_id platform : platforms) list_platform(platform, devices);
    if (!devices.all.empty()) devices.missing.clear();
    return devices;
}

}  // namespace

Device::Device(std::uint32_t index, cl_platform_id platform, cl_device_id id)
    : index(index), platform(platform), id(id) {
    const auto text = [&](cl_uint what) { return text_of(api().clGetDeviceInfo, id, what); };
    const std::string name = text(CL_DEVICE_NAME), version = text(CL_DRIVER_VERSION);
    label = "opencl:" + std::to_string(index) + " (" + name + ")";
    backends::put(facts.name, name);
    backends::put(facts.vendor, text(CL_DEVICE_VENDOR));
    backends::put(facts.driver, version);
    backends::put(facts.isa, first_words(text(CL_DEVICE_OPENCL_C_VERSION), 3));
    facts.units = number_of<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS);
    facts.memory_bytes = number_of<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);

    std::size_t largest[16] = {};  // the specification wants three dimensions, and no device has more than a few
    if (api().clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof largest, largest, nullptr) != CL_SUCCESS ||
        largest[0] == 0) {
        largest[0] = 1;
    }
    driver_facts.language = MKZ_LANGUAGE_OPENCL;
    driver_facts.unified = number_of<cl_bool>(id, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0 ? 1 : 0;
    driver_facts.is_cpu = (number_of<cl_bitfield>(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0 ? 1 : 0;
    driver_facts.max_group_size = static_cast<std::uint32_t>(
        std::min<std::size_t>({number_of<std::size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE), largest[0], 1u << 30}));
    driver_facts.local_bytes = number_of<cl_ulong>(id, CL_DEVICE_LOCAL_MEM_SIZE);
    driver_facts.max_allocation = number_of<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    backends::put_summed(driver_facts.compiler, version + " / " + name + " / " +
                                                    text_of(api().clGetPlatformInfo, platform, CL_PLATFORM_VERSION));
    max_items = number_of<cl_uint>(id, CL_DEVICE_ADDRESS_BITS) == 32 ? UINT32_MAX : SIZE_MAX;
    const std::string languages = text(CL_DEVICE_IL_VERSION);
    if (languages.find("SPIR-V") != std::string::npos) spirv = languages;
    const auto has = [](std::string_view text, std::string_view part) { return text.find(part) != text.npos; };
    if (driver_facts.is_cpu != 0) {
        device_class = has(driver_facts.compiler, "PoCL") ? backends::DeviceClass::pocl_processor
                                                          : backends::DeviceClass::intel_processor;
    } else if (has(facts.vendor, "NVIDIA")) {
        device_class = backends::DeviceClass::nvidia_gpu;
    }
}

void Device::fail(mkz_status status, const char* function, cl_int code, const std::string& doing) const {
    throw Failure(status, label + ": " + function + ": " + code_text(code) + " while " + doing);
}

void Device::refuse(mkz_status status, const std::string& text) const { backends::refuse(status, label, text); }

cl_context Device::context() {
    const std::lock_guard lock(mutex_);
    if (context_ == nullptr) {
        const std::intptr_t properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<std::intptr_t>(platform), 0};
        cl_int code = CL_SUCCESS;
        context_ = api().clCreateContext(properties, 1, &id, nullptr, nullptr, &code);
        if (code != CL_SUCCESS) {
            context_ = nullptr;
            fail("clCreateContext", code, "opening the device");
        }
    }
    return context_;
}

void Device::join_context(cl_context theirs, const char* what) {
    const std::lock_guard lock(mutex_);
    if (context_ == nullptr) {
        if (!holds(theirs, id)) refuse(MKZ_INVALID_ARGUMENT, std::string("the ") + what + " is of another device");
        retain(theirs);
        context_ = theirs;
    }
    if (context_ != theirs) {
        refuse(
            MKZ_INVALID_ARGUMENT,
            std::string("the ") + what +
                " belongs to another OpenCL context than the one in use for this device; create it in the context of a "
                "buffer of this library (clGetMemObjectInfo, CL_MEM_CONTEXT), or wrap it before anything else uses the "
                "device: "
                "then its context is taken");
    }
}

cl_command_queue Device::helper_queue() {
    if (helper_ == nullptr) {
        cl_int code = CL_SUCCESS;
        helper_ = api().clCreateCommandQueue(context_, id, 0, &code);
        if (code != CL_SUCCESS) {
            helper_ = nullptr;
            fail("clCreateCommandQueue", code, "making a queue for host memory");
        }
    }
    return helper_;
}

void* Device::allocate_pinned(std::uint64_t bytes) {
    cl_context in = context();
    const std::lock_guard lock(mutex_);
    const std::string doing = "allocating " + std::to_string(bytes) + " bytes of host memory";
    // One page more than asked for, because the driver's address need not be at the start of a page.
    const std::uint64_t all = bytes + page_bytes;
    cl_int code = CL_SUCCESS;
    Handle<cl_mem> memory(api().clCreateBuffer(in, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, all, nullptr, &code));
    if (code != CL_SUCCESS) fail("clCreateBuffer", code, doing);
    void* mapped = api().clEnqueueMapBuffer(helper_queue(), memory.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, all,
                                            0, nullptr, nullptr, &code);
    if (code != CL_SUCCESS) fail("clEnqueueMapBuffer", code, doing);
    void* host = mapped;
    std::size_t space = all;
    std::align(page_bytes, bytes, host, space);
    pinned_.emplace(static_cast<const char*>(host), Pinned{std::move(memory), mapped, bytes});
    return host;
}

void Device::release_pinned(void* host) {
    const std::lock_guard lock(mutex_);
    const auto found = pinned_.find(static_cast<const char*>(host));
    if (found == pinned_.end()) return;
    const Pinned gone = std::move(found->second);
    pinned_.erase(found);
    // The driver frees the block when the queue has unmapped it.
    api().clEnqueueUnmapMemObject(helper_queue(), gone.memory.get(), gone.mapped, 0, nullptr, nullptr);
    api().clFlush(helper_queue());
}

bool Device::is_pinned(const void* host) {
    const std::lock_guard lock(mutex_);
    const auto* at = static_cast<const char*>(host);
    const auto below = pinned_.lower_bound(at);  // the highest block that begins at `at` or before
    return below != pinned_.end() && std::less<>()(at, below->first + below->second.bytes);
}

const DeviceList& devices() {
    static const DeviceList& listed = *new DeviceList(list_devices());
    return listed;
}

Device& device_of(std::uint32_t index) { return backends::device_of(devices(), "opencl", index); }

}  // namespace merklize::opencl
