#pragma once

#include <memory>
#include <utility>

#include "queue/kernels.hpp"
#include "queue/staging.hpp"
#include "queue/timeline.hpp"

namespace merklize::runtime {

/// One call on a device: what its launches share. Used by one thread.
struct DeviceCall {
    /// threads  of the host, for copies, for policies, and for what is merged there
    DeviceCall(std::shared_ptr<QueueDevice> device, const RunOptions& options, unsigned threads, Ending ending)
        : timeline(std::move(device), options, ending), kernels(timeline, threads), staging(timeline, threads) {}

    const mkz_driver_facts& facts() const noexcept { return timeline.device()->facts(); }

    Timeline timeline;
    Kernels kernels;
    Staging staging;
};

}  // namespace merklize::runtime
