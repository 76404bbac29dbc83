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
#include "jobs/backend.h"

#include "backends/sycl/device.hpp"
#include "backends/sycl/memory.hpp"
#include "backends/sycl/program.hpp"
#include "backends/sycl/stream.hpp"
#include "backends/sycl/tuning.hpp"
#include "jobs/plugin.h"

namespace merklize::sycl_plugin {
namespace {

mkz_status device_facts(std::uint32_t device, mkz_device_facts* facts) noexcept {
    return guarded([&] { *facts = device_of(device).facts; });
}

mkz_status driver_facts(std::uint32_t device, mkz_driver_facts* facts) noexcept {
    return guarded([&] { *facts = device_of(device).driver_facts; });
}

constexpr mkz_driver driver_table = {
    .facts = driver_facts,
    .allocate = allocate,
    .allocate_host = allocate_host,
    .release_host = release_host,
    .is_pinned = is_pinned,
    .wrap = wrap,
    .wrap_host = wrap_host,
    .native = native,
    .alignment = alignment,
    .release = release,
    .stream_open = stream_open,
    .stream_close = stream_close,
    .stream_synchronize = stream_synchronize,
    .stream_wait = stream_wait,
    .stream_capturing = nullptr,
    .copy_to_device = copy_to_device,
    .copy_to_host = copy_to_host,
    .copy_on_device = copy_on_device,
    .event_record = event_record,
    .event_wait = event_wait,
    .event_query = event_query,
    .event_span = event_span,
    .event_native = event_native,
    .event_release = event_release,
    .program_build = program_build,
    .program_binary = program_binary,
    .program_load = program_load,
    .program_release = program_release,
    .program_function = program_function,
    .launch = launch,
};

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
