// CUDA as a backend: NVIDIA's driver and NVRTC, opened at run time, behind the tables of driver.h and backend.h.
#include "seams/backend.h"

#include "backends/cuda/device.hpp"
#include "backends/cuda/library.hpp"
#include "backends/cuda/queue.hpp"
#include "backends/cuda/tuning.hpp"
#include "backends/failure.hpp"

namespace merklize::cuda {
namespace {

std::uint32_t device_count() noexcept { return static_cast<std::uint32_t>(driver_devices()); }

constexpr mkz_driver driver_table = {MKZ_DRIVER_FUNCTIONS(MKZ_FILL_DRIVER_FUNCTION).stream_capturing = stream_capturing,
                                     .copy_rows_to_device = copy_rows_to_device};

}  // namespace

extern const mkz_backend backend;
const mkz_backend backend = MKZ_BACKEND("cuda", &driver_table, backends::last_error);

}  // namespace merklize::cuda
