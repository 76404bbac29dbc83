#pragma once

#include "jobs/executor.hpp"

namespace merklize::runtime {

/// The CPU, by backends/cpu. Every job is complete when launch() returns. Devices also leave it the end of some jobs,
/// such as the last nodes of a digest. Costs nothing to make; several may run at once.
class HostExecutor final : public Executor {
public:
    /// threads  CPU threads, the caller's included; 0 = all that the process may use
    explicit HostExecutor(const ThreadCount& threads) noexcept : threads_(threads) {}

    const ThreadCount& threads() const noexcept { return threads_; }

    MKZ_JOBS(MKZ_RUNS_JOB)
    bool launch(const HashParents& job, const Tick& tick);
    bool launch(const Expand& job, const Tick& tick);

private:
    ThreadCount threads_;
};

}  // namespace merklize::runtime
