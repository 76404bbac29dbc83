#include "runtime/queue/modules.hpp"

#include <cstdint>
#include <cstdlib>
#include <set>

#include "merklize/error.hpp"
#include "merklize/hash.hpp"
#include "merklize/version.hpp"
#include "runtime/kernel_cache.hpp"
#include "runtime/queue/device.hpp"
#include "runtime/registry.hpp"
#include "runtime/tuned_policies.hpp"

namespace merklize::runtime {
namespace {

// A folder of modules is a cache that nothing is ever removed from.
const KernelCache& modules() {
    static const KernelCache cache({module_folder(), ""}, UINT64_MAX);
    return cache;
}

std::string key_of(const std::string& text) { return kernel_key({text, "", "SPIR-V", MERKLIZE_VERSION_STRING}); }

std::string describe(const Variant& variant, const Body& body) {
    std::string name = body.name;
    if (variant.hash != Variant::no_hash) name += "_" + std::string(traits(static_cast<Hash>(variant.hash)).name);
    name += " group_size=" + std::to_string(variant.group_size) + " lanes=" + std::to_string(variant.lanes);
    if (variant.constants != 0) name += " constants=" + std::to_string(variant.constants);
    if (variant.align != 16) name += " align=" + std::to_string(variant.align);
    return name;
}

}  // namespace

std::string module_folder() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
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
        throw Error(ErrorCode::invalid_argument,
                    "kernel modules are for OpenCL devices, and " + device.info().id + " is none");
    }
    QueueDevice& queue = *device.state().queue_device();
    struct Job {
        mkz_kernel kernel;
        std::vector<Body> bodies;
        bool for_blake3, for_sha256, for_fields;
    };
    const Job jobs[] = {
        {MKZ_KERNEL_HASH_CHUNKS, {bodies::hash_chunks}, true, false, false},
        {MKZ_KERNEL_HASH_ROWS, {bodies::hash_chunks}, true, false, false},
        {MKZ_KERNEL_HASH_ROWS, {bodies::hash_rows}, false, true, false},
        {MKZ_KERNEL_HASH_ELEMENTS, {bodies::hash_rows}, false, false, true},
        {MKZ_KERNEL_MERGE_PAIRS, {bodies::merge_pairs}, true, true, true},
        {MKZ_KERNEL_MERGE_SUBTREES, {bodies::merge_level, bodies::merge_subtree}, true, true, true},
        {MKZ_KERNEL_MERGE_AT, {bodies::merge_at}, true, true, true},
    };
    std::set<Variant> seen;
    std::vector<KernelModule> found;
    const auto add = [&](Variant variant, const Body& body) {
        variant.only = body.only;
        if (seen.insert(variant).second) found.push_back({describe(variant, body), queue.programs().text(variant)});
    };
    add({.group_size = 256}, bodies::check_words);  // and the others without a hash
    add({.hash = MKZ_HASH_blake3, .group_size = 256}, bodies::hash_parents);
    for (const HashTraits& t : hashes()) {
        for (const Job& job : jobs) {
            const bool wanted = t.is_field ? job.for_fields : t.hash == Hash::sha256 ? job.for_sha256 : job.for_blake3;
            if (!wanted) continue;
            for (unsigned log2 = 0; log2 <= 30; log2++) {
                const auto hash = static_cast<std::uint32_t>(t.hash);
                const std::uint64_t n = std::uint64_t{1} << log2;
                mkz_tuning tuning = tuned_policy(queue.backend(), queue.index(), job.kernel, hash, n, {});
                queue.backend().tune(queue.index(), job.kernel, hash, n, 1, &tuning);
                for (const Body& body : job.bodies) {
                    if (job.kernel == MKZ_KERNEL_MERGE_AT) tuning.lanes = 1;  // as Session::merge_at()
                    Variant variant = variant_of(hash, tuning);
                    add(variant, body);
                    if (job.kernel == MKZ_KERNEL_HASH_ROWS || job.kernel == MKZ_KERNEL_HASH_CHUNKS) {
                        variant.align = 1;
                        add(variant, body);
                    }
                }
            }
        }
    }
    return found;
}

}  // namespace merklize::runtime
