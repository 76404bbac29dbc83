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
#include "jobs/backend.h"

#include "backends/opencl/copy.hpp"
#include "backends/opencl/device.hpp"
#include "backends/opencl/memory.hpp"
#include "backends/opencl/program.hpp"
#include "backends/opencl/stream.hpp"
#include "backends/opencl/tuning.hpp"

namespace merklize::opencl {
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
