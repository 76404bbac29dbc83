// OpenCL as a backend: any vendor's devices, through a library opened at run time, behind the tables of driver.h and backend.h.
//
//   api        the library and its functions; nothing of a vendor is needed to build
//   device     devices, their facts, the one context of each
//   memory     blocks, host memory
//   stream     queues, events, failures that come late
//   copy       between host and blocks
//   program    text, compiled form or SPIR-V -> kernels
//   launch     kernels with their arguments
//   tuning     how kernels run where the caller does not say
#include "seams/backend.h"

#include "backends/opencl/device.hpp"
#include "backends/opencl/tuning.hpp"

namespace merklize::opencl {

mkz_status facts(std::uint32_t device, mkz_driver_facts* out) noexcept {
    return guarded([&] { *out = device_of(device).driver_facts; });
}

namespace {

mkz_status device_facts(std::uint32_t device, mkz_device_facts* facts) noexcept {
    return guarded([&] { *facts = device_of(device).facts; });
}

constexpr mkz_driver driver_table = {MKZ_DRIVER_FUNCTIONS(MKZ_FILL_DRIVER_FUNCTION).stream_capturing = nullptr};

}  // namespace

extern const mkz_backend backend;
const mkz_backend backend = {
    .abi = MKZ_BACKEND_ABI,
    .name = "opencl",
    .why_unavailable = why_unavailable,
    .device_count = device_count,
    .device_facts = device_facts,
    .tune = tune,
    .driver = &driver_table,
    .last_error = backends::last_error,
};

}  // namespace merklize::opencl
