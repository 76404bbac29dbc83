#include "jobs/registry.hpp"

#include "merklize/error.hpp"
#include "queue/device.hpp"

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

const mkz_backend& host_backend() noexcept { return cpu::backend; }

bool launch_on_host(mkz_kernel kernel, const void* arguments, unsigned threads, const Tick& tick) {
    const auto ask = [](void* context, double done) { return (*static_cast<const Tick*>(context))(done) ? 0 : 1; };
    const mkz_run run = {threads, tick ? +ask : nullptr, const_cast<Tick*>(&tick)};
    const mkz_status status = host_backend().launch(0, kernel, arguments, &run);
    if (status == MKZ_CANCELLED) return false;
    if (status != MKZ_OK) throw Error(static_cast<ErrorCode>(status), host_backend().last_error());
    return true;
}

const std::shared_ptr<QueueDevice>& DeviceState::queue_device() const {
    if (is_host()) throw Error(ErrorCode::invalid_argument, info.id + " is no single device with queues");
    const std::lock_guard lock(opening_);
    if (!opened_) opened_ = std::make_shared<QueueDevice>(*backend, index, info.id);
    return opened_;
}

}  // namespace merklize::runtime
