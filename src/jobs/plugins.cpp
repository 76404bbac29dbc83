#include "jobs/plugins.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "host/made_once.hpp"

namespace merklize::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view start = "libmerklize_", end = ".so";

bool is_name(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
}

struct Folder {
    fs::path path;
    std::string why;  // why there is no folder, or empty
};

// The folder that the environment variable names, else that of the library or program that holds this function.
Folder plugin_folder() {
    if (const char* wanted = secure_getenv("MERKLIZE_PLUGINS_DIR"); wanted != nullptr && *wanted != 0) {
        if (fs::path(wanted).is_absolute()) return {wanted, {}};
        return {{}, std::string("MERKLIZE_PLUGINS_DIR: not an absolute path: '") + wanted + "'"};
    }
    Dl_info own{};
    if (dladdr(reinterpret_cast<const void*>(&plugin_names), &own) == 0 || own.dli_fname == nullptr)
        return {{}, "the folder of the library is not known"};
    // A program that was started by a relative name knows only that name; the kernel knows the path.
    std::error_code error;
    const fs::path file(own.dli_fname);
    const fs::path whole = file.is_absolute() ? file : fs::read_symlink("/proc/self/exe", error);
    if (error) return {{}, "the folder of the program is not known: " + error.message()};
    return {whole.parent_path(), {}};
}

std::string how_to_install(std::string_view name) {
    if (name != "sycl") return "";
    return "; to have it, install from source with MERKLIZE_SYCL=1 pip install 'merklize[sycl]', or build with "
           "-DMERKLIZE_BUILD_SYCL=ON; it needs the packages 'intel-sycl-rt==2026.0.*' and, for processors, "
           "'intel-opencl-rt==2026.0.*'";
}

Plugin open(const std::string& name) {
    const auto missing = [&](const std::string& why) {
        return Plugin{nullptr, name + ": " + why + how_to_install(name)};
    };
    const Folder folder = plugin_folder();
    if (!folder.why.empty()) return missing(folder.why);
    const fs::path file = folder.path / (std::string(start) + name + std::string(end));
    std::error_code error;
    if (!fs::exists(file, error)) return missing("there is no plug-in " + file.string());
    static_cast<void>(fs::current_path(error));
    if (error) return {nullptr, name + ": the working directory is gone, in which Intel's SYCL runtime would crash"};
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* reason = dlerror();
        return missing("the plug-in " + file.string() +
                       " cannot be opened: " + (reason != nullptr ? reason : "no reason given"));
    }
    const auto table = reinterpret_cast<decltype(&merklize_plugin_backend)>(dlsym(library, MKZ_PLUGIN_FUNCTION));
    const mkz_backend* backend = table != nullptr ? table() : nullptr;
    if (backend == nullptr) return missing("the plug-in " + file.string() + " has no " MKZ_PLUGIN_FUNCTION);
    if (backend->abi != MKZ_BACKEND_ABI) {
        return missing("the plug-in " + file.string() + " is of another version of merklize: its ABI is " +
                       std::to_string(backend->abi) + ", not " + std::to_string(MKZ_BACKEND_ABI));
    }
    if (backend->name != name) return missing("the plug-in " + file.string() + " calls itself '" + backend->name + "'");
    return {backend, {}};
}

}  // namespace

std::vector<std::string> plugin_names() {
    std::vector<std::string> names;
    const Folder folder = plugin_folder();
    std::error_code error;
    for (fs::directory_iterator it(folder.path, error), last; !error && it != last; it.increment(error)) {
        const std::string file = it->path().filename().string();
        if (!file.starts_with(start) || !file.ends_with(end) || file.size() <= start.size() + end.size()) continue;
        std::string name = file.substr(start.size(), file.size() - start.size() - end.size());
        if (is_name(name)) names.push_back(std::move(name));
    }
    std::ranges::sort(names);
    return names;
}

const Plugin& plugin(std::string_view name) {
    static MadeOnce<std::string, Plugin> opened;
    const std::string wanted(name);
    return opened.get(wanted, [&] { return open(wanted); });
}

}  // namespace merklize::runtime
