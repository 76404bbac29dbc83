#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "queue/staging.hpp"

namespace merklize::runtime {

/// Where the items of a strided array lie: in bytes, slowest dimension first.
struct StridedArray {
    std::uint64_t first;
    std::uint32_t item_bytes;
    std::vector<std::uint64_t> extents;
    std::vector<std::int64_t> strides;

    /// Coalesces contiguous items: fewer dimensions, larger items, the same bytes.
    /// align  alignment of the first byte's address
    void coalesce(std::uint64_t align);
};

/// One call on a device with queues: it records commands, leases working memory, stages host memory, and is the call's
/// executor. Jobs on device memory are enqueued and run on until finish(); jobs on host memory are complete when
/// launch() returns. Commands run in the order of the calls. Used by one thread.
class DeviceCall final : public Staging {
public:
    using Staging::Staging;

    // The jobs, as kernels of core/entry.h. Each has a file in launches/.
    MKZ_JOBS(MKZ_RUNS_JOB)
    /// Jobs that only devices run. The first is enqueued and not waited for.
    void launch(const MergeEdge& job);
    bool launch(const DigestNodes& job, const Tick& tick);

    /// out[i] = slot slots[i] of the tree at `nodes`, for slots inside the tree's block. Complete when it returns. A
    /// list of 32-bit slots takes half as many bytes to send as one of 64-bit slots.
    /// out  [slots] digests
    void gather_nodes(const Place& nodes, std::span<const std::uint32_t> slots, void* out);
    void gather_nodes(const Place& nodes, std::span<const std::uint64_t> slots, void* out);
    /// The same from and to places on the device, with slots of 64 bits: enqueued.
    void gather_nodes(const Place& nodes, const Place& slots, std::uint64_t n, const Place& out);
    /// Slot slots[i] = values[i], no slot twice: enqueued. The host bytes may be freed when it returns.
    /// old  null, or a place on the device that gets the former values of the slots
    void scatter_nodes(const Place& nodes, std::span<const std::uint64_t> slots, const void* values,
                       const Place* old = nullptr);
    /// Writes zeros over n nodes: enqueued.
    void clear_nodes(const Place& nodes, std::uint64_t n);
    /// n nodes aligned to 32 bytes, as kernels need them: at their own place if that is aligned, else a copy.
    Lease aligned_nodes(const Place& nodes, std::uint64_t n) {
        return aligned_to(range_of(nodes), 32, Digest::size * n);
    }
    /// Throws invalid_argument, with the place of the first such word, if one of n words is not below the modulus of
    /// the hash. If the call enqueues, its event throws instead, without the place.
    void require_canonical(const mkz_hash_info& hash, const Place& words, std::uint64_t n, const char* argument);
    /// Copies the first n rows of a matrix on the device to `out`, row after row: enqueued.
    void pack_rows(const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n, const Place& out);
    /// The same to the host, complete when it returns. A device that is full only takes longer.
    void fetch_rows(const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n, std::byte* out);
    /// Packs the items of a strided array in `source`, in C order, into `out`: strided.cpp.
    void gather_strided(const Place& source, StridedArray array, const Place& out);
};

}  // namespace merklize::runtime
