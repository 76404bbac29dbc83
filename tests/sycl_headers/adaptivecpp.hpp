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

struct Runtime {
    static Runtime& get() {
        static Runtime runtime;
        return runtime;
    }

    /// Out of order. A kernel that cannot be linked is reported to the handler alone, and its results are not written.
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
