// OpenCL as a backend: any vendor's devices, through a library opened at run time, behind the tables of driver.h and
// backend.h.
//
//   api        the library and its functions; nothing of a vendor is needed to build
//   device     devices, their facts, the one context of each
//   memory     blocks, host memory
//   stream     queues, events, asynchronous failures
//   copy       between host and blocks
//   program    text, compiled form or SPIR-V -> kernels
//   launch     kernels with their arguments
#include "seams/backend.h"

#include "backends/opencl/device.hpp"

namespace merklize::opencl {

namespace {

struct OpenCL {
    static constexpr const char* name = "opencl";
    static constexpr const char* without_memory = "opencl: out of host memory while looking for devices";
    static const DeviceList& devices() { return opencl::devices(); }
};
using Listed = backends::ListedDevices<OpenCL>;

constexpr mkz_driver driver_table = {MKZ_DRIVER_FUNCTIONS(MKZ_FILL_DRIVER_FUNCTION).stream_capturing = nullptr,
                                     .copy_rows_to_device = nullptr};

}  // namespace

mkz_status facts(std::uint32_t device, mkz_driver_facts* facts) noexcept { return Listed::driver_facts(device, facts); }

extern const mkz_backend backend;
const mkz_backend backend = Listed::table(&driver_table);

}  // namespace merklize::opencl
