#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "merklize/device.hpp"
#include "queue/device.hpp"

namespace merklize::runtime {

/// A stream of a device: ours, given back at the end, or the caller's.
class StreamState {
public:
    StreamState(std::shared_ptr<QueueDevice> device, Device handle, void* native);
    ~StreamState();
    StreamState(const StreamState&) = delete;
    StreamState& operator=(const StreamState&) = delete;

    mkz_stream* stream() const noexcept { return stream_; }
    QueueDevice& device() const noexcept { return *device_; }
    const Device& handle() const noexcept { return handle_; }

private:
    std::shared_ptr<QueueDevice> device_;
    Device handle_;
    mkz_stream* stream_ = nullptr;
};

/// A driver's event, released at the end.
class Event {
public:
    Event() = default;
    explicit Event(const mkz_driver& driver) : driver_(&driver) {}
    ~Event() {
        if (event_ != nullptr) driver_->event_release(event_);
    }
    Event(Event&& other) noexcept : driver_(other.driver_), event_(std::exchange(other.event_, nullptr)) {}
    Event& operator=(Event&& other) noexcept {
        if (this == &other) return *this;
        if (event_ != nullptr) driver_->event_release(event_);
        driver_ = other.driver_;
        event_ = std::exchange(other.event_, nullptr);
        return *this;
    }

    mkz_event* get() const noexcept { return event_; }
    /// Where a driver puts one.
    mkz_event** slot() noexcept { return &event_; }
    explicit operator bool() const noexcept { return event_ != nullptr; }

private:
    const mkz_driver* driver_ = nullptr;
    mkz_event* event_ = nullptr;
};

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

/// One call on a device while it runs: its queues, what it has in flight, its times. Used by one thread.
///
/// Work on device memory is enqueued on the main stream and runs on until finish(). Work on host memory goes through staged
/// pieces (launch.cpp, staging.cpp) and is complete when the launch returns.
class Session {
public:
    Session(std::shared_ptr<QueueDevice> device, const RunOptions& options, unsigned threads);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// tick  asks whether to go on, with the share of this launch that is done
    using Tick = std::function<bool(double done)>;
    /// Runs or enqueues one launch of backend.h.  returns  false if tick cancelled it
    bool launch(mkz_kernel kernel, const void* arguments, const Tick& tick);

    /// Enqueued: host bytes must stay until finish().
    void copy_to_device(const mkz_place& to, const void* from, std::uint64_t bytes);
    void copy_to_host(void* to, const mkz_place& from, std::uint64_t bytes);
    void copy_on_device(const mkz_place& to, const mkz_place& from, std::uint64_t bytes);
    /// The same of many bytes, through pinned memory; complete when they return.
    void upload(const mkz_place& to, const void* from, std::uint64_t bytes);
    void download(void* to, const mkz_place& from, std::uint64_t bytes);
    /// The nodes of a list of slots of the tree at `nodes`: out[i] = slot slots[i], for slots inside the tree's block. Complete when it
    /// returns. Slots of 32 bits, where the tree has no more, halve the list's way to the device.
    /// out  [slots] digests
    void gather_nodes(mkz_place nodes, std::span<const std::uint32_t> slots, void* out) {
        gather_nodes(nodes, slots.data(), 1, slots.size(), out);
    }
    void gather_nodes(mkz_place nodes, std::span<const std::uint64_t> slots, void* out) {
        gather_nodes(nodes, slots.data(), 2, slots.size(), out);
    }
    /// The way back: slot slots[i] = values[i], no slot twice. The host bytes may go when it returns.
    void scatter_nodes(mkz_place nodes, std::span<const std::uint64_t> slots, const void* values);
    /// Throws invalid_argument, with the place of the first, if one of n words on the device is not a field element.
    void require_canonical(const mkz_hash_info& hash, mkz_place words, std::uint64_t n, const char* what);

    /// The same n nodes at a place that kernels take, on 32 bytes: where they are, or a copy of them for this call.
    mkz_place aligned_nodes(const mkz_place& nodes, std::uint64_t n);

    /// Packs the items of a strided array in `source`, in C order, into `out`.
    void gather_strided(mkz_place source, StridedArray array, mkz_place out);

    /// Waits for everything enqueued and adds up the times. Errors of what ran come from here.
    void finish();

    /// Waits for everything enqueued, whatever became of it.
    void abandon() noexcept { drain(); }

    QueueDevice& device() const noexcept { return *device_; }

private:
    // The part of a block that a kernel works on.
    struct Range {
        mkz_memory* memory;
        std::uint64_t offset;  // bytes
    };
    // An operand of a batch: where the first item lies, bytes an item, and of all (the last item may be short).
    struct Operand {
        mkz_place place;
        std::uint64_t item_bytes;
        std::uint64_t bytes;
    };
    class Slot;
    /// Host bytes that a piece reads or writes, and where they are in its buffer.
    struct HostPart {
        std::byte* host;
        std::uint64_t offset, bytes;
    };
    struct HostCopy {
        std::byte* to;
        const std::byte* from;
        std::uint64_t bytes;
    };
    /// What is done with each piece of work on host memory (staging.cpp).
    struct Pipeline {
        // Bytes of each buffer of a piece; the last one is the result; 0 = not staged.
        std::vector<std::uint64_t> sizes{};
        std::function<std::vector<HostPart>(std::uint64_t piece, std::size_t buffer)> parts{};
        std::function<void(std::uint64_t piece, const Slot& slot)> compute{};
    };

    bool hash_chunks(const mkz_hash_chunks& a, const Tick& tick);
    bool hash_rows(const mkz_hash_rows& a, const Tick& tick);
    bool hash_elements(const mkz_hash_elements& a, const Tick& tick);
    bool rows_by_items(mkz_kernel job, std::uint32_t hash, const mkz_place& rows, std::uint64_t n, std::uint64_t length,
                       std::uint64_t unit, const mkz_place& digests, const mkz_policy& wanted, const Tick& tick);
    bool merge_pairs(const mkz_merge_pairs& a, const Tick& tick);
    bool merge_subtrees(const mkz_merge_subtrees& a, const Tick& tick);
    bool merge_host_subtrees(const mkz_merge_subtrees& all, const Tick& tick);
    bool merge_asking(const mkz_merge_subtrees& a, const Tick& tick);
    void merge_on_device(const mkz_merge_subtrees& a);
    bool merge_at(const mkz_merge_at& a, const Tick& tick);
    void merge_ways(const mkz_merge_at& a);
    void gather_nodes(mkz_place nodes, const void* slots, std::uint32_t slot_words, std::uint64_t count, void* out);

    // `count` values to the ceil(count / 2^levels) above them.
    void values_above(Range in, std::uint64_t count, std::uint32_t levels, const std::uint32_t (&key)[8],
                      std::uint32_t flags, const Range& out);

    // Batches: `body` gets the first item, the count and where the operands' items lie, for pieces of a size that the device
    // and the staging take. The last operand is written, the others are read.
    using PieceBody = std::function<void(std::uint64_t first, std::uint64_t count, const std::vector<Range>& operands)>;
    bool in_pieces(std::uint64_t n, std::vector<Operand> operands, std::uint64_t most_items, const PieceBody& body,
                   const Tick& tick);
    bool staged_pieces(std::uint64_t n, std::uint64_t per_piece, const std::vector<Operand>& operands,
                       const PieceBody& body, const Tick& tick);
    void ring(std::uint64_t bytes, const std::function<void(std::uint64_t, std::uint64_t, void*, mkz_event**)>& copy,
              const std::function<void(std::uint64_t, std::uint64_t, const void*)>& take, double Timings::* slot);
    bool run_pipeline(std::uint64_t pieces, const Pipeline& pipeline, const Tick& tick);
    bool is_pinned(const void* host, std::uint64_t bytes) const;
    // By all threads of the call, in any order.
    void copy_on_host(std::span<const HostCopy> copies) const;
    void copy_on_host(std::initializer_list<HostCopy> copies) const {
        copy_on_host(std::span(copies.begin(), copies.size()));
    }

    // The caller's policy, or what was found best for the whole job (tuned_policies.hpp).
    mkz_policy wanted_for(mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, const mkz_policy& given) const;
    // With what the backend's table says for n.
    mkz_policy filled(mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, mkz_policy wanted) const;
    mkz_policy tuned(mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, const mkz_policy& given) const {
        return filled(kernel, hash, n, wanted_for(kernel, hash, n, given));
    }
    // `is_free`: whether the group may be made smaller to fit the kernel (the caller did not ask for it).
    Kernel kernel(const Variant& variant, const Body& body, bool is_free);
    template <class... Arguments>
    void enqueue(const Kernel& kernel, std::uint64_t groups, const Arguments&... arguments);
    template <class... Arguments>
    void enqueue_merges(const mkz_merge_key& key, const Kernel& kernel, std::uint64_t groups,
                        const Arguments&... arguments);
    bool is_aligned(const Range& range, std::uint64_t to) const;
    void require_node_alignment(const Range& nodes) const;
    // The same bytes on `to` bytes: where they are, or a copy of them.
    Range aligned_to(const Range& range, std::uint64_t to, std::uint64_t bytes);
    // Where to write nodes meant for `range`, on 32 bytes; return_out() then copies what is not yet there.
    Range aligned_out(const Range& range, std::uint64_t bytes);
    void return_out(const Range& range, const Range& written, std::uint64_t bytes);
    std::shared_ptr<Block> scratch(std::uint64_t bytes);
    // Copies host bytes that `owner` keeps to the beginning of a block, before what is enqueued next.
    void send(const std::shared_ptr<Block>& to, std::shared_ptr<const void> owner, const void* from,
              std::uint64_t bytes);

    mkz_stream* side_stream(unsigned which);
    void check(mkz_status status) const { device_->check(status); }
    // Waits for all streams, whatever fails. returns  the first failure
    mkz_status drain() noexcept;
    void synchronize();
    void end_stretch();
    void note(Event event, double Timings::* slot);

    std::shared_ptr<QueueDevice> device_;
    const RunOptions& options_;
    unsigned threads_;
    bool timed_;
    mkz_stream* stream_;
    bool owns_stream_;
    std::array<mkz_stream*, 2> side_streams_{};      // copies to the device, to the host
    std::vector<std::shared_ptr<Block>> in_flight_;  // released when all is done
    std::vector<std::shared_ptr<const void>> sent_;  // host bytes on their way, likewise
    bool idle_ = true;

    struct Stretch {
        Event first, last;
        double Timings::* slot;
    };
    std::vector<Stretch> stretches_;
    Event kernels_first_, kernels_last_;  // the stretch of kernels that is growing
    bool several_kernels_ = false;
    bool in_pieces_ = false;  // staging waits for kernels, so they need events even without times
};

}  // namespace merklize::runtime
