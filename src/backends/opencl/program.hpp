#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "backends/opencl/device.hpp"

namespace merklize::opencl {

/// A kernel of a program. Its arguments are state of the object, so one launch at a time sets them and queues.
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

mkz_status program_build(std::uint32_t device, const char* text, const char* options, mkz_program** program) noexcept;
/// The binary is the vendor's in an envelope that says for which compiler it is and shows damage.
mkz_status program_binary(mkz_program* program, void (*sink)(void*, const void*, std::uint64_t),
                          void* context) noexcept;
/// Takes what program_binary() gave, or SPIR-V.
mkz_status program_load(std::uint32_t device, const void* binary, std::uint64_t bytes, mkz_program** program) noexcept;
void program_release(mkz_program* program) noexcept;
mkz_status program_function(mkz_program* program, const char* name, mkz_function** function,
                            std::uint32_t* max_group_size) noexcept;
mkz_status launch(mkz_stream* stream, mkz_function* function, std::uint64_t groups, std::uint32_t group_size,
                  std::uint32_t n_arguments, const mkz_argument* arguments, mkz_event** event) noexcept;

}  // namespace merklize::opencl
