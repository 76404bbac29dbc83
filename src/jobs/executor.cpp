#include "jobs/executor.hpp"

#include "jobs/internals.hpp"
#include "jobs/opened_device.hpp"
#include "jobs/registry.hpp"
#include "jobs/side_by_side.hpp"

namespace merklize::runtime {

std::unique_ptr<Executor> open_executor(const RunOptions& options) {
    const DeviceState& device = state_of(options.device);
    const auto threads = [&] { return options.threads == 0 ? default_threads() : options.threads; };
    if (!device.parts.empty()) return std::make_unique<SideBySide>(options, threads());
    if (device.is_host()) return nullptr;
    return device.opened()->executor(options, threads());
}

}  // namespace merklize::runtime
