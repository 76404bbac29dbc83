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

/// Compiled kernels: OpenCL's where the device is one of OpenCL, else what the run-time compiler made.
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

mkz_status program_build(std::uint32_t device, const char* text, const char* options, mkz_program** program) noexcept;
mkz_status program_binary(mkz_program* program, void (*sink)(void*, const void*, std::uint64_t),
                          void* context) noexcept;
/// Takes what program_binary() gave.
mkz_status program_load(std::uint32_t device, const void* binary, std::uint64_t bytes, mkz_program** program) noexcept;
void program_release(mkz_program* program) noexcept;
mkz_status program_function(mkz_program* program, const char* name, mkz_function** function,
                            std::uint32_t* max_group_size) noexcept;
mkz_status launch(mkz_stream* stream, mkz_function* function, std::uint64_t groups, std::uint32_t group_size,
                  std::uint32_t n_arguments, const mkz_argument* arguments, mkz_event** event) noexcept;

}  // namespace merklize::sycl_plugin
