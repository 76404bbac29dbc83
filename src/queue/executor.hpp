#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "jobs/executor.hpp"
#include "queue/device_call.hpp"
#include "queue/launches/launches.hpp"

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

/// The executor of a device with queues, for one call. Jobs on device memory are enqueued and run on until finish(); jobs on host
/// memory are complete when launch() returns.
class QueueExecutor final : public Executor, public DeviceMemory {
public:
    QueueExecutor(std::shared_ptr<QueueDevice> device, const RunOptions& options, unsigned threads,
                  Ending ending = Ending::waits)
        : call_(std::move(device), options, threads, ending) {}

    bool launch(const HashChunks& job, const Tick& tick) override { return launches::hash_chunks(call_, job, tick); }
    bool launch(const HashEach& job, const Tick& tick) override { return launches::hash_each(call_, job, tick); }
    bool launch(const HashRows& job, const Tick& tick) override { return launches::hash_rows(call_, job, tick); }
    bool launch(const HashMatrices& job, const Tick& tick) override {
        return launches::hash_matrices(call_, job, tick);
    }
    bool launch(const MergePairs& job, const Tick& tick) override { return launches::merge_pairs(call_, job, tick); }
    bool launch(const MergeSubtrees& job, const Tick& tick) override {
        return launches::merge_subtrees(call_, job, tick);
    }
    bool launch(const MergeAt& job, const Tick& tick) override { return launches::merge_at(call_, job, tick); }

    DeviceMemory* memory() noexcept override { return this; }
    std::shared_ptr<EventState> end() override { return call_.timeline.end(); }
    void finish() override { call_.timeline.finish(); }
    void abandon() noexcept override { call_.timeline.drain(); }

    void copy_to_device(const Place& to, const void* from, std::uint64_t bytes) override {
        call_.timeline.copy_to_device(to, from, bytes);
    }
    void copy_to_host(void* to, const Place& from, std::uint64_t bytes) override {
        call_.timeline.copy_to_host(to, from, bytes);
    }
    void copy_on_device(const Place& to, const Place& from, std::uint64_t bytes) override {
        call_.timeline.copy_on_device(to, from, bytes);
    }
    std::span<const std::byte> fetch(const Place& from, std::uint64_t bytes) override {
        return call_.timeline.fetch(from, bytes);
    }
    std::span<const std::byte> enqueue_fetch(const Place& from, std::uint64_t bytes) override {
        return call_.timeline.enqueue_fetch(from, bytes);
    }
    void upload(const Place& to, const void* from, std::uint64_t bytes) override {
        call_.staging.upload(to, from, bytes);
    }
    void download(void* to, const Place& from, std::uint64_t bytes) override {
        call_.staging.download(to, from, bytes);
    }
    void gather_nodes(const Place& nodes, std::span<const std::uint32_t> slots, void* out) override {
        launches::gather_nodes(call_, nodes, slots, out);
    }
    void gather_nodes(const Place& nodes, std::span<const std::uint64_t> slots, void* out) override {
        launches::gather_nodes(call_, nodes, slots, out);
    }
    void scatter_nodes(const Place& nodes, std::span<const std::uint64_t> slots, const void* values) override {
        launches::scatter_nodes(call_, nodes, slots, values);
    }
    void exchange_nodes(const Place& nodes, std::span<const std::uint64_t> slots, const void* values,
                        const Place& old) override {
        launches::scatter_nodes(call_, nodes, slots, values, &old);
    }
    void gather_nodes(const Place& nodes, const Place& slots, std::uint64_t n, const Place& out) override {
        launches::gather_nodes(call_, nodes, slots, n, out);
    }
    void merge_edge(const MergeEdge& job) override { launches::merge_edge(call_, job); }
    bool digest_nodes(const DigestNodes& job, const Tick& tick) override {
        return launches::digest_nodes(call_, job, tick);
    }
    void clear_nodes(const Place& nodes, std::uint64_t n) override { launches::clear_nodes(call_, nodes, n); }
    Lease scratch(std::uint64_t bytes) override { return call_.timeline.scratch(bytes); }
    void require_canonical(const mkz_hash_info& hash, const Place& words, std::uint64_t n, const char* what) override {
        launches::require_canonical(call_, hash, words, n, what);
    }
    void pack_rows(const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n, const Place& out) override {
        launches::pack_rows(call_, matrix, word_bytes, n, out);
    }
    Lease aligned_nodes(const Place& nodes, std::uint64_t n) override {
        return call_.kernels.aligned_to(range_of(nodes), 32, 32 * n);
    }

    /// Packs the items of a strided array in `source`, in C order, into `out`.
    void gather_strided(const Place& source, StridedArray array, const Place& out);

private:
    DeviceCall call_;
};

}  // namespace merklize::runtime
