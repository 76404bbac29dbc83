#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/cuda/api.hpp"
#include "backends/cuda/error.hpp"
#include "backends/driver_table.hpp"
#include "seams/backend.h"

namespace merklize::cuda {

class BlockCache;

/// CUevents that are not in use. Creating one costs several times what recording one does.
class EventPool {
public:
    /// The context must be current.
    CUevent take(bool timed, const std::string& on);
    void give(CUevent event, bool timed) noexcept;

private:
    std::mutex mutex_;
    std::vector<CUevent> idle_[2];
};

/// The library's own streams that are not in use and have nothing left to do.
class StreamPool {
public:
    CUstream take(const std::string& on);
    void give(CUstream stream) noexcept;

private:
    std::mutex mutex_;
    std::vector<CUstream> idle_;
};

/// One GPU. Made on first use, alive until the process ends, because its memory and streams may outlive every static
/// object.
class Device {
public:
    Device(std::uint32_t index, CUdevice handle);
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    ~Device();

    /// The primary context, which PyTorch, CuPy and the CUDA runtime also use. Retained on first use and kept.
    CUcontext context();
    void check(CUresult result, const char* what) const { cuda::check(result, what, name); }
    int attribute(CUdevice_attribute which) const;
    /// 90 for compute capability 9.0.
    int arch() const { return arch_; }
    std::uint64_t memory_bytes() const { return memory_bytes_; }

    const std::uint32_t index;
    const CUdevice handle;
    const std::string name;  // "cuda:0", which every error text begins with
    EventPool events;
    StreamPool streams;
    const std::unique_ptr<BlockCache> blocks;

private:
    int arch_ = 0;
    std::uint64_t memory_bytes_ = 0;
    std::mutex mutex_;
    std::atomic<CUcontext> context_{nullptr};
};

/// Throws a Failure if no device has this index.
Device& device_of(std::uint32_t index);

/// Makes a device's context current for a scope, and the caller's context again at its end.
class Current {
public:
    explicit Current(Device& device);
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    ~Current();

private:
    bool pushed_ = false;
};

/// In its scope this thread may allocate and query while another thread captures a stream. PyTorch's captures forbid
/// such calls to all threads, because they might belong to the captured work; the calls in this scope do not.
class BesideCaptures {
public:
    BesideCaptures() noexcept;
    BesideCaptures(const BesideCaptures&) = delete;
    BesideCaptures& operator=(const BesideCaptures&) = delete;
    ~BesideCaptures();

private:
    CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  // restored at the end
};

mkz_status device_facts(std::uint32_t device, mkz_device_facts* facts) noexcept;

MKZ_DRIVER_FUNCTIONS(MKZ_DECLARE_DRIVER_FUNCTION)

}  // namespace merklize::cuda
