#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "jobs/executor.hpp"
#include "queue/kernels.hpp"
#include "queue/staging.hpp"
#include "queue/timeline.hpp"

namespace merklize::runtime {

/// Where the items of a strided array lie: in bytes, slowest dimension first.
struct StridedArray {
    std::uint64_t first;
    std::uint32_t item_bytes;
    std::vector<std::uint64_t> extents;
    std::vector<std::int64_t> strides;

    /// The same items in fewer dimensions and larger items, where they lie together. `align`: what the first byte's address is a
    /// multiple of.
    void coalesce(std::uint64_t align);
};

/// One call on a device with queues: its executor, its memory there, and what its launches share. Jobs on device memory are enqueued
/// and run on until finish(); jobs on host memory are complete when launch() returns. Used by one thread.
class DeviceCall final : public Executor, public DeviceMemory {
public:
    /// options  must outlive this
    /// threads  of the host, for copies, for policies, and for what is merged there
    DeviceCall(std::shared_ptr<QueueDevice> device, const RunOptions& options, unsigned threads,
               Ending ending = Ending::waits)
        : timeline(std::move(device), options, ending), kernels(timeline, threads), staging(timeline, threads) {}

    const mkz_driver_facts& facts() const noexcept { return timeline.device()->facts(); }

    Timeline timeline;
    Kernels kernels;
    Staging staging;

    // Jobs as kernels of core/entry.h, a file each in launches/.
    MKZ_JOBS(MKZ_RUNS_JOB)
    void merge_edge(const MergeEdge& job) override;
    bool digest_nodes(const DigestNodes& job, const Tick& tick) override;
    void gather_nodes(const Place& nodes, std::span<const std::uint32_t> slots, void* out) override;
    void gather_nodes(const Place& nodes, std::span<const std::uint64_t> slots, void* out) override;
    void gather_nodes(const Place& nodes, const Place& slots, std::uint64_t n, const Place& out) override;
    void scatter_nodes(const Place& nodes, std::span<const std::uint64_t> slots, const void* values) override;
    void exchange_nodes(const Place& nodes, std::span<const std::uint64_t> slots, const void* values,
                        const Place& old) override;
    void clear_nodes(const Place& nodes, std::uint64_t n) override;
    void require_canonical(const mkz_hash_info& hash, const Place& words, std::uint64_t n, const char* what) override;
    void pack_rows(const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n, const Place& out) override;
    /// Packs the items of a strided array in `source`, in C order, into `out`: strided.cpp.
    void gather_strided(const Place& source, StridedArray array, const Place& out);

    DeviceMemory* memory() noexcept override { return this; }
    std::shared_ptr<EventState> end() override { return timeline.end(); }
    void finish() override { timeline.finish(); }
    void abandon() noexcept override { timeline.drain(); }

    void copy_to_device(const Place& to, const void* from, std::uint64_t bytes) override {
        timeline.copy_to_device(to, from, bytes);
    }
    void copy_to_host(void* to, const Place& from, std::uint64_t bytes) override {
        timeline.copy_to_host(to, from, bytes);
    }
    void copy_on_device(const Place& to, const Place& from, std::uint64_t bytes) override {
        timeline.copy_on_device(to, from, bytes);
    }
    std::span<const std::byte> fetch(const Place& from, std::uint64_t bytes) override {
        return timeline.fetch(from, bytes);
    }
    std::span<const std::byte> enqueue_fetch(const Place& from, std::uint64_t bytes) override {
        return timeline.enqueue_fetch(from, bytes);
    }
    void upload(const Place& to, const void* from, std::uint64_t bytes) override { staging.upload(to, from, bytes); }
    void download(void* to, const Place& from, std::uint64_t bytes) override { staging.download(to, from, bytes); }
    Lease scratch(std::uint64_t bytes) override { return timeline.scratch(bytes); }
    Lease aligned_nodes(const Place& nodes, std::uint64_t n) override {
        return kernels.aligned_to(range_of(nodes), 32, 32 * n);
    }
};

}  // namespace merklize::runtime
