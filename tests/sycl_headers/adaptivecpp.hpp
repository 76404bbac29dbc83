#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include <merklize/sycl.hpp>

#include "../check.hpp"

// The headers as AdaptiveCpp compiles them, for a device and for the host.
namespace sycl_headers {

/// Whether a tree is refused, because with several levels a launch and a dense matrix the generic compiler makes wrong
/// code.
constexpr bool is_refused(merklize::Hash hash, const merklize::Policy& policy) {
#ifdef __ACPP_ENABLE_LLVM_SSCP_TARGET__
    return (hash == merklize::Hash::rp64_256_v1 || hash == merklize::Hash::rp64_256_v2) && policy.levels_per_launch > 1;
#else
    return false;
#endif
}

struct Runtime {
    static Runtime& get() {
        static Runtime runtime;
        return runtime;
    }

    /// An out-of-order queue. If a kernel cannot be linked, only the handler is told, and the results are not written.
    ::sycl::queue queue{[](const ::sycl::exception_list& errors) {
        for (const std::exception_ptr& error : errors) {
            try {
                std::rethrow_exception(error);
            } catch (const std::exception& e) {
                check::fail(__FILE__, __LINE__, e.what());
            }
        }
    }};
};

/// QueueSubmit, counting launches.
struct Submit {
    ::sycl::queue& queue = Runtime::get().queue;
    std::shared_ptr<std::size_t> launches = std::make_shared<std::size_t>(0);

    template <class Kernel>
    ::sycl::event operator()(const Kernel& kernel, std::uint64_t groups, std::uint32_t group_size,
                             const std::vector<::sycl::event>& after) const {
        ++*launches;
        return merklize::sycl::detail::QueueSubmit(queue)(kernel, groups, group_size, after);
    }
    ~Submit() {
        if (launches.use_count() == 1) queue.wait_and_throw();
    }
};

}  // namespace sycl_headers
