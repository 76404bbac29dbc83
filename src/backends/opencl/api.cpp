#include "backends/opencl/api.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace merklize::opencl {
namespace {

constexpr const char* advice =
    "install an OpenCL loader and the driver of a device (Debian: ocl-icd-libopencl1 and, for processors, "
    "pocl-opencl-icd), "
    "or set MERKLIZE_OPENCL_LIBRARY to a driver's library (pip install intel-opencl-rt: libintelocl.so)";

struct Library {
    Api api;
    std::string missing;  // why there is none; else empty
};

// Fills the table; false and the reason if a function is missing.
bool fill(void* library, Api& api, std::string& reason) {
    const char* lacking = nullptr;
    const auto find = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        if (function == nullptr && lacking == nullptr) lacking = name;
    };
#define MERKLIZE_OPENCL_FIND(result, name, parameters) find(api.name, #name);
    MERKLIZE_OPENCL_FUNCTIONS(MERKLIZE_OPENCL_FIND)
#undef MERKLIZE_OPENCL_FIND
    api.clCreateProgramWithIL = reinterpret_cast<CreateProgramWithIL>(dlsym(library, "clCreateProgramWithIL"));
    if (lacking != nullptr) reason = std::string("it has no ") + lacking + ", so it is older than OpenCL 1.2";
    return lacking == nullptr;
}

bool open(const char* name, Library& library, std::string& reason) {
    // Never closed, because runtimes leave threads and exit handlers behind.
    void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) return fill(handle, library.api, reason);
    const char* text = dlerror();
    reason = text != nullptr ? text : "dlopen failed";
    // Callers name the library.
    if (const std::string head = std::string(name) + ": "; reason.starts_with(head)) reason.erase(0, head.size());
    return false;
}

Library search() {
    Library library;
    std::string reason;
    const char* chosen = secure_getenv("MERKLIZE_OPENCL_LIBRARY");
    if (chosen != nullptr && *chosen != '\0') {
        // A library asked for by name is never replaced by another.
        if (!open(chosen, library, reason))
            library.missing = std::string("opencl: MERKLIZE_OPENCL_LIBRARY=") + chosen + ": " + reason;
        return library;
    }
    library.missing = "opencl: no OpenCL library";
    for (const char* name : {"libOpenCL.so.1", "libOpenCL.so"}) {
        if (open(name, library, reason)) {
            library.missing.clear();
            return library;
        }
        library.missing += std::string("; ") + name + ": " + reason;
    }
    library.missing += std::string("; ") + advice;
    return library;
}

// Never destroyed, because static objects of others may still hold streams and memory by then.
const Library& library() {
    static const Library& opened = *new Library(search());
    return opened;
}

}  // namespace

const char* why_no_library() { return library().missing.empty() ? nullptr : library().missing.c_str(); }

const Api& api() { return library().api; }

}  // namespace merklize::opencl
