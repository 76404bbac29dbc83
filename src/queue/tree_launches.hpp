#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "queue/kernels.hpp"
#include "queue/staging.hpp"
#include "queue/timeline.hpp"

namespace merklize::runtime {

/// Levels of trees, paths to their roots, and nodes brought to the host and back. One call's; used by one thread. What returns a bool
/// returns false if tick cancelled.
class TreeLaunches {
public:
    /// threads  of the host, for what is merged there
    TreeLaunches(Timeline& timeline, Kernels& kernels, Staging& staging, unsigned threads)
        : timeline_(timeline), kernels_(kernels), staging_(staging), threads_(threads) {}

    bool merge_subtrees(const MergeSubtrees& job, const Tick& tick);
    bool merge_at(const MergeAt& job, const Tick& tick);

    void gather_nodes(const Place& nodes, std::span<const std::uint32_t> slots, void* out) {
        gather_nodes(nodes, slots.data(), 1, slots.size(), out);
    }
    void gather_nodes(const Place& nodes, std::span<const std::uint64_t> slots, void* out) {
        gather_nodes(nodes, slots.data(), 2, slots.size(), out);
    }
    void gather_nodes(const Place& nodes, const Place& slots, std::uint64_t n, const Place& out);
    void merge_edge(const MergeEdge& job);
    /// old: null, or where what was in the slots goes first
    void scatter_nodes(const Place& nodes, std::span<const std::uint64_t> slots, const void* values,
                       const Place* old = nullptr);

private:
    // Nodes that are on the host, in pieces through pinned memory.
    bool merge_staged(const MergeSubtrees& all, const Tick& tick);
    // Nodes on the device: all at once, or in parts between which the caller is asked.
    bool merge_asking(const MergeSubtrees& job, const Tick& tick);
    void merge_on_device(const MergeSubtrees& job);
    void merge_at_on_device(const MergeAt& job);
    void gather_nodes(const Place& nodes, const void* slots, std::uint32_t slot_words, std::uint64_t count, void* out);

    const mkz_driver_facts& facts() const noexcept { return timeline_.device()->facts(); }

    Timeline& timeline_;
    Kernels& kernels_;
    Staging& staging_;
    unsigned threads_;
};

}  // namespace merklize::runtime
