// CUDA as a backend: NVIDIA's driver and NVRTC, opened at run time, behind the tables of driver.h and backend.h.
#include "jobs/backend.h"

#include "backends/cuda/device.hpp"
#include "backends/cuda/library.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/program.hpp"
#include "backends/cuda/queue.hpp"
#include "backends/cuda/tuning.hpp"
#include "backends/failure.hpp"

namespace merklize::cuda {
namespace {

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
    .stream_capturing = stream_capturing,
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
    .name = "cuda",
    .why_unavailable = why_unavailable,
    .device_count = [] { return static_cast<std::uint32_t>(driver_devices()); },
    .device_facts = device_facts,
    .tune = tune,
    .driver = &driver_table,
    .last_error = backends::last_error,
};

}  // namespace merklize::cuda
