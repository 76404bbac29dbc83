#include "command/libraries.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>

#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "merklize/device.hpp"

namespace merklize::command {
namespace fs = std::filesystem;
namespace {

// Paths below site-packages/nvidia, the newest first: of the packages nvidia-cuda-nvrtc and nvidia-cuda-nvrtc-cu12.
constexpr const char* newest_nvrtc = "nvidia/cu13/lib/libnvrtc.so.13";
constexpr const char* older_nvrtc = "nvidia/cuda_nvrtc/lib/libnvrtc.so.12";
// Intel's OpenCL loader and its dependencies, which it does not find beside itself. Each comes after its own
// dependencies.
constexpr const char* sycl_loader[] = {"libintlc.so.5", "libirng.so", "libimf.so", "libsvml.so", "libOpenCL.so.1"};

bool is_set(const char* variable) { return std::getenv(variable) != nullptr; }

bool is_file(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error);
}

bool loads(const fs::path& library) { return dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr; }

// The folders of the environment's packages.
std::vector<fs::path> package_folders(const fs::path& environment) {
    std::vector<fs::path> folders;
    std::error_code error;
    for (fs::directory_iterator it(environment / "lib", error), last; !error && it != last; it.increment(error)) {
        if (!it->path().filename().string().starts_with("python")) continue;
        for (const char* name : {"site-packages", "dist-packages"})
            if (std::error_code none; fs::is_directory(it->path() / name, none)) folders.push_back(it->path() / name);
    }
    std::ranges::sort(folders, std::greater<>());
    return folders;
}

// 13000 for a driver of CUDA 13.0; 0 without one.
int cuda_driver_version() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (driver == nullptr) return 0;
    const auto ask = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDriverGetVersion"));
    int version = 0;
    return ask != nullptr && ask(&version) == 0 ? version : 0;
}

void find_nvrtc(const std::vector<fs::path>& packages) {
    if (is_set("MERKLIZE_NVRTC_LIBRARY")) return;
    const char* names[] = {newest_nvrtc, older_nvrtc};
    if (cuda_driver_version() < 13000) std::swap(names[0], names[1]);  // an older driver cannot run code of NVRTC 13
    for (const char* name : names) {
        for (const fs::path& folder : packages) {
            if (!is_file(folder / name)) continue;
            setenv("MERKLIZE_NVRTC_LIBRARY", (folder / name).c_str(), 0);
            return;
        }
    }
}

// The folder of the SYCL plug-in, which is in the Python package if it was installed.
void find_plugins(const std::vector<fs::path>& packages, const fs::path& environment) {
    fs::path folder = is_set("MERKLIZE_PLUGINS_DIR") ? std::getenv("MERKLIZE_PLUGINS_DIR") : "";
    for (const fs::path& package : packages)
        if (folder.empty() && is_file(package / "merklize" / "libmerklize_sycl.so")) folder = package / "merklize";
    if (folder.empty()) return;
    setenv("MERKLIZE_PLUGINS_DIR", folder.c_str(), 0);
    const fs::path intel = environment / "lib" / "libintelocl.so";
    if (!is_file(folder / "libmerklize_sycl.so") || !is_file(intel)) return;
    // A process has one OpenCL loader, the first that is opened, and the loader reads its variable once. SYCL needs the
    // loader that comes with Intel's runtime, which the system's loader may not find.
    setenv("OCL_ICD_FILENAMES", intel.c_str(), 0);
    for (const char* name : sycl_loader) loads(intel.parent_path() / name);
}

// Intel's OpenCL for processors, unless the system has a loader that finds all runtimes.
void find_opencl(const fs::path& environment) {
    const fs::path intel = environment / "lib" / "libintelocl.so";
    if (is_set("MERKLIZE_OPENCL_LIBRARY") || !is_file(intel)) return;
    if (loads("libOpenCL.so.1") || loads("libOpenCL.so")) return;
    setenv("MERKLIZE_OPENCL_LIBRARY", intel.c_str(), 0);
}

// "auto" may be any device, by MERKLIZE_DEVICE or by the stored calibration.
bool may_be_other() {
    const char* chosen = std::getenv("MERKLIZE_DEVICE");
    return (chosen != nullptr && *chosen != 0) || !runtime::load_costs().empty();
}

}  // namespace

fs::path python_environment() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    return error ? fs::path() : program.parent_path().parent_path();
}

void prepare_libraries() {
    const fs::path environment = python_environment();
    if (environment.empty()) return;
    const std::vector<fs::path> packages = package_folders(environment);
    find_plugins(packages, environment);
    find_nvrtc(packages);
    find_opencl(environment);
}

void prepare_libraries(std::string_view device) {
    if (device == "auto" ? may_be_other() : device != "cpu") prepare_libraries();
}

}  // namespace merklize::command
