#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "jobs/executor.hpp"
#include "merklize/device.hpp"
#include "seams/backend.h"

namespace merklize::runtime {

/// A device with queues and memory of its own, opened: what all calls on it share, as far as rooms above the queue need to know it.
class OpenedDevice {
public:
    virtual ~OpenedDevice() = default;

    /// Whether its memory is the host's.
    virtual bool is_unified() const noexcept = 0;
    /// Bytes of the largest single block.
    virtual std::uint64_t max_allocation() const noexcept = 0;
    /// False in a child of fork(), which cannot use it: drivers' threads and locks stay with the parent.
    virtual bool is_own_process() const noexcept = 0;
    /// For one call.
    /// options  must outlive the executor
    /// threads  of the host, for copies
    virtual std::unique_ptr<Executor> executor(const RunOptions& options, unsigned threads,
                                               Ending ending = Ending::waits) = 0;
};

/// Opens a device of a backend that has a driver: queue/device.cpp.
/// id  for error texts
std::shared_ptr<OpenedDevice> open_device(const mkz_backend& backend, std::uint32_t index, std::string id);

}  // namespace merklize::runtime
