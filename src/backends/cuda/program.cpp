#include <atomic>
#include <climits>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "backends/checks.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/nvrtc.hpp"
#include "backends/cuda/queue.hpp"

namespace merklize::cuda {
namespace {

constexpr std::uint32_t most_arguments = 64;

struct Program;

struct Function {
    Function(const Program& program_, std::string name_) : program(program_), name(std::move(name_)) {}

    const Program& program;
    const std::string name;
    CUfunction handle = nullptr;
    std::uint32_t max_group_size = 0;
    std::size_t n_arguments = SIZE_MAX;  // SIZE_MAX: the driver cannot tell
    mutable std::mutex mutex{};          // guards argument_bytes while it grows to `n_known`
    mutable std::size_t argument_bytes[most_arguments] = {};
    mutable std::atomic<std::uint32_t> n_known{0};
};

struct Program {
    Program(Device& device_, Image image_) : device(device_), image(std::move(image_)) { load(); }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() {
        if (module != nullptr) driver().cuModuleUnload(module);
    }

    void load();

    Device& device;
    const Image image;
    CUmodule module = nullptr;
    std::mutex mutex{};  // guards functions
    std::map<std::string, std::unique_ptr<Function>, std::less<>> functions{};
};

Program& program_of(mkz_program* program) { return backends::object_of<Program>(program, "cuda", "program"); }

void Program::load() {
    char log[2048] = {};
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log - 1)};
    const BesideCaptures beside;
    const CUresult result = driver().cuModuleLoadDataEx(&module, image.bytes.data(), 2, options, values);
    if (result == CUDA_SUCCESS) return;
    try {
        device.check(result, "cuModuleLoadDataEx");
    } catch (Failure& failure) {
        if (log[0] != '\0') failure.text += std::string(": ") + log;
        throw;
    }
}

// ---- The compiled form ---------------------------------------------------------------------------------------------

// The maker of an image: machine code or PTX. The driver trusts what it reads and knows no image's size, so the two
// must not be mixed up.
constexpr std::string_view from_machine_code = "cuda machine code", from_ptx = "cuda ptx";

// Whether these bytes are a whole fatbin, nvcc's form of machine code for several architectures (CUDA's
// fatbinary_section.h).
bool is_fatbin(std::string_view binary) {
    struct Header {
        std::uint32_t magic;
        std::uint16_t version, header_bytes;
        std::uint64_t bytes;
    } header{};
    if (binary.size() < sizeof header) return false;
    std::memcpy(&header, binary.data(), sizeof header);
    return header.magic == 0xba55ed50 && header.header_bytes >= sizeof header && header.header_bytes <= binary.size() &&
           header.bytes == binary.size() - header.header_bytes;
}

Image image_of(const void* binary, std::uint64_t bytes, const std::string& on) {
    const std::string_view sealed(static_cast<const char*>(binary), binary != nullptr ? bytes : 0);
    if (is_fatbin(sealed)) return {.is_ptx = false, .bytes = std::string(sealed)};
    const backends::Opened opened = backends::open_sealed(sealed, on);
    const bool is_ptx = opened.maker == from_ptx;
    backends::require_maker(on, opened, is_ptx ? from_ptx : from_machine_code);
    return {.is_ptx = is_ptx, .bytes = std::string(opened.binary)};
}

// ---- Functions -----------------------------------------------------------------------------------------------------

std::unique_ptr<Function> find(const Program& program, const char* name) {
    auto found = std::make_unique<Function>(program, name);
    const Device& device = program.device;
    const CUresult result = driver().cuModuleGetFunction(&found->handle, program.module, name);
    if (result == CUDA_ERROR_NOT_FOUND) backends::refuse_kernel_name(device.name, name);
    device.check(result, "cuModuleGetFunction");
    int most = 0;
    device.check(driver().cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, found->handle),
                 "cuFuncGetAttribute");
    found->max_group_size = static_cast<std::uint32_t>(most);
    if (driver().cuFuncGetParamCount != nullptr) {
        device.check(driver().cuFuncGetParamCount(found->handle, &found->n_arguments), "cuFuncGetParamCount");
    }
    return found;
}

[[noreturn]] void refuse(const Function& function, const std::string& why) {
    backends::refuse_launch(function.program.device.name, function.name, why);
}

void require_count(const Function& function, std::uint32_t given, std::size_t wanted) {
    backends::require_arguments(function.program.device.name, function.name, given, wanted);
}

// Asks the driver once for the sizes of the first n arguments. It never asks for more arguments than were given,
// because tools that watch the driver (compute-sanitizer) report the answer "there is none" as an error.
void learn_arguments(const Function& function, std::uint32_t n) {
    const std::lock_guard lock(function.mutex);
    for (std::uint32_t i = function.n_known; i < n; i++) {
        std::size_t offset = 0;
        const CUresult result = driver().cuFuncGetParamInfo(function.handle, i, &offset, &function.argument_bytes[i]);
        if (result == CUDA_ERROR_INVALID_VALUE) require_count(function, n, i);
        function.program.device.check(result, "cuFuncGetParamInfo");
        function.n_known = i + 1;
    }
}

// The driver reads as many arguments as the kernel has, and as many bytes of each as the kernel declares, whatever it
// was given.
void check_arguments(const Function& function, std::uint32_t n, const mkz_argument* arguments) {
    if (n > most_arguments)
        refuse(function, std::to_string(n) + " arguments are more than " + std::to_string(most_arguments));
    if (function.n_arguments != SIZE_MAX) require_count(function, n, function.n_arguments);
    if (driver().cuFuncGetParamInfo == nullptr) return;
    if (function.n_known.load(std::memory_order_acquire) < n) learn_arguments(function, n);
    for (std::uint32_t i = 0; i < n; i++) {
        const std::size_t given = arguments[i].bytes != 0 ? arguments[i].bytes : sizeof(CUdeviceptr);
        if (given != function.argument_bytes[i]) {
            refuse(function, "argument " + std::to_string(i) + " has " + std::to_string(function.argument_bytes[i]) +
                                 " bytes, not " + std::to_string(given));
        }
    }
}

mkz_program* handed_out(std::unique_ptr<Program> program) { return reinterpret_cast<mkz_program*>(program.release()); }

}  // namespace

mkz_status program_build(std::uint32_t device, const char* text, const char* options, mkz_program** program) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        if (text == nullptr) backends::refuse(MKZ_INVALID_ARGUMENT, d.name, "the text of the program is null");
        Image image = compile(d.arch(), text, options, d.name);
        const Current current(d);
        try {
            *program = handed_out(std::make_unique<Program>(d, std::move(image)));
        } catch (Failure& failure) {
            if (nvrtc_major() > driver_version() / 1000) {
                failure.text += ". NVRTC is of CUDA " + std::to_string(nvrtc_major()) +
                                ", newer than the driver's: update the "
                                "driver, or install nvidia-cuda-nvrtc-cu12";
            }
            throw;
        }
    });
}

mkz_status program_binary(mkz_program* program, void (*sink)(void* context, const void* bytes, std::uint64_t size),
                          void* context) noexcept {
    return guarded([&] {
        const Program& p = program_of(program);
        backends::give_own(p.device.name, p.image.bytes, p.image.is_ptx ? from_ptx : from_machine_code, sink, context);
    });
}

mkz_status program_load(std::uint32_t device, const void* binary, std::uint64_t bytes, mkz_program** program) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        Image image = image_of(binary, bytes, d.name);
        const Current current(d);
        try {
            *program = handed_out(std::make_unique<Program>(d, std::move(image)));
        } catch (const Failure& failure) {
            if (failure.status == MKZ_OUT_OF_MEMORY) throw;
            // The caller then compiles the text, whatever the driver's reason is.
            throw Failure(MKZ_INVALID_ARGUMENT, failure.text + " while loading a compiled program");
        }
    });
}

void program_release(mkz_program* program) noexcept {
    if (program == nullptr || forked()) return;
    (void)guarded([&] {
        const std::unique_ptr<Program> released(&program_of(program));
        const Current current(released->device);
        driver().cuCtxSynchronize();  // its kernels may still be queued
        driver().cuModuleUnload(released->module);
        released->module = nullptr;
    });
}

mkz_status program_function(mkz_program* program, const char* name, mkz_function** function,
                            std::uint32_t* max_group_size) noexcept {
    return guarded([&] {
        Program& p = program_of(program);
        const std::lock_guard lock(p.mutex);
        auto known = p.functions.find(name);
        if (known == p.functions.end()) {
            const Current current(p.device);
            known = p.functions.emplace(name, find(p, name)).first;
        }
        *function = reinterpret_cast<mkz_function*>(known->second.get());
        if (max_group_size != nullptr) *max_group_size = known->second->max_group_size;
    });
}

mkz_status launch(mkz_stream* stream, mkz_function* function, std::uint64_t groups, std::uint32_t group_size,
                  std::uint32_t n_arguments, const mkz_argument* arguments, mkz_event** event) noexcept try {
    require_own_process();
    Stream& s = of(stream);
    const auto& f = backends::object_of<Function>(function, "cuda", "kernel");
    if (&f.program.device != &s.device) refuse(f, "it is of " + f.program.device.name);
    check_arguments(f, n_arguments, arguments);
    backends::require_group(s.device.name, f.name, group_size, f.max_group_size);
    backends::require_groups(s.device.name, f.name, groups, INT_MAX);
    const Current current(s.device);
    CUdeviceptr addresses[most_arguments];
    void* values[most_arguments];
    for (std::uint32_t i = 0; i < n_arguments; i++) {
        const void* value = arguments[i].value;
        if (arguments[i].bytes != 0) {
            values[i] = const_cast<void*>(value);
            continue;
        }
        auto* memory = static_cast<mkz_memory*>(const_cast<void*>(value));
        addresses[i] = memory == nullptr ? 0 : of(memory).used_by(s);
        values[i] = &addresses[i];
    }
    Command command(s, event);
    if (groups != 0) {  // the driver refuses an empty grid
        const CUresult result = driver().cuLaunchKernel(f.handle, static_cast<unsigned>(groups), 1, 1, group_size, 1, 1,
                                                        0, s.handle, values, nullptr);
        if (result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) {
            refuse(f, "a group of " + std::to_string(group_size) +
                          " items takes more registers or shared memory than there is");
        }
        if (result != CUDA_SUCCESS) s.device.check(result, ("launch of " + f.name).c_str());
    }
    command.end();
    return MKZ_OK;
} catch (...) {  // without guarded(), whose lambdas would be in every backtrace of a launch
    return backends::note_exception("cuda");
}

}  // namespace merklize::cuda
