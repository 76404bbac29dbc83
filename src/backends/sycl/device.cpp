#include "backends/sycl/device.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

namespace merklize::sycl_plugin {
namespace {

namespace info = ::sycl::info;
namespace experimental = ::sycl::ext::oneapi::experimental;

std::string runtime_version() {
    return std::to_string(__LIBSYCL_MAJOR_VERSION) + "." + std::to_string(__LIBSYCL_MINOR_VERSION) + "-" +
           std::to_string(__SYCL_COMPILER_VERSION);
}

// The folder of the run-time library that this process uses.
std::filesystem::path runtime_folder() {
    Dl_info found{};
    const auto get = static_cast<std::vector<::sycl::platform> (*)()>(&::sycl::platform::get_platforms);
    if (dladdr(reinterpret_cast<const void*>(get), &found) == 0 || found.dli_fname == nullptr) return {};
    return std::filesystem::path(found.dli_fname).parent_path();
}

// Python's packages register no driver with the system. So Intel's processor device beside the runtime is found only if
// this variable names it. The OpenCL loader reads the variable once, when SYCL first looks for platforms.
void show_processor_device() {
    std::error_code ignored;
    const auto library = runtime_folder() / "libintelocl.so";
    if (secure_getenv("OCL_ICD_FILENAMES") == nullptr && std::filesystem::exists(library, ignored))
        setenv("OCL_ICD_FILENAMES", library.c_str(), 1);
}

const char* platform_kind(const ::sycl::platform& platform) {
    switch (platform.get_backend()) {
        case ::sycl::backend::opencl: return "OpenCL";
        case ::sycl::backend::ext_oneapi_level_zero: return "Level Zero";
        case ::sycl::backend::ext_oneapi_cuda: return "CUDA";
        case ::sycl::backend::ext_oneapi_hip: return "HIP";
        default: return "SYCL";
    }
}

// Why this driver cannot use a device, or null.
const char* why_not(::sycl::device device) {
    if (!device.has(::sycl::aspect::usm_device_allocations)) return "has no unified shared memory";
    if (!device.ext_oneapi_can_build(experimental::source_language::sycl)) return "has no run-time compiler of SYCL";
    return nullptr;
}

DeviceList list_devices() {
    DeviceList devices;
    show_processor_device();
    devices.missing = "sycl: no device";
    const auto platforms = ::sycl::platform::get_platforms();
    for (const ::sycl::platform& platform : platforms) {
        for (const ::sycl::device& device : platform.get_devices()) {
            if (const char* reason = why_not(device)) {
                devices.missing += "; " + platform.get_info<info::platform::name>() + ": " +
                                   device.get_info<info::device::name>() + " " + reason;
                continue;
            }
            devices.all.push_back(std::make_unique<Device>(static_cast<std::uint32_t>(devices.all.size()), device));
        }
    }
    if (platforms.empty()) {
        std::error_code ignored;
        devices.missing +=
            "; the SYCL runtime " + runtime_version() + " in " + runtime_folder().string() + " knows no platform";
        if (!std::filesystem::exists(runtime_folder() / "libur_adapter_opencl.so", ignored) &&
            !std::filesystem::exists(runtime_folder() / "libur_adapter_opencl.so.0", ignored)) {
            devices.missing +=
                ", and has no adapter for OpenCL (intel-sycl-rt 2025.0 to 2026.1 have it, 2026.2.0 has not)";
        }
        devices.missing +=
            "; install the driver of a device, or for processors: pip install 'intel-opencl-rt==2026.0.*'";
    }
    if (!devices.all.empty()) devices.missing.clear();
    return devices;
}

}  // namespace

Device::Device(std::uint32_t index, const ::sycl::device& of) : index(index), device(of) {
    const ::sycl::platform platform = of.get_platform();
    const std::string name = of.get_info<info::device::name>(), version = of.get_info<info::device::driver_version>();
    label = "sycl:" + std::to_string(index) + " (" + name + ")";
    backends::put(facts.name, name);
    backends::put(facts.vendor, of.get_info<info::device::vendor>());
    backends::put(facts.driver, version);
    backends::put(facts.isa, std::string("SYCL, ") + platform_kind(platform));
    facts.units = of.get_info<info::device::max_compute_units>();
    facts.memory_bytes = of.get_info<info::device::global_mem_size>();

    driver_facts.language = MKZ_LANGUAGE_SYCL;
    driver_facts.is_cpu = of.is_cpu() ? 1 : 0;
    // This excludes GPUs that reach host memory page by page, because their kernels would run at the speed of the link.
    driver_facts.unified = of.is_cpu() && of.has(::sycl::aspect::usm_system_allocations) ? 1 : 0;
    driver_facts.max_group_size = static_cast<std::uint32_t>(
        std::min<std::size_t>({of.get_info<info::device::max_work_group_size>(),
                               of.get_info<info::device::max_work_item_sizes<1>>()[0], std::size_t{1} << 30}));
    driver_facts.local_bytes = of.get_info<info::device::local_mem_size>();
    driver_facts.max_allocation = of.get_info<info::device::max_mem_alloc_size>();
    const std::string compiler = "SYCL " + runtime_version() + " / " + version + " / " + name + " / " +
                                 platform_kind(platform) + " / " + platform.get_info<info::platform::version>();
    backends::put_summed(driver_facts.compiler, compiler);
    if (driver_facts.is_cpu != 0) device_class = backends::DeviceClass::sycl_processor;
}

const ::sycl::context& Device::context() {
    const std::lock_guard lock(mutex_);
    if (!context_) context_ = device.get_platform().khr_get_default_context();
    return *context_;
}

void Device::join_context(const ::sycl::context& theirs) {
    const std::lock_guard lock(mutex_);
    if (!context_) context_ = theirs;
    if (*context_ == theirs) return;
    refuse(
        MKZ_INVALID_ARGUMENT,
        "the sycl::queue belongs to another context than the one in use for this device; make it without a context, or "
        "wrap it before anything else uses the device: then its context is taken");
}

void Device::refuse(mkz_status status, const std::string& text) const { backends::refuse(status, label, text); }

const DeviceList& devices() {
    static const DeviceList& listed = *[] {
        try {
            return new DeviceList(list_devices());
        } catch (const std::exception& e) {
            auto failed = std::make_unique<DeviceList>();
            failed->missing = std::string("sycl: looking for devices: ") + e.what();
            return failed.release();
        }
    }();
    return listed;
}

Device& device_of(std::uint32_t index) { return backends::device_of(devices(), "sycl", index); }

}  // namespace merklize::sycl_plugin
