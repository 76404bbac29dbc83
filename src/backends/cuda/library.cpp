#include "backends/cuda/library.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "backends/cuda/error.hpp"

namespace merklize::cuda {
namespace {

constexpr int oldest_driver = 12000;

DriverApi functions;
int version = 0;
int devices = 0;

enum class State { untouched, starting, running, absent };
std::atomic<State> state{State::untouched};
std::atomic<bool> in_forked_child{false};

// A child of fork() has the parent's memory, but not its connection to the driver. If the parent was just starting the
// driver, a thread that does not exist in the child may hold the lock.
void note_fork() {
    const State now = state.load();
    if (now == State::starting || now == State::running) in_forked_child = true;
}

std::string version_text(int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

void find_functions(void* library) {
    std::string missing;
#define MKZ_CUDA_FIND(field, symbol, parameters) \
    functions.field = reinterpret_cast<decltype(functions.field)>(dlsym(library, symbol));
#define MKZ_CUDA_REQUIRE(field, symbol, parameters) \
    if (functions.field == nullptr) missing = symbol;
    MKZ_CUDA_FUNCTIONS(MKZ_CUDA_FIND)
    MKZ_CUDA_OPTIONAL_FUNCTIONS(MKZ_CUDA_FIND)
    MKZ_CUDA_FUNCTIONS(MKZ_CUDA_REQUIRE)
    if (!missing.empty()) {
        throw Failure(MKZ_UNAVAILABLE,
                      "cuda: the driver is too old: libcuda.so.1 has no " + missing + "; CUDA 12.0 or newer is needed");
    }
}

void start() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* why = dlerror();
        throw Failure(MKZ_UNAVAILABLE,
                      std::string("cuda: no NVIDIA driver: ") + (why != nullptr ? why : "libcuda.so.1"));
    }
    find_functions(library);
    if (functions.cuDriverGetVersion(&version) == CUDA_SUCCESS && version < oldest_driver) {
        throw Failure(MKZ_UNAVAILABLE, "cuda: the driver is too old: it has CUDA " + version_text(version) + "; " +
                                           version_text(oldest_driver) + " or newer is needed");
    }
    const CUresult started = functions.cuInit(0);
    if (started == CUDA_SUCCESS) check(functions.cuDeviceGetCount(&devices), "cuDeviceGetCount", "cuda");
    if (started == CUDA_ERROR_NO_DEVICE || (started == CUDA_SUCCESS && devices == 0)) {
        const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
        throw Failure(
            MKZ_UNAVAILABLE,
            "cuda: the driver (CUDA " + version_text(version) + ") sees no NVIDIA GPU" +
                (visible != nullptr ? std::string("; CUDA_VISIBLE_DEVICES is '") + visible + "'" : std::string()));
    }
    if (started == CUDA_ERROR_NOT_INITIALIZED) {
        throw Failure(
            MKZ_UNAVAILABLE,
            "cuda: the driver cannot start: CUDA_ERROR_NOT_INITIALIZED; perhaps this process was forked after "
            "another library (PyTorch, CuPy, ...) had started CUDA: use spawn");
    }
    check(started, "cuInit", "cuda");
}

// Returns the reason of a failure, which lives as long as the process, or null.
const char* started_once() noexcept {
    static const char* const reason = []() -> const char* {
        static const int registered = pthread_atfork(nullptr, nullptr, note_fork);
        (void)registered;
        state = State::starting;
        if (backends::guarded("cuda", start) == MKZ_OK) {
            state = State::running;
            return nullptr;
        }
        state = State::absent;
        version = 0;
        devices = 0;
        static char text[512];
        std::snprintf(text, sizeof text, "%s", backends::last_error());
        return text;
    }();
    return reason;
}

}  // namespace

const char* why_unavailable() noexcept { return forked() ? forked_text : started_once(); }

const DriverApi& driver() noexcept { return functions; }

int driver_version() noexcept { return why_unavailable() == nullptr ? version : 0; }

int driver_devices() noexcept { return why_unavailable() == nullptr ? devices : 0; }

bool forked() noexcept { return in_forked_child.load(std::memory_order_relaxed); }

}  // namespace merklize::cuda
