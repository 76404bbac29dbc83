#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "programs/variant.hpp"
#include "seams/backend.h"

namespace merklize::runtime {

class QueueDevice;

/// A compiled entry point, and the group size that it is launched with.
struct Kernel {
    mkz_function* function;
    std::uint32_t group_size;
};

/// The compiled kernels of one device. A process makes each variant once, from the cache on disk if that has it.
class Programs {
public:
    explicit Programs(QueueDevice& device) : device_(device) {}
    Programs(const Programs&) = delete;
    Programs& operator=(const Programs&) = delete;

    /// The kernel of a body; `only` of its variant is set here. If a thread compiles a variant, others that want it
    /// wait.
    /// is_free  true: a group that is too large for the kernel on this device is halved until it fits; false: it is an
    ///          error that names the largest
    Kernel find(Variant variant, const Body& body, bool is_free);

    /// Entry points that find() has returned so far, in any variant.
    std::set<std::string> found() const;

    /// The compiler of the device.
    Target target() const;

private:
    struct Function {
        mkz_function* function;
        std::uint32_t max_group_size;
    };

    mkz_program* program(const Variant& variant);
    mkz_program* make(const Variant& variant);
    Function lookup(const Variant& variant, const Body& body);

    QueueDevice& device_;
    mutable std::mutex mutex_;
    std::map<Variant, std::shared_future<mkz_program*>> programs_;        // guarded by mutex_
    std::map<std::pair<Variant, std::string_view>, Function> functions_;  // guarded by mutex_; by Body::name
};

}  // namespace merklize::runtime
