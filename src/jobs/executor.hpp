#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "host/threads.hpp"
#include "jobs/jobs.hpp"

namespace merklize::runtime {

/// A place that a call uses, and the working memory behind it, if it owns some. The memory stays until the lease is
/// dropped and the commands enqueued before that have ended; a wait frees nothing. Used by the call's thread.
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
    /// memory  null: the place has another owner
    /// lessor  null: the memory is dropped, and is not returned
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
    const Place& place() && = delete;  // the memory would be freed before the place is used
    explicit operator bool() const noexcept { return place_.pointer != nullptr; }

private:
    Place place_{};
    std::shared_ptr<const void> memory_{};
    std::shared_ptr<Lessor> lessor_{};
};

/// How a call ends: it waits until its work is complete, or returns an event.
enum class Ending : std::uint8_t { waits, enqueues };

/// In an executor, MKZ_JOBS(MKZ_RUNS_JOB): launch() of every job.
#define MKZ_RUNS_JOB(Job) bool launch(const Job& job, const Tick& tick) override;

/// Computes jobs for one call. Used by one thread.
///
/// There are three: HostExecutor (host_executor.hpp), DeviceCall (queue/device_call.hpp), and SideBySide
/// (calls/side_by_side.hpp), which shares a job out over several devices. All read and write places on the host; a
/// DeviceCall also places on its device.
class Executor {
public:
    virtual ~Executor() = default;

    /// Runs a job. If all its places are on the device, the job may still be running when this returns.
    /// tick     called with the share of the job that is done; false cancels the job. May be empty; must not throw
    /// returns  false if tick cancelled the job
#define MKZ_DECLARE_LAUNCH(Job) virtual bool launch(const Job& job, const Tick& tick) = 0;
    MKZ_JOBS(MKZ_DECLARE_LAUNCH)
#undef MKZ_DECLARE_LAUNCH
};

}  // namespace merklize::runtime
