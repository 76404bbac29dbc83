// SYCL as a plug-in: the only library here that links a runtime, libsycl of the package intel-sycl-rt. Host code is
// built by any C++ compiler; kernels are compiled at run time from the core's text.
//
//   device     devices of all platforms, their facts, the one context of each
//   memory     unified shared memory, host memory
//   stream     queues, copies, events, asynchronous failures
//   program    text -> kernels; launches
//   image      programs of OpenCL: from SPIR-V, and from the cache
//   spirv      hints in a module
#include "seams/backend.h"

#include "backends/sycl/device.hpp"
#include "seams/plugin.h"

namespace merklize::sycl_plugin {

namespace {

struct Sycl {
    static constexpr const char* name = "sycl";
    static constexpr const char* without_memory = "sycl: out of host memory while looking for devices";
    static const DeviceList& devices() { return sycl_plugin::devices(); }
};
using Listed = backends::ListedDevices<Sycl>;

constexpr mkz_driver driver_table = {MKZ_DRIVER_FUNCTIONS(MKZ_FILL_DRIVER_FUNCTION).stream_capturing = nullptr,
                                     .copy_rows_to_device = nullptr};
constexpr mkz_backend backend = Listed::table(&driver_table);

}  // namespace

mkz_status facts(std::uint32_t device, mkz_driver_facts* facts) noexcept { return Listed::driver_facts(device, facts); }

}  // namespace merklize::sycl_plugin

const mkz_backend* merklize_plugin_backend() { return &merklize::sycl_plugin::backend; }
