#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "host/threads.hpp"
#include "jobs/jobs.hpp"
#include "merklize/device.hpp"

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

/// Memory of a device during one call: copies and nodes. Used by one thread. Commands run in the order of the calls.
class DeviceMemory {
public:
    virtual ~DeviceMemory() = default;

    /// Enqueued: host bytes must stay until Executor::finish().
    virtual void copy_to_device(const Place& to, const void* from, std::uint64_t bytes) = 0;
    virtual void copy_to_host(void* to, const Place& from, std::uint64_t bytes) = 0;
    virtual void copy_on_device(const Place& to, const Place& from, std::uint64_t bytes) = 0;
    /// The bytes of a place, at most most_fetched of them, in pinned memory; complete when it returns. They stay until the next
    /// fetch() or the end of the call.
    virtual std::span<const std::byte> fetch(const Place& from, std::uint64_t bytes) = 0;
    /// The same, enqueued: complete when the call's work is, before the Executor ends.
    virtual std::span<const std::byte> enqueue_fetch(const Place& from, std::uint64_t bytes) = 0;
    static constexpr std::uint64_t most_fetched = 64 << 10;
    /// Copies of many bytes, through pinned memory; complete when they return.
    virtual void upload(const Place& to, const void* from, std::uint64_t bytes) = 0;
    virtual void download(void* to, const Place& from, std::uint64_t bytes) = 0;

    /// out[i] = slot slots[i] of the tree at `nodes`, for slots inside the tree's block. Complete when it returns. Slots of 32 bits
    /// are half as many bytes to send.
    /// out  [slots] digests
    virtual void gather_nodes(const Place& nodes, std::span<const std::uint32_t> slots, void* out) = 0;
    virtual void gather_nodes(const Place& nodes, std::span<const std::uint64_t> slots, void* out) = 0;
    /// Slot slots[i] = values[i], no slot twice: enqueued. The host bytes may go when it returns.
    virtual void scatter_nodes(const Place& nodes, std::span<const std::uint64_t> slots, const void* values) = 0;
    /// The same; what was in the slots before goes to `old`, a place of the device.
    virtual void exchange_nodes(const Place& nodes, std::span<const std::uint64_t> slots, const void* values,
                                const Place& old) = 0;

    /// The same between places of the device, slots of 64 bits: only enqueued.
    virtual void gather_nodes(const Place& nodes, const Place& slots, std::uint64_t n, const Place& out) = 0;
    /// Enqueued.
    virtual void merge_edge(const MergeEdge& job) = 0;
    /// Enqueued.
    /// tick  as of Executor::launch()
    virtual bool digest_nodes(const DigestNodes& job, const Tick& tick) = 0;
    /// Writes zeros over n nodes: enqueued.
    virtual void clear_nodes(const Place& nodes, std::uint64_t n) = 0;
    /// Working memory, aligned to 256 bytes. Its content is undefined.
    virtual Lease scratch(std::uint64_t bytes) = 0;

    /// Throws invalid_argument, with the place of the first, if one of n words is not below the modulus of the hash. In a call that
    /// enqueues the call's event does so, without the place.
    virtual void require_canonical(const mkz_hash_info& hash, const Place& words, std::uint64_t n,
                                   const char* what) = 0;
    /// Copies the first n rows of a matrix on the device to `out`, row after row: enqueued.
    virtual void pack_rows(const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n, const Place& out) = 0;
    /// The same n nodes at a place that kernels take, a multiple of 32 bytes: where they are, or a copy of them.
    virtual Lease aligned_nodes(const Place& nodes, std::uint64_t n) = 0;
};

/// What a call does when it has asked for all its work: wait until that is complete, or return an event.
enum class Ending : std::uint8_t { waits, enqueues };

/// In an executor, MKZ_JOBS(MKZ_RUNS_JOB): launch() of every job.
#define MKZ_RUNS_JOB(Job) bool launch(const Job& job, const Tick& tick) override;

/// Computes jobs for one call. Used by one thread.
///
/// There are three: HostExecutor (host_executor.hpp), DeviceCall (queue/device_call.hpp), and SideBySide
/// (side_by_side.hpp), which shares a job out over several devices. All read and write places on the host; the second also places
/// on its device.
class Executor {
public:
    virtual ~Executor() = default;

    /// Runs a job; one whose places are all on the device may only be enqueued.
    /// tick     asks whether to go on, with the share of the job that is done; may be empty; must not throw
    /// returns  false if tick cancelled the job
#define MKZ_DECLARE_LAUNCH(Job) virtual bool launch(const Job& job, const Tick& tick) = 0;
    MKZ_JOBS(MKZ_DECLARE_LAUNCH)
#undef MKZ_DECLARE_LAUNCH

    /// The device's memory, or null: without a device, or with several.
    virtual DeviceMemory* memory() noexcept { return nullptr; }

    /// Ends a call that enqueues: the point after its work.
    virtual std::shared_ptr<EventState> end() { return nullptr; }
    /// Waits for everything enqueued. Errors of what ran come from here. Nothing in a call that enqueues.
    virtual void finish() {}
    /// Waits for everything enqueued, whatever became of it.
    virtual void abandon() noexcept {}
};

/// The executor of a call on a device with queues or on several devices; null for the CPU, whose executor is a HostExecutor.
/// options  must outlive it
std::unique_ptr<Executor> open_executor(const RunOptions& options, Ending ending = Ending::waits);

}  // namespace merklize::runtime
