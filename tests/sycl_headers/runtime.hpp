#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <merklize/sycl.hpp>

#include "../check.hpp"
#include "../reference.hpp"

// The headers' kernels on a real SYCL runtime without a SYCL compiler: the run-time compiler of DPC++ compiles the headers as a device
// sees them, this program computes the launches as a host does, and a launch is what QueueSubmit does with a kernel out of a text in
// place of one of this program.
namespace sycl_headers {

namespace experimental = ::sycl::ext::oneapi::experimental;
using reference::Bytes;

/// Names of the kernels that this program launches anywhere; the static of each puts it there before main().
inline std::vector<std::string>& kernel_names() {
    static std::vector<std::string> names;
    return names;
}

/// "merklize::sycl::detail::HashChunks<4>" and so on, as the compiler writes it.
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

/// USM of the test's queue, of `bytes` bytes from `shift` past a multiple of 64 on.
class Memory {
public:
    explicit Memory(std::size_t bytes, std::size_t shift = 0)
        : bytes_(bytes),
          shift_(shift),
          p_(static_cast<std::uint8_t*>(::sycl::aligned_alloc_shared(64, bytes + shift + 1, Runtime::get().queue))) {
        if (p_ == nullptr) throw std::bad_alloc();
        std::memset(p_, 0xa5, bytes + shift + 1);
    }
    explicit Memory(const Bytes& from, std::size_t shift = 0) : Memory(from.size(), shift) {
        if (!from.empty()) std::memcpy(data(), from.data(), from.size());
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() { ::sycl::free(p_, Runtime::get().queue); }

    std::uint8_t* data() { return p_ + shift_; }
    Bytes bytes() { return part(0, bytes_); }
    Bytes part(std::size_t first, std::size_t count) { return Bytes(data() + first, data() + first + count); }

private:
    std::size_t bytes_, shift_;
    std::uint8_t* p_;
};

/// In place of QueueSubmit. A run-time compiled kernel takes its function object from memory.
struct Submit {
    ::sycl::queue& queue = Runtime::get().queue;
    std::shared_ptr<std::vector<std::unique_ptr<Memory>>> kept =
        std::make_shared<std::vector<std::unique_ptr<Memory>>>();
    std::shared_ptr<std::size_t> launches = std::make_shared<std::size_t>(0);

    template <class Kernel>
    ::sycl::event operator()(const Kernel& kernel, std::uint64_t groups, std::uint32_t group_size,
                             const std::vector<::sycl::event>& after) const {
        static_assert(std::is_trivially_copyable_v<Kernel>);
        (void)Used<Kernel>::added;
        kept->push_back(std::make_unique<Memory>(sizeof(Kernel)));
        const void* object = kept->back()->data();
        std::memcpy(kept->back()->data(), &kernel, sizeof(Kernel));
        ++*launches;
        return queue.submit([&](::sycl::handler& handler) {
            handler.depends_on(after);
            experimental::work_group_memory<std::uint64_t[]> local(
                std::max<std::uint64_t>(1, kernel.local_words(group_size)), handler);
            handler.set_args(object, local);
            handler.parallel_for(::sycl::nd_range<1>(groups * group_size, group_size),
                                 Runtime::get().kernel(kernel_name<Kernel>()));
        });
    }
    ~Submit() {
        if (kept.use_count() == 1) queue.wait();
    }
};

}  // namespace sycl_headers
