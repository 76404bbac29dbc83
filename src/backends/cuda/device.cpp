#include "backends/cuda/device.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "backends/cuda/library.hpp"
#include "backends/cuda/memory.hpp"

namespace merklize::cuda {
namespace {

// "580.159.04 (CUDA 13.0)". People know a driver by the number of its kernel module, which a container may hide.
std::string driver_text() {
    const int version = driver_version();
    std::string cuda = "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    std::ifstream file("/proc/driver/nvidia/version");
    for (std::string word; file >> word;) {
        const bool is_number = word.find_first_not_of("0123456789.") == word.npos && word.find('.') != word.npos;
        if (is_number) return word.append(" (").append(cuda).append(")");
    }
    return cuda;
}

// NVRTC's version is not part of the text, because a process that finds its programs in the cache need not load NVRTC
// (tens of ms).
std::string compiler_text(const Device& device) {
    std::string text = "NVRTC for sm_" + std::to_string(device.arch()) + ", driver " + driver_text();
    if (const char* chosen = secure_getenv("MERKLIZE_NVRTC_LIBRARY"); chosen != nullptr)
        text += std::string(", ") + chosen;
    return text;
}

}  // namespace

CUevent EventPool::take(bool timed, const std::string& on) {
    {
        const std::lock_guard lock(mutex_);
        std::vector<CUevent>& idle = idle_[timed ? 1 : 0];
        if (!idle.empty()) {
            CUevent event = idle.back();
            idle.pop_back();
            return event;
        }
    }
    CUevent event = nullptr;
    check(driver().cuEventCreate(&event, timed ? 0 : CU_EVENT_DISABLE_TIMING), "cuEventCreate", on);
    return event;
}

void EventPool::give(CUevent event, bool timed) noexcept {
    try {
        const std::lock_guard lock(mutex_);
        idle_[timed ? 1 : 0].push_back(event);
    } catch (const std::exception&) {
        driver().cuEventDestroy(event);
    }
}

CUstream StreamPool::take(const std::string& on) {
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            CUstream stream = idle_.back();
            idle_.pop_back();
            return stream;
        }
    }
    CUstream stream = nullptr;
    check(driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate", on);
    return stream;
}

void StreamPool::give(CUstream stream) noexcept {
    try {
        const std::lock_guard lock(mutex_);
        idle_.push_back(stream);
    } catch (const std::exception&) {
        driver().cuStreamDestroy(stream);
    }
}

Device::Device(std::uint32_t index_, CUdevice handle_)
    : index(index_),
      handle(handle_),
      name("cuda:" + std::to_string(index_)),
      blocks(std::make_unique<BlockCache>(*this)),
      arch_(10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
            attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)) {
    std::size_t bytes = 0;
    check(driver().cuDeviceTotalMem(&bytes, handle), "cuDeviceTotalMem");
    memory_bytes_ = bytes;
}

Device::~Device() = default;

CUcontext Device::context() {
    if (CUcontext ready = context_.load(std::memory_order_acquire)) return ready;
    const std::lock_guard lock(mutex_);
    if (CUcontext ready = context_.load(std::memory_order_acquire)) return ready;
    CUcontext fresh = nullptr;
    check(driver().cuDevicePrimaryCtxRetain(&fresh, handle), "cuDevicePrimaryCtxRetain");
    context_.store(fresh, std::memory_order_release);
    return fresh;
}

int Device::attribute(CUdevice_attribute which) const {
    int value = 0;
    check(driver().cuDeviceGetAttribute(&value, which, handle), "cuDeviceGetAttribute");
    return value;
}

Device& device_of(std::uint32_t index) {
    static std::mutex mutex;
    static auto& made = *new std::vector<std::unique_ptr<Device>>;
    if (const char* why = why_unavailable()) throw Failure(MKZ_UNAVAILABLE, why);
    const std::uint32_t count = static_cast<std::uint32_t>(driver_devices());
    backends::require_device("cuda", index, count);
    const std::lock_guard lock(mutex);
    made.resize(count);
    if (!made[index]) {
        CUdevice handle = 0;
        check(driver().cuDeviceGet(&handle, static_cast<int>(index)), "cuDeviceGet", "cuda:" + std::to_string(index));
        made[index] = std::make_unique<Device>(index, handle);
    }
    return *made[index];
}

Current::Current(Device& device) {
    CUcontext wanted = device.context();
    CUcontext now = nullptr;
    device.check(driver().cuCtxGetCurrent(&now), "cuCtxGetCurrent");
    if (now == wanted) return;
    device.check(driver().cuCtxPushCurrent(wanted), "cuCtxPushCurrent");
    pushed_ = true;
}

Current::~Current() {
    CUcontext popped = nullptr;
    if (pushed_) driver().cuCtxPopCurrent(&popped);
}

BesideCaptures::BesideCaptures() noexcept { driver().cuThreadExchangeStreamCaptureMode(&mode_); }
BesideCaptures::~BesideCaptures() { driver().cuThreadExchangeStreamCaptureMode(&mode_); }

mkz_status device_facts(std::uint32_t device, mkz_device_facts* facts) noexcept {
    return guarded([&] {
        const Device& d = device_of(device);
        d.check(driver().cuDeviceGetName(facts->name, sizeof facts->name, d.handle), "cuDeviceGetName");
        std::snprintf(facts->vendor, sizeof facts->vendor, "NVIDIA");
        std::snprintf(facts->driver, sizeof facts->driver, "%s", driver_text().c_str());
        std::snprintf(facts->isa, sizeof facts->isa, "sm_%d", d.arch());
        facts->units = static_cast<std::uint32_t>(d.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
        facts->memory_bytes = d.memory_bytes();
    });
}

mkz_status facts(std::uint32_t device, mkz_driver_facts* facts) noexcept {
    return guarded([&] {
        const Device& d = device_of(device);
        facts->language = MKZ_LANGUAGE_CUDA;
        facts->unified = 0;
        facts->is_cpu = 0;
        facts->max_group_size = static_cast<std::uint32_t>(d.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
        // The shared memory that a kernel may declare. More needs a launch attribute, which no kernel here asks for.
        facts->local_bytes = static_cast<std::uint64_t>(d.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
        facts->max_allocation = d.memory_bytes();
        std::snprintf(facts->compiler, sizeof facts->compiler, "%s", compiler_text(d).c_str());
    });
}

}  // namespace merklize::cuda
