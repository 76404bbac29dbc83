#include "backends/opencl/program.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "backends/checks.hpp"
#include "backends/program_binary.hpp"

namespace merklize::opencl {
namespace {

Program& of(mkz_program* program) { return backends::object_of<Program>(program, "opencl", "program"); }

std::string log_of(const Device& device, cl_program program) {
    std::size_t bytes = 0;
    if (api().clGetProgramBuildInfo(program, device.id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) != CL_SUCCESS ||
        bytes == 0) {
        return "(no log)";
    }
    std::string log(bytes, '\0');
    if (api().clGetProgramBuildInfo(program, device.id, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr) !=
        CL_SUCCESS) {
        return "(no log)";
    }
    log.resize(std::min(log.size(), log.find('\0')));
    return backends::shortened(std::move(log));
}

// refused: the status if the compiler refuses the program.
void build(const Device& device, cl_program program, const std::string& options, mkz_status refused,
           const std::string& doing) {
    const cl_int code = api().clBuildProgram(program, 1, &device.id, options.c_str(), nullptr, nullptr);
    if (code == CL_SUCCESS) return;
    const mkz_status status = status_of(code);
    device.fail(status == MKZ_INTERNAL ? refused : status, "clBuildProgram", code,
                doing + "; its log:\n" + log_of(device, program));
}

mkz_program* as_program(Device& device, Handle<cl_program> handle) {
    return reinterpret_cast<mkz_program*>(std::make_unique<Program>(device, std::move(handle)).release());
}

Handle<cl_program> from_vendor_binary(Device& device, const std::string& binary) {
    const std::string doing = "loading a compiled program of " + std::to_string(binary.size()) + " bytes";
    const std::size_t bytes = binary.size();
    const auto* data = reinterpret_cast<const unsigned char*>(binary.data());
    cl_int loaded = CL_SUCCESS, code = CL_SUCCESS;
    Handle program(api().clCreateProgramWithBinary(device.context(), 1, &device.id, &bytes, &data, &loaded, &code));
    if (code == CL_SUCCESS) code = loaded;
    if (code != CL_SUCCESS) {
        const mkz_status status = status_of(code);
        device.fail(status == MKZ_INTERNAL ? MKZ_INVALID_ARGUMENT : status, "clCreateProgramWithBinary", code, doing);
    }
    build(device, program.get(), "", MKZ_INVALID_ARGUMENT, doing);
    return program;
}

constexpr std::uint32_t spirv_magic = 0x07230203;

bool is_spirv(std::string_view binary) {
    std::uint32_t word = 0;
    if (binary.size() < sizeof word) return false;
    std::memcpy(&word, binary.data(), sizeof word);
    return word == spirv_magic;
}

Handle<cl_program> from_spirv(Device& device, const std::string& binary) {
    constexpr std::size_t header_bytes = 20;
    const std::string doing = "loading SPIR-V of " + std::to_string(binary.size()) + " bytes";
    if (binary.size() % 4 != 0 || binary.size() <= header_bytes) {
        device.refuse(MKZ_INVALID_ARGUMENT, doing + ": it is not whole");
    }
    // The vendor's own function first, because a loader that is older than the platform may not have it.
    auto create = reinterpret_cast<CreateProgramWithIL>(
        api().clGetExtensionFunctionAddressForPlatform(device.platform, "clCreateProgramWithILKHR"));
    if (create == nullptr) create = api().clCreateProgramWithIL;
    if (device.spirv.empty() || create == nullptr) device.refuse(MKZ_UNAVAILABLE, "the device takes no SPIR-V");
    cl_int code = CL_SUCCESS;
    Handle program(create(device.context(), binary.data(), binary.size(), &code));
    if (code != CL_SUCCESS) {
        const mkz_status status = status_of(code);
        device.fail(status == MKZ_INTERNAL ? MKZ_INVALID_ARGUMENT : status, "clCreateProgramWithIL", code, doing);
    }
    build(device, program.get(), "", MKZ_INVALID_ARGUMENT, doing);
    return program;
}

}  // namespace

Function& Program::function(const std::string& name) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Function>& known = functions_[name];
    if (known != nullptr) return *known;
    const std::string doing = "looking for the kernel " + name;
    cl_int code = CL_SUCCESS;
    Handle kernel(api().clCreateKernel(handle.get(), name.c_str(), &code));
    if (code == CL_INVALID_KERNEL_NAME) backends::refuse_kernel_name(device.label, name);
    if (code != CL_SUCCESS) device.fail("clCreateKernel", code, doing);
    cl_uint n_arguments = 0;
    code = api().clGetKernelInfo(kernel.get(), CL_KERNEL_NUM_ARGS, sizeof n_arguments, &n_arguments, nullptr);
    if (code != CL_SUCCESS) device.fail("clGetKernelInfo", code, doing);
    std::size_t items = 0;
    code = api().clGetKernelWorkGroupInfo(kernel.get(), device.id, CL_KERNEL_WORK_GROUP_SIZE, sizeof items, &items,
                                          nullptr);
    if (code != CL_SUCCESS) device.fail("clGetKernelWorkGroupInfo", code, doing);
    const auto max_group_size =
        static_cast<std::uint32_t>(std::min<std::size_t>(items, device.driver_facts.max_group_size));
    known = std::make_unique<Function>(device, std::move(kernel), name, n_arguments, max_group_size);
    return *known;
}

std::string vendor_binary(const Program& program) {
    // The caller's context may have several devices. Its programs then have a binary for each.
    cl_program handle = program.handle.get();
    const std::string doing = "reading a compiled program";
    const auto get = [&](cl_uint what, std::size_t bytes, void* to, std::size_t* size) {
        const cl_int code = api().clGetProgramInfo(handle, what, bytes, to, size);
        if (code != CL_SUCCESS) program.device.fail("clGetProgramInfo", code, doing);
    };
    return backends::program_binary(program.device.id, get);
}

mkz_status program_build(std::uint32_t device, const char* text, const char* options, mkz_program** program) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        if (text == nullptr) d.refuse(MKZ_INVALID_ARGUMENT, "the text of the program is null");
        const std::size_t bytes = std::strlen(text);
        std::string all = options != nullptr ? options : "";
        if (all.find("-cl-std=") == std::string::npos) all = all.empty() ? "-cl-std=CL1.2" : "-cl-std=CL1.2 " + all;
        const std::string doing = "compiling a text of " + std::to_string(bytes) + " bytes with " + all;
        cl_int code = CL_SUCCESS;
        Handle made(api().clCreateProgramWithSource(d.context(), 1, &text, &bytes, &code));
        if (code != CL_SUCCESS) d.fail("clCreateProgramWithSource", code, doing);
        build(d, made.get(), all, MKZ_INTERNAL, doing);
        *program = as_program(d, std::move(made));
    });
}

// The vendor's binary in an envelope that names its compiler and shows damage.
mkz_status program_binary(mkz_program* program, void (*sink)(void*, const void*, std::uint64_t),
                          void* context) noexcept {
    return guarded([&] {
        const Program& p = of(program);
        backends::give_own(p.device.label, vendor_binary(p), p.device.driver_facts.compiler, sink, context);
    });
}

// Takes what program_binary() gave, or SPIR-V.
mkz_status program_load(std::uint32_t device, const void* binary, std::uint64_t bytes, mkz_program** program) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        const std::string_view all(static_cast<const char*>(binary), binary != nullptr ? bytes : 0);
        *program = as_program(
            d, is_spirv(all) ? from_spirv(d, std::string(all))
                             : from_vendor_binary(d, backends::open_own(d.label, all, d.driver_facts.compiler)));
    });
}

void program_release(mkz_program* program) noexcept { delete reinterpret_cast<Program*>(program); }

mkz_status program_function(mkz_program* program, const char* name, mkz_function** function,
                            std::uint32_t* max_group_size) noexcept {
    return guarded([&] {
        Function& found = of(program).function(name);
        *function = reinterpret_cast<mkz_function*>(&found);
        if (max_group_size != nullptr) *max_group_size = found.max_group_size;
    });
}

}  // namespace merklize::opencl
