#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <merklize/sycl.hpp>

#include "../check.hpp"
#include "../reference.hpp"

// Runs the headers' kernels on a real SYCL runtime without a SYCL compiler. DPC++'s run-time compiler compiles the
// headers for the device, and this program plans the launches on the host. Submit stands for QueueSubmit and launches a
// kernel of the compiled text.
namespace sycl_headers {

namespace experimental = ::sycl::ext::oneapi::experimental;
/// Names of all kernels that this program launches. A static variable of each adds its name before main().
inline std::vector<std::string>& kernel_names() {
    static std::vector<std::string> names;
    return names;
}

/// The compiler's name of a kernel, such as "merklize::sycl::detail::HashChunks<4>".
template <class Kernel>
std::string kernel_name() {
    const std::string_view text = __PRETTY_FUNCTION__;
    const std::size_t begin = text.find("Kernel = ") + 9;
    return "run<" + std::string(text.substr(begin, text.find_first_of(";]", begin) - begin)) + ">";
}

template <class Kernel>
struct Used {
    static inline const bool added = (kernel_names().push_back(kernel_name<Kernel>()), true);
};

constexpr bool is_refused(merklize::Hash, const merklize::Policy&) { return false; }

class Runtime {
public:
    static Runtime& get() {
        static Runtime runtime;
        return runtime;
    }

    ::sycl::queue queue;  // out of order

    /// The device's half of a program, as DPC++ compiles it.
    using Bundle = ::sycl::kernel_bundle<::sycl::bundle_state::executable>;
    Bundle build(const std::string& text, const std::vector<std::string>& names);

    ::sycl::kernel kernel(const std::string& name) { return bundle_.ext_oneapi_get_kernel(name); }

private:
    Runtime() : bundle_(build(text(), kernel_names())) {}
    static std::string text();

    Bundle bundle_;
};

/// Replaces QueueSubmit. A kernel that was compiled at run time takes its function object from memory.
struct Submit {
    ::sycl::queue& queue = Runtime::get().queue;
    std::shared_ptr<std::vector<std::shared_ptr<void>>> kept = std::make_shared<std::vector<std::shared_ptr<void>>>();
    std::shared_ptr<std::size_t> launches = std::make_shared<std::size_t>(0);

    template <class Kernel>
    ::sycl::event operator()(const Kernel& kernel, std::uint64_t groups, std::uint32_t group_size,
                             const std::vector<::sycl::event>& after) const {
        static_assert(std::is_trivially_copyable_v<Kernel>);
        (void)Used<Kernel>::added;
        void* object = ::sycl::malloc_shared(sizeof(Kernel), queue);
        kept->emplace_back(object, [queue = queue](void* done) { ::sycl::free(done, queue); });
        std::memcpy(object, &kernel, sizeof(Kernel));
        ++*launches;
        return queue.submit([&](::sycl::handler& handler) {
            handler.depends_on(after);
            experimental::work_group_memory<std::uint64_t[]> local(
                std::max<std::uint64_t>(1, kernel.local_words(group_size)), handler);
            handler.set_args(static_cast<const void*>(object), local);
            handler.parallel_for(::sycl::nd_range<1>(groups * group_size, group_size),
                                 Runtime::get().kernel(kernel_name<Kernel>()));
        });
    }
    ~Submit() {
        if (kept.use_count() == 1) queue.wait();
    }
};

}  // namespace sycl_headers
