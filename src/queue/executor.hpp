#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "jobs/executor.hpp"
#include "queue/kernels.hpp"
#include "queue/launches.hpp"
#include "queue/staging.hpp"
#include "queue/timeline.hpp"
#include "queue/tree_launches.hpp"

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
                  Ending ending = Ending::waits);

    bool launch(const HashChunks& job, const Tick& tick) override { return launches_.hash_chunks(job, tick); }
    bool launch(const HashEach& job, const Tick& tick) override { return launches_.hash_each(job, tick); }
    bool launch(const HashRows& job, const Tick& tick) override { return launches_.hash_rows(job, tick); }
    bool launch(const HashMatrices& job, const Tick& tick) override { return launches_.hash_matrices(job, tick); }
    bool launch(const MergePairs& job, const Tick& tick) override { return launches_.merge_pairs(job, tick); }
    bool launch(const MergeSubtrees& job, const Tick& tick) override { return trees_.merge_subtrees(job, tick); }
    bool launch(const MergeAt& job, const Tick& tick) override { return trees_.merge_at(job, tick); }

    DeviceMemory* memory() noexcept override { return this; }
    std::shared_ptr<EventState> end() override { return timeline_.end(); }
    void finish() override { timeline_.finish(); }
    void abandon() noexcept override { timeline_.drain(); }

    void copy_to_device(const Place& to, const void* from, std::uint64_t bytes) override {
        timeline_.copy_to_device(to, from, bytes);
    }
    void copy_to_host(void* to, const Place& from, std::uint64_t bytes) override {
        timeline_.copy_to_host(to, from, bytes);
    }
    void copy_on_device(const Place& to, const Place& from, std::uint64_t bytes) override {
        timeline_.copy_on_device(to, from, bytes);
    }
    std::span<const std::byte> fetch(const Place& from, std::uint64_t bytes) override {
        return timeline_.fetch(from, bytes);
    }
    void upload(const Place& to, const void* from, std::uint64_t bytes) override { staging_.upload(to, from, bytes); }
    void download(void* to, const Place& from, std::uint64_t bytes) override { staging_.download(to, from, bytes); }
    void gather_nodes(const Place& nodes, std::span<const std::uint32_t> slots, void* out) override {
        trees_.gather_nodes(nodes, slots, out);
    }
    void gather_nodes(const Place& nodes, std::span<const std::uint64_t> slots, void* out) override {
        trees_.gather_nodes(nodes, slots, out);
    }
    void scatter_nodes(const Place& nodes, std::span<const std::uint64_t> slots, const void* values) override {
        trees_.scatter_nodes(nodes, slots, values);
    }
    void exchange_nodes(const Place& nodes, std::span<const std::uint64_t> slots, const void* values,
                        const Place& old) override {
        trees_.scatter_nodes(nodes, slots, values, &old);
    }
    void gather_nodes(const Place& nodes, const Place& slots, std::uint64_t n, const Place& out) override {
        trees_.gather_nodes(nodes, slots, n, out);
    }
    void merge_edge(const MergeEdge& job) override { trees_.merge_edge(job); }
    bool digest_nodes(const DigestNodes& job, const Tick& tick) override { return launches_.digest_nodes(job, tick); }
    void clear_nodes(const Place& nodes, std::uint64_t n) override;
    Place scratch(std::uint64_t bytes) override { return timeline_.scratch(bytes)->at(0); }
    void require_canonical(const mkz_hash_info& hash, const Place& words, std::uint64_t n, const char* what) override;
    void pack_rows(const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n, const Place& out) override {
        launches_.pack_rows(matrix, word_bytes, n, out);
    }
    Place aligned_nodes(const Place& nodes, std::uint64_t n) override;

    /// Packs the items of a strided array in `source`, in C order, into `out`.
    void gather_strided(const Place& source, StridedArray array, const Place& out);

private:
    Timeline timeline_;
    Kernels kernels_;
    Staging staging_;
    Launches launches_;
    TreeLaunches trees_;
};

}  // namespace merklize::runtime
