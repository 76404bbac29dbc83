#pragma once

#include "backends/cuda/api.hpp"

namespace merklize::cuda {

/// Why CUDA cannot be used in this process, or null. Opens and starts the driver on first use; it is never closed.
const char* why_unavailable() noexcept;

/// The driver's functions. Only after why_unavailable() has returned null, or while it runs.
const DriverApi& driver() noexcept;

/// 13000 for CUDA 13.0; 0 if there is no usable driver.
int driver_version() noexcept;

/// Number of devices, in the driver's order, which CUDA_VISIBLE_DEVICES shapes and other libraries of the process
/// share.
int driver_devices() noexcept;

/// True in a process that was forked from one that had started CUDA: the driver cannot be used there, and its calls may
/// hang.
bool forked() noexcept;

inline constexpr const char* forked_text =
    "cuda: this process was forked after CUDA was initialised; use spawn or forkserver (Python: "
    "multiprocessing.set_start_method(\"spawn\")), or fork first";

}  // namespace merklize::cuda
