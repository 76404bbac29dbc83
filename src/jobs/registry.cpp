#include "jobs/registry.hpp"

#include "host/invalid.hpp"
#include "host/made_once.hpp"
#include "jobs/log.hpp"

namespace merklize::cpu {
extern const mkz_backend backend;
}
namespace merklize::cuda {
extern const mkz_backend backend;
}
namespace merklize::opencl {
extern const mkz_backend backend;
}

namespace merklize::runtime {

std::span<const mkz_backend* const> backends() noexcept {
    static const mkz_backend* const all[] = {&cpu::backend, &cuda::backend, &opencl::backend};
    return all;
}

bool DeviceState::is_processor() const noexcept {
    mkz_driver_facts facts{};
    return is_host() || (backend->driver->facts(index, &facts) == MKZ_OK && facts.is_cpu != 0);
}

const std::shared_ptr<QueueDevice>& DeviceState::opened() const {
    if (is_host()) invalid(info.id + " is no single device with queues");
    static MadeOnce<const DeviceState*, std::shared_ptr<QueueDevice>> opened;
    return opened.get(this, [&] {
        auto device = open_device(*backend, index, info.id);
        Log::process().add(LogLevel::debug, "opened " + info.id + ": " + info.name + ", driver " + info.driver);
        return device;
    });
}

}  // namespace merklize::runtime
