// Programs that OpenCL makes of SPIR-V from SYCL's run-time compiler. SYCL reaches processors and some GPUs through
// OpenCL. OpenCL returns their machine code, so that the next process need not compile, and it takes a changed module.
// SYCL has no call for either.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "backends/sycl/device.hpp"

namespace merklize::sycl_plugin {

/// A loaded program of OpenCL, in the context of its device.
class Image {
public:
    /// From machine code that binary() gave. Throws a Failure (invalid_argument) if the device does not take it.
    Image(Device& device, const std::string& binary);
    /// From SPIR-V.
    Image(Device& device, std::span<const std::uint32_t> module);
    Image(Image&& other) noexcept : program_(std::exchange(other.program_, nullptr)) {}
    Image& operator=(Image&&) = delete;
    ~Image();

    ::sycl::kernel kernel(Device& device, const std::string& name) const;
    std::string binary(const Device& device) const;

    /// Whether SYCL reaches the device through OpenCL.
    static bool is_for(const Device& device);

private:
    Image() = default;

    cl_program program_ = nullptr;
};

/// The name that the run-time compiler gives a kernel of this name.
std::string mangled(const std::string& name);

}  // namespace merklize::sycl_plugin
