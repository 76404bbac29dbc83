#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "host/threads.hpp"
#include "jobs/jobs.hpp"

namespace merklize::runtime {

/// A place that a call uses, and its working memory if it has any there. The memory stays until the lease is dropped and the commands
/// enqueued before that have ended; a wait takes nothing from it. Used by the call's thread.
class [[nodiscard]] Lease {
public:
    /// Where the memory of dropped leases returns to.
    class Lessor {
    public:
        virtual void take_back(std::shared_ptr<const void> memory) noexcept = 0;

    protected:
        ~Lessor() = default;
    };

    Lease() = default;
    /// memory  null: somebody else's
    /// lessor  null: the memory is only dropped
    explicit Lease(const Place& place, std::shared_ptr<const void> memory = nullptr,
                   std::shared_ptr<Lessor> lessor = nullptr)
        : place_(place), memory_(std::move(memory)), lessor_(std::move(lessor)) {}
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&& other) noexcept {
        std::swap(place_, other.place_);
        std::swap(memory_, other.memory_);
        std::swap(lessor_, other.lessor_);
        return *this;
    }
    ~Lease() {
        if (lessor_) lessor_->take_back(std::move(memory_));
    }

    const Place& place() const& noexcept { return place_; }
    const Place& place() && = delete;  // the memory would be gone before the place is used
    explicit operator bool() const noexcept { return place_.pointer != nullptr; }

private:
    Place place_{};
    std::shared_ptr<const void> memory_{};
    std::shared_ptr<Lessor> lessor_{};
};

/// What a call does when it has asked for all its work: wait until that is complete, or return an event.
enum class Ending : std::uint8_t { waits, enqueues };

/// In an executor, MKZ_JOBS(MKZ_RUNS_JOB): launch() of every job.
#define MKZ_RUNS_JOB(Job) bool launch(const Job& job, const Tick& tick) override;

/// Computes jobs for one call. Used by one thread.
///
/// There are three: HostExecutor (host_executor.hpp), DeviceCall (queue/device_call.hpp), and SideBySide
/// (calls/side_by_side.hpp), which shares a job out over several devices. All read and write places on the host; the second also
/// places on its device.
class Executor {
public:
    virtual ~Executor() = default;

    /// Runs a job; one whose places are all on the device may only be enqueued.
    /// tick     asks whether to go on, with the share of the job that is done; may be empty; must not throw
    /// returns  false if tick cancelled the job
#define MKZ_DECLARE_LAUNCH(Job) virtual bool launch(const Job& job, const Tick& tick) = 0;
    MKZ_JOBS(MKZ_DECLARE_LAUNCH)
#undef MKZ_DECLARE_LAUNCH
};

}  // namespace merklize::runtime
