#include "jobs/registry.hpp"

#include "host/invalid.hpp"
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
    const std::lock_guard lock(opening_);
    if (!opened_) {
        opened_ = open_device(*backend, index, info.id);
        Log::process().add(LogLevel::debug, "opened " + info.id + ": " + info.name + ", driver " + info.driver);
    }
    return opened_;
}

}  // namespace merklize::runtime
