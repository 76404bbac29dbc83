#include "queue/modules.hpp"

#include <cstdint>
#include <cstdlib>

#include "files/kept_files.hpp"
#include "host/invalid.hpp"
#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "merklize/error.hpp"
#include "merklize/version.hpp"
#include "programs/tuned_variants.hpp"
#include "queue/device.hpp"
#include "tuning/tuned_policies.hpp"

namespace merklize::runtime {
namespace {

// A folder of modules is a cache from which nothing is ever removed. Never destroyed, because calls may go on while the
// process ends.
const KeptFiles& modules() {
    static const KeptFiles& cache = *new KeptFiles({module_folder(), ""}, UINT64_MAX);
    return cache;
}

std::string key_of(const std::string& text) { return kept_key({text, "", "SPIR-V", MERKLIZE_VERSION_STRING}); }

}  // namespace

std::string module_folder() {
    const auto variable = [](const char* name) {
        const char* value = secure_getenv(name);
        return std::string(value == nullptr ? "" : value);
    };
    if (const std::string folder = variable("MERKLIZE_MODULES_DIR"); !folder.empty()) return folder;
    if (const std::string data = variable("XDG_DATA_HOME"); data.starts_with('/')) return data + "/merklize/modules";
    if (const std::string home = variable("HOME"); home.starts_with('/'))
        return home + "/.local/share/merklize/modules";
    return "";
}

std::optional<std::vector<std::byte>> load_module(const std::string& text) { return modules().load(key_of(text)); }

void store_module(const std::string& text, std::span<const std::byte> spirv) {
    const std::string why = modules().store(key_of(text), spirv);
    if (!why.empty()) throw Error(ErrorCode::io, "kernel modules: " + why);
}

std::vector<KernelModule> kernel_modules(const Device& device) {
    if (device.info().backend != "opencl") {
        invalid("kernel modules are for OpenCL devices, and " + device.info().id + " is none");
    }
    QueueDevice& queue = *state_of(device).opened();
    const auto tune = [&](mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, mkz_policy& policy) {
        policy = tuned_policy(queue.backend(), queue.index(), kernel, hash, n, policy);
        queue.backend().tune(queue.index(), kernel, hash, n, 1, &policy);
    };
    std::vector<KernelModule> found;
    for (const Variant& variant : tuned_variants(tune))
        found.push_back({describe(variant), text_of(variant, queue.programs().target())});
    return found;
}

}  // namespace merklize::runtime
