#include "queue/programs.hpp"

#include <atomic>
#include <chrono>
#include <vector>

#include "files/kept_files.hpp"
#include "host/invalid.hpp"
#include "jobs/log.hpp"
#include "jobs/progress.hpp"
#include "merklize/version.hpp"
#include "programs/fatbins.hpp"
#include "programs/kernel_text.hpp"
#include "programs/tuned_variants.hpp"
#include "queue/device.hpp"
#include "queue/modules.hpp"

namespace merklize::runtime {
Target Programs::target() const {
    const mkz_driver_facts& facts = device_.facts();
    return {.language = facts.language,
            .is_nvidia = std::string_view(facts.compiler).find("NVIDIA") != std::string_view::npos,
            .is_cpu = facts.is_cpu != 0};
}

// Loads machine code from the library, else from the cache of this device's programs; else compiles a SPIR-V module, or
// the text.
mkz_program* Programs::make(const Variant& variant) {
    const Target target = this->target();
    const mkz_driver& driver = device_.driver();
    mkz_program* program = nullptr;
    const auto begin = std::chrono::steady_clock::now();
    const auto log = [&](LogLevel level, const char* did, const std::string& from) {
        if (!Log::process().is_on()) return;
        const auto taken = std::chrono::steady_clock::now() - begin;
        Log::process().add(
            level, device_.id() + ": " + did + " kernel " + describe(variant) + from + " in " +
                       std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(taken).count()) + " ms");
    };
    if (target.language == MKZ_LANGUAGE_CUDA) {
        const std::span<const std::byte> fatbin = find_fatbin(variant);
        // The driver refuses a fatbin for other architectures.
        if (!fatbin.empty() && driver.program_load(device_.index(), fatbin.data(), fatbin.size(), &program) == MKZ_OK) {
            log(LogLevel::debug, "loaded", " from the library");
            return program;
        }
    }
    const std::string text = text_of(variant, target), options = options_of(variant, target);
    const KeptFiles& cache = KeptFiles::process();
    const std::string key = kept_key({text, options, device_.facts().compiler, MERKLIZE_VERSION_STRING});
    if (const auto binary = cache.load(key)) {
        // If the driver refuses it (another build of the same version made it), the program is compiled again.
        if (driver.program_load(device_.index(), binary->data(), binary->size(), &program) == MKZ_OK) {
            log(LogLevel::debug, "loaded", " from " + cache.folder().string());
            return program;
        }
    }
    bool loaded = false;
    if (const auto module = target.language == MKZ_LANGUAGE_OPENCL ? load_module(text) : std::nullopt) {
        // A device that takes no SPIR-V refuses the module and gets the text.
        loaded = driver.program_load(device_.index(), module->data(), module->size(), &program) == MKZ_OK;
    }
    if (const auto tell = on_compiling.load(); tell != nullptr && !loaded)
        tell(device_.id(), cache.why_unusable().empty());
    if (!loaded) device_.check(driver.program_build(device_.index(), text.c_str(), options.c_str(), &program));
    const auto sink = [](void* context, const void* bytes, std::uint64_t size) {
        const auto* first = static_cast<const std::byte*>(bytes);
        static_cast<std::vector<std::byte>*>(context)->assign(first, first + size);
    };
    log(LogLevel::info, "compiled", loaded ? " from its SPIR-V" : "");
    std::vector<std::byte> binary;
    if (driver.program_binary(program, sink, &binary) != MKZ_OK) return program;
    const std::string why = cache.store(key, binary);
    static std::atomic<bool> is_said{false};  // one warning is enough
    if (!why.empty() && !is_said.exchange(true))
        Log::process().add(LogLevel::warning, "compiled kernels cannot be kept for later processes: " + why);
    return program;
}

mkz_program* Programs::program(const Variant& variant) {
    std::promise<mkz_program*> promise;
    std::shared_future<mkz_program*> future;
    bool ours = false;
    {
        const std::lock_guard lock(mutex_);
        const auto [it, is_new] = programs_.try_emplace(variant);
        if (is_new) it->second = promise.get_future().share();
        future = it->second;
        ours = is_new;
    }
    if (ours) {
        try {
            promise.set_value(make(variant));
        } catch (...) {
            promise.set_exception(std::current_exception());
            // The next call tries again, because memory may be free by then.
            const std::lock_guard lock(mutex_);
            programs_.erase(variant);
        }
    }
    return future.get();
}

Programs::Function Programs::lookup(const Variant& variant, const Body& body) {
    const auto key = std::pair(variant, std::string_view(body.name));
    {
        const std::lock_guard lock(mutex_);
        if (const auto it = functions_.find(key); it != functions_.end()) return it->second;
    }
    Function found{};
    const std::string name = entry_name(variant, body);
    device_.check(
        device_.driver().program_function(program(variant), name.c_str(), &found.function, &found.max_group_size));
    const std::lock_guard lock(mutex_);
    functions_.emplace(key, found);
    return found;
}

Kernel Programs::find(Variant variant, const Body& body, bool is_free) {
    variant.only = body.only;
    if (is_free) variant.policy.group_size = body.group_of(variant.policy.group_size);
    while (is_free && variant.policy.group_size > device_.facts().max_group_size) variant.policy.group_size /= 2;
    for (;; variant.policy.group_size /= 2) {
        const Function found = lookup(variant, body);
        if (found.max_group_size >= variant.policy.group_size) return {found.function, variant.policy.group_size};
        if (is_free && variant.policy.group_size > 1) continue;
        invalid(device_.id() + ": " + body.name + " takes groups of at most " + std::to_string(found.max_group_size) +
                " items, got group_size " + std::to_string(variant.policy.group_size));
    }
}

std::set<std::string> Programs::found() const {
    std::set<std::string> names;
    const std::lock_guard lock(mutex_);
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): made of a body's name, which ends with a zero
    for (const auto& [key, function] : functions_) names.insert(entry_name(key.first, {key.second.data(), 0}));
    return names;
}

}  // namespace merklize::runtime
