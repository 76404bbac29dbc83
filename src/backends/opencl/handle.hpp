// OpenCL's reference counts as values.
#pragma once

#include <utility>

#include "backends/opencl/api.hpp"

namespace merklize::opencl {

inline void retain(cl_context x) { api().clRetainContext(x); }
inline void retain(cl_command_queue x) { api().clRetainCommandQueue(x); }
inline void retain(cl_mem x) { api().clRetainMemObject(x); }
inline void retain(cl_event x) { api().clRetainEvent(x); }
inline void retain(cl_program x) { api().clRetainProgram(x); }
inline void retain(cl_kernel x) { api().clRetainKernel(x); }
inline void release(cl_context x) { api().clReleaseContext(x); }
inline void release(cl_command_queue x) { api().clReleaseCommandQueue(x); }
inline void release(cl_mem x) { api().clReleaseMemObject(x); }
inline void release(cl_event x) { api().clReleaseEvent(x); }
inline void release(cl_program x) { api().clReleaseProgram(x); }
inline void release(cl_kernel x) { api().clReleaseKernel(x); }

/// One reference to an object of OpenCL, or null.
template <class T>
class Handle {
public:
    Handle() = default;
    /// Takes over the reference that a function of OpenCL returned.
    explicit Handle(T owned) noexcept : object_(owned) {}
    /// Takes one more reference to somebody else's object.
    static Handle share(T object) {
        retain(object);
        return Handle(object);
    }
    Handle(const Handle& other) : object_(other.object_) {
        if (object_ != nullptr) retain(object_);
    }
    Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Handle& operator=(Handle other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Handle() {
        if (object_ != nullptr) release(object_);
    }

    T get() const noexcept { return object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }

private:
    T object_ = nullptr;
};

}  // namespace merklize::opencl
