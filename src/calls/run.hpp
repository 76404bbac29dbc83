#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "host/threads.hpp"
#include "jobs/host_executor.hpp"
#include "jobs/internals.hpp"
#include "jobs/progress.hpp"
#include "jobs/registry.hpp"
#include "merklize/buffer.hpp"
#include "merklize/device.hpp"
#include "queue/device_call.hpp"
#include "tuning/policy.hpp"

namespace merklize::runtime {

/// One call of the public API while it runs: its options, the executor of its jobs, and its progress for the caller's
/// function. Used by the calling thread, but for launch_here().
class Run {
public:
    /// options  must outlive the Run; options.timings is zeroed
    /// errors   invalid_argument (a stream of another device), and those of opening the device
    explicit Run(const RunOptions& options, Ending ending = Ending::waits);
    explicit Run(RunOptions&& options, Ending ending = Ending::waits) = delete;
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    const DeviceState& device() const noexcept { return state_of(options_.device); }
    const RunOptions& options() const noexcept { return options_; }
    mkz_policy policy() const noexcept { return to_seam(options_.policy); }
    /// Of the CPU: usable_threads() of those asked for.
    unsigned threads() const { return host_.threads().count(); }
    /// Whether jobs run on the CPU; false for one device and for several.
    bool on_host() const noexcept { return executor_ == &host_; }
    /// Whether the call returns an event, so that nothing in it may wait.
    bool enqueues() const noexcept { return ending_ == Ending::enqueues; }
    /// The call on the run's device, which leases the device's memory.  errors  internal (the CPU, or several devices)
    DeviceCall& on_device();

    /// Runs or enqueues a job (jobs.hpp), which is `share` of the whole call.
    template <class Job>
    void launch(const Job& job, double share = 0) {
        progress_.end(executor_->launch(job, progress_.begin(share)));
    }
    /// Runs a job on the CPU, whatever the call's device: for the ends of its work in host memory.
    /// threads  0 = as many as the call may use
    template <class Job>
    void launch_on_host(const Job& job, unsigned threads = 0) {
        progress_.end((threads == 0 ? host_ : HostExecutor(threads)).launch(job, progress_.begin(0)));
    }
    /// Runs a job on the CPU, by the calling thread alone and without progress: for pieces inside a parallel loop. Safe
    /// from any thread.
    template <class Job>
    void launch_here(const Job& job) const {
        HostExecutor(1).launch(job, {});
    }
    /// parallel_for with this call's threads and progress; it is `share` of the whole call.
    void parallel(std::size_t n, const std::function<void(std::size_t)>& body, double share = 1);
    /// The same for bodies that are calls of their own, each by one thread, and may take long: all of them are
    /// cancelled with this one. The caller's function is called by the calling thread alone.
    /// body  gets options for its call
    void parallel_calls(std::size_t n, const std::function<void(std::size_t, const RunOptions&)>& body);

    /// Ends a call that enqueues, and returns its event.
    Event end() { return Internals::event(on_device().end()); }
    /// Waits for the commands that are enqueued on a device, and throws what failed. Does nothing in a call that
    /// enqueues.
    void finish() {
        if (device_call_) device_call_->finish();
    }
    /// After an error: waits for the commands that still run on a device, because somebody is about to use their
    /// memory.
    void abandon() noexcept {
        if (device_call_) device_call_->drain();
    }

    Progress& progress() noexcept { return progress_; }
    /// Reports the progress of the current step; false cancels.
    bool tick(double done) noexcept { return progress_.tell(done); }
    [[noreturn]] void throw_cancelled() const { progress_.throw_cancelled(); }
    /// A function for reads that may wait: it throws cancelled if the caller cancels, and returns true.
    auto waiting() {
        return [this] {
            if (!tick(0)) throw_cancelled();
            return true;
        };
    }

private:
    const RunOptions& options_;
    const Ending ending_;
    HostExecutor host_;
    std::unique_ptr<DeviceCall> device_call_{};  // on one device with queues
    std::unique_ptr<Executor> several_{};        // on several devices
    Executor* executor_ = &host_;                // one of the three
    Progress progress_;
};

/// The options of a call on a buffer, with the buffer's device.
RunOptions on_device_of(const ConstBuffer& buffer, const RunOptions& options);

/// A call that does not use a field of its options refuses a value there, because ignoring the value would mislead.
/// Throws invalid_argument "timings must not be set, ...".
void require_no_timings(const RunOptions& options);
/// Throws invalid_argument "policy must not be set, ...".
void require_no_policy(const RunOptions& options);

/// Throws invalid_argument if two operands are on different devices.
void require_same_device(const ConstBuffer& one, const ConstBuffer& other);

}  // namespace merklize::runtime
