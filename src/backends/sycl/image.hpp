// Machine code of programs, to keep from one process to the next. SYCL has no call for it; OpenCL, through which SYCL reaches
// processors and some GPUs, has. Other devices compile the text in each process.
#pragma once

#include <CL/cl.h>

#include <string>
#include <utility>

#include "backends/sycl/device.hpp"

namespace merklize::sycl_plugin {

/// A loaded program of OpenCL, in the context of its device.
class Image {
public:
    /// Throws a Failure, invalid_argument, if the device does not take the binary.
    Image(Device& device, const std::string& binary);
    Image(Image&& other) noexcept : program_(std::exchange(other.program_, nullptr)) {}
    Image& operator=(Image&&) = delete;
    ~Image();

    ::sycl::kernel kernel(Device& device, const std::string& name) const;
    std::string binary(const Device& device) const;

    /// Of what the run-time compiler made; empty if the device is not OpenCL's.
    static std::string binary(const Device& device,
                              const ::sycl::kernel_bundle<::sycl::bundle_state::executable>& bundle);

private:
    cl_program program_ = nullptr;
};

/// What the run-time compiler calls a kernel of this name.
std::string mangled(const std::string& name);

}  // namespace merklize::sycl_plugin
