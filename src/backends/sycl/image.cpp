#include "backends/sycl/image.hpp"

#include <dlfcn.h>

#include <sycl/backend/opencl.hpp>

#include "backends/checks.hpp"
#include "backends/program_binary.hpp"

namespace merklize::sycl_plugin {
namespace {

// The functions of the OpenCL loader that SYCL's adapter has opened; handles are that library's own.
struct OpenCL {
    decltype(&clGetProgramInfo) get_program_info = nullptr;
    decltype(&clCreateProgramWithBinary) create_with_binary = nullptr;
    decltype(&clCreateProgramWithIL) create_with_il = nullptr;
    decltype(&clBuildProgram) build = nullptr;
    decltype(&clGetProgramBuildInfo) get_build_info = nullptr;
    decltype(&clReleaseProgram) release = nullptr;
    decltype(&clCreateKernel) create_kernel = nullptr;
    decltype(&clReleaseKernel) release_kernel = nullptr;
    bool is_there = false;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

const OpenCL& opencl() {
    static const OpenCL found = [] {
        OpenCL f;
        void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_NOLOAD);
        f.is_there =
            library != nullptr && find(library, "clGetProgramInfo", f.get_program_info) &&
            find(library, "clCreateProgramWithBinary", f.create_with_binary) &&
            find(library, "clCreateProgramWithIL", f.create_with_il) && find(library, "clBuildProgram", f.build) &&
            find(library, "clGetProgramBuildInfo", f.get_build_info) && find(library, "clReleaseProgram", f.release) &&
            find(library, "clCreateKernel", f.create_kernel) && find(library, "clReleaseKernel", f.release_kernel);
        return f;
    }();
    return found;
}

cl_device_id id_of(const Device& device) { return ::sycl::get_native<::sycl::backend::opencl>(device.device); }

std::string log_of(cl_program program, cl_device_id id) {
    std::size_t bytes = 0;
    if (opencl().get_build_info(program, id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) != CL_SUCCESS) return {};
    std::string log(bytes, '\0');
    if (opencl().get_build_info(program, id, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr) != CL_SUCCESS) return {};
    if (!log.empty()) log.pop_back();  // the zero at its end
    return log;
}

void require(const Device& device, cl_int code, mkz_status status, const std::string& function,
             const std::string& log = {}) {
    if (code == CL_SUCCESS) return;
    const bool no_memory = code == CL_OUT_OF_HOST_MEMORY || code == CL_MEM_OBJECT_ALLOCATION_FAILURE;
    device.refuse(no_memory ? MKZ_OUT_OF_MEMORY : status,
                  function + ": code " + std::to_string(code) + (log.empty() ? "" : "; its log:\n" + log));
}

std::string binary_of(const Device& device, cl_program program) {
    const auto get = [&](cl_program_info what, std::size_t bytes, void* to, std::size_t* size) {
        require(device, opencl().get_program_info(program, what, bytes, to, size), MKZ_INTERNAL, "clGetProgramInfo");
    };
    return backends::program_binary(id_of(device), get);
}

}  // namespace

std::string mangled(const std::string& name) { return "__sycl_kernel_" + name; }

bool Image::is_for(const Device& device) {
    return device.device.get_backend() == ::sycl::backend::opencl && opencl().is_there;
}

// A delegating constructor, so that the destructor releases what is there if a later step fails.
Image::Image(Device& device, const std::string& binary) : Image() {
    if (!is_for(device)) device.refuse(MKZ_INVALID_ARGUMENT, "the device takes no compiled programs");
    cl_context context = ::sycl::get_native<::sycl::backend::opencl>(device.context());
    cl_device_id id = id_of(device);
    const std::size_t bytes = binary.size();
    const auto* data = reinterpret_cast<const unsigned char*>(binary.data());
    cl_int loaded = CL_SUCCESS, code = CL_SUCCESS;
    program_ = opencl().create_with_binary(context, 1, &id, &bytes, &data, &loaded, &code);
    require(device, code == CL_SUCCESS ? loaded : code, MKZ_INVALID_ARGUMENT,
            "loading a compiled program: clCreateProgramWithBinary");
    require(device, opencl().build(program_, 1, &id, "", nullptr, nullptr), MKZ_INVALID_ARGUMENT, "clBuildProgram");
}

Image::Image(Device& device, std::span<const std::uint32_t> module) : Image() {
    cl_context context = ::sycl::get_native<::sycl::backend::opencl>(device.context());
    cl_device_id id = id_of(device);
    cl_int code = CL_SUCCESS;
    program_ = opencl().create_with_il(context, module.data(), module.size_bytes(), &code);
    require(device, code, MKZ_INTERNAL, "clCreateProgramWithIL");
    code = opencl().build(program_, 1, &id, "", nullptr, nullptr);
    require(device, code, MKZ_INTERNAL, "clBuildProgram", code == CL_SUCCESS ? "" : log_of(program_, id));
}

Image::~Image() {
    if (program_ != nullptr) opencl().release(program_);
}

::sycl::kernel Image::kernel(Device& device, const std::string& name) const {
    cl_int code = CL_SUCCESS;
    cl_kernel made = opencl().create_kernel(program_, mangled(name).c_str(), &code);
    if (code == CL_INVALID_KERNEL_NAME) backends::refuse_kernel_name(device.label, name);
    require(device, code, MKZ_INTERNAL, "clCreateKernel: " + name);
    // SYCL takes a reference of its own.
    struct Released {
        cl_kernel kernel;
        ~Released() { opencl().release_kernel(kernel); }
    } const released{made};
    return ::sycl::make_kernel<::sycl::backend::opencl>(made, device.context());
}

std::string Image::binary(const Device& device) const { return binary_of(device, program_); }

}  // namespace merklize::sycl_plugin
