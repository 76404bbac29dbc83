#include "backends/cuda/error.hpp"

#include "backends/cuda/library.hpp"

namespace merklize::cuda {
namespace {

// "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)"
std::string words_of(CUresult result) {
    const char* name = nullptr;
    const char* text = nullptr;
    if (driver().cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) {
        return "error " + std::to_string(result);
    }
    if (driver().cuGetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) return name;
    return std::string(name) + " (" + text + ")";
}

// After one of these, every call in the context fails until the process ends, no matter whose kernel failed.
bool is_sticky(CUresult result) {
    return result == CUDA_ERROR_ILLEGAL_ADDRESS || result == CUDA_ERROR_ECC_UNCORRECTABLE ||
           result == CUDA_ERROR_LAUNCH_TIMEOUT || result == CUDA_ERROR_CONTEXT_IS_DESTROYED ||
           result == CUDA_ERROR_ASSERT ||
           (result >= CUDA_ERROR_HARDWARE_STACK_ERROR && result <= CUDA_ERROR_LAUNCH_FAILED);
}

}  // namespace

void check(CUresult result, const char* what, const std::string& on) {
    if (result == CUDA_SUCCESS) return;
    const std::string text = on + ": " + what + ": " + words_of(result);
    if (is_sticky(result)) {
        throw Failure(
            MKZ_INTERNAL,
            text +
                ". The device's context in this process is unusable since an earlier kernel failed, perhaps one "
                "of the caller's own (PyTorch, CuPy, ...); that says nothing about the data of this call. Start "
                "a new process; compute-sanitizer finds the kernel");
    }
    switch (result) {
        case CUDA_ERROR_OUT_OF_MEMORY: throw Failure(MKZ_OUT_OF_MEMORY, text);
        case CUDA_ERROR_NO_DEVICE:
        case CUDA_ERROR_NOT_INITIALIZED:
        case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: throw Failure(MKZ_UNAVAILABLE, text);
        default: throw Failure(MKZ_INTERNAL, text);
    }
}

void require_own_process() {
    if (forked()) throw Failure(MKZ_UNAVAILABLE, forked_text);
}

}  // namespace merklize::cuda
