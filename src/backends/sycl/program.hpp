#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <variant>

#include "backends/sycl/device.hpp"
#include "backends/sycl/image.hpp"

namespace merklize::sycl_plugin {

/// A kernel of a program.
struct Function {
    Device& device;
    ::sycl::kernel kernel;
    std::string name;
    std::uint32_t n_arguments;
    std::uint32_t max_group_size;
};

/// Compiled kernels: an OpenCL program if SYCL reaches the device through OpenCL, else a kernel bundle of the run-time
/// compiler.
class Program {
public:
    using Bundle = ::sycl::kernel_bundle<::sycl::bundle_state::executable>;

    Program(Device& device, Bundle bundle) : device(device), code_(std::move(bundle)) {}
    Program(Device& device, Image image) : device(device), code_(std::move(image)) {}

    Function& function(const std::string& name);
    /// The device's compiled form; empty if it gives none.
    std::string binary();

    Device& device;

private:
    ::sycl::kernel kernel(const std::string& name);

    std::variant<Bundle, Image> code_;
    std::mutex mutex_;
    std::map<std::string, std::unique_ptr<Function>> functions_;
};

}  // namespace merklize::sycl_plugin
