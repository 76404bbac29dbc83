#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "backends/opencl/device.hpp"

namespace merklize::opencl {

/// A kernel of a program. Its arguments are state of the object, so one launch at a time may set them and enqueue.
struct Function {
    Function(Device& device, Handle<cl_kernel> handle, const std::string& name, cl_uint n_arguments,
             std::uint32_t max_group_size)
        : device(device),
          handle(std::move(handle)),
          name(std::make_shared<const std::string>(name)),
          n_arguments(n_arguments),
          max_group_size(max_group_size) {}

    Device& device;
    Handle<cl_kernel> handle;
    std::shared_ptr<const std::string> name;
    cl_uint n_arguments;
    std::uint32_t max_group_size;
    std::mutex mutex;
};

class Program {
public:
    Program(Device& device, Handle<cl_program> handle) : device(device), handle(std::move(handle)) {}
    Function& function(const std::string& name);

    Device& device;
    const Handle<cl_program> handle;

private:
    std::mutex mutex_;
    std::map<std::string, std::unique_ptr<Function>> functions_;
};

/// The vendor's compiled form of a program, empty if it gives none.
std::string vendor_binary(const Program& program);

}  // namespace merklize::opencl
