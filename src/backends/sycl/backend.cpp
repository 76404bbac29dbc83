// SYCL as a plug-in: the only library here that links a runtime, libsycl of the package intel-sycl-rt. Host code is built by any C++
// compiler; kernels are compiled at run time from the core's text.
//
//   device     devices of all platforms, their facts, the one context of each
//   memory     unified shared memory, host memory
//   stream     queues, copies, events, failures that come late
//   program    text -> kernels; launches
//   image      programs of OpenCL: from SPIR-V, and from the cache
//   spirv      what a module says beside its code
//   tuning     how kernels run where the caller does not say
#include "seams/backend.h"

#include "backends/sycl/device.hpp"
#include "backends/sycl/tuning.hpp"
#include "seams/plugin.h"

namespace merklize::sycl_plugin {

mkz_status facts(std::uint32_t device, mkz_driver_facts* out) noexcept {
    return guarded([&] { *out = device_of(device).driver_facts; });
}

namespace {

mkz_status device_facts(std::uint32_t device, mkz_device_facts* facts) noexcept {
    return guarded([&] { *facts = device_of(device).facts; });
}

constexpr mkz_driver driver_table = {MKZ_DRIVER_FUNCTIONS(MKZ_FILL_DRIVER_FUNCTION).stream_capturing = nullptr};

constexpr mkz_backend backend = {
    .abi = MKZ_BACKEND_ABI,
    .name = "sycl",
    .why_unavailable = why_unavailable,
    .device_count = device_count,
    .device_facts = device_facts,
    .tune = tune,
    .driver = &driver_table,
    .last_error = last_error,
};

}  // namespace
}  // namespace merklize::sycl_plugin

const mkz_backend* merklize_plugin_backend() { return &merklize::sycl_plugin::backend; }
