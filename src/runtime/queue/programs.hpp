#pragma once

#include <compare>
#include <cstdint>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/backend.h"

namespace merklize::runtime {

class QueueDevice;

/// What a program is compiled for: the values of the core's macros.
struct Variant {
    static constexpr std::uint32_t no_hash = ~0u;

    std::uint32_t hash = no_hash;  // mkz_hash, or the kernels without one
    std::uint32_t group_size = 0;
    std::uint32_t lanes = 1;
    std::uint32_t constants = 0;  // mkz_constants
    std::uint32_t align = 16;     // MKZ_ALIGN

    auto operator<=>(const Variant&) const = default;
};

/// The compiled kernels of one device: each variant once a process, out of the cache on disk where it is there.
class Programs {
public:
    explicit Programs(QueueDevice& device) : device_(device) {}
    Programs(const Programs&) = delete;
    Programs& operator=(const Programs&) = delete;

    /// The entry point `name` of a variant. A group too large for the kernel on this device is an error that names the
    /// largest. Threads that want one variant wait for the one that compiles it.
    mkz_function* function(const Variant& variant, const std::string& name);

    /// Largest group, a power of two <= wanted, that the kernel takes; compiles as often as it must to know.
    std::uint32_t group_size_for(Variant variant, const std::string& name);

private:
    struct Function {
        mkz_function* function;
        std::uint32_t max_group_size;
    };

    mkz_program* program(const Variant& variant);
    mkz_program* make(const Variant& variant);
    Function lookup(const Variant& variant, const std::string& name);

    QueueDevice& device_;
    std::mutex mutex_;
    std::map<Variant, std::shared_future<mkz_program*>> programs_;     // guarded by mutex_
    std::map<std::pair<Variant, std::string>, Function> functions_;    // guarded by mutex_
    std::map<std::pair<Variant, std::string>, std::uint32_t> groups_;  // guarded by mutex_
};

}  // namespace merklize::runtime
