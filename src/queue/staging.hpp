#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "queue/kernels.hpp"
#include "queue/timeline.hpp"

namespace merklize::runtime {

/// The part of a DeviceCall that works on host memory: in place where the device reaches host memory; else staged in pieces of pinned
/// memory, several in flight. Work is complete when a function returns.
class Staging : public Kernels {
public:
    using Kernels::Kernels;

    /// Copy many bytes through pinned memory.
    void upload(const Place& to, const void* from, std::uint64_t bytes);
    void download(void* to, const Place& from, std::uint64_t bytes);
    /// Copies host bytes ahead of the next commands. They may be freed when it returns. Up to a MiB goes through pinned memory,
    /// mostly without a wait.
    void send(const Place& to, const void* from, std::uint64_t bytes);

    /// Whether the driver reaches these bytes at the link's speed.
    bool is_pinned(const void* host, std::uint64_t bytes) const;

    /// An operand of a batch: the place of its first item, bytes of an item, and bytes of all items (the last one may be short).
    struct Operand {
        Place place;
        std::uint64_t item_bytes;
        std::uint64_t bytes;
        /// For host items that are not contiguous: packs items [first, first + count) into item_bytes count bytes.
        std::function<void(std::uint64_t first, std::uint64_t count, std::byte* to)> pack{};
    };
    /// Enqueues the kernels of items [first, first + count), whose operands are on the device.
    using EnqueueItems =
        std::function<void(std::uint64_t first, std::uint64_t count, const std::vector<Range>& operands)>;
    /// Runs a batch in pieces that fit the device and the staging. If all operands are on the device, the work is only enqueued.
    /// operands    the last one is written, the others are read
    /// most_items  of a piece
    /// returns     false if tick cancelled
    bool batch(std::uint64_t n, const std::vector<Operand>& operands, std::uint64_t most_items,
               const EnqueueItems& body, const Tick& tick);

    /// Host bytes that a piece reads or writes, and where they are in its buffer.
    struct HostPart {
        std::byte* host;
        std::uint64_t offset, bytes;
    };
    class Slot;
    /// How each piece of a pipeline is staged and computed.
    struct Pipeline {
        /// Bytes of each buffer of a piece; the last one is the result; 0 = not staged.
        std::vector<std::uint64_t> sizes{};
        std::function<std::vector<HostPart>(std::uint64_t piece, std::size_t buffer)> parts{};
        /// Fills a buffer of a piece from its beginning.  returns  bytes filled; 0: `parts` says what to copy
        std::function<std::uint64_t(std::uint64_t piece, std::size_t buffer, Slot& slot)> fill{};
        std::function<void(std::uint64_t piece, const Slot& slot)> compute{};
    };
    bool run(std::uint64_t pieces, const Pipeline& pipeline, const Tick& tick);

    /// Large enough that the link runs at its speed, small enough that the first kernel starts soon.
    static constexpr std::uint64_t piece_bytes = 16 << 20;

private:
    struct HostCopy {
        std::byte* to;
        const std::byte* from;
        std::uint64_t bytes;
    };

    bool staged_batch(std::uint64_t n, std::uint64_t per_piece, const std::vector<Operand>& operands,
                      const EnqueueItems& body, const Tick& tick);
    void ring(std::uint64_t bytes, const std::function<void(std::uint64_t, std::uint64_t, void*, mkz_event**)>& copy,
              const std::function<void(std::uint64_t, std::uint64_t, const void*)>& take, double Timings::* slot);
    // Copies by all threads of the call, in any order.
    void copy_on_host(std::span<const HostCopy> copies) const;
    void copy_on_host(std::initializer_list<HostCopy> copies) const {
        copy_on_host(std::span(copies.begin(), copies.size()));
    }

    unsigned sent_ = 0;  // copies of send()
};

/// The buffers of one piece in flight: pinned host memory and device memory side by side.
class Staging::Slot {
public:
    Slot(Timeline& timeline, const std::vector<std::uint64_t>& sizes);
    Slot(Slot&& other) noexcept = default;
    ~Slot();

    /// Borrowed at the first call, because the caller's own memory may make it unnecessary.
    std::byte* pinned(std::size_t k);
    const std::shared_ptr<Block>& block(std::size_t k) const { return blocks_[k]; }

    mkz_event* done = nullptr;     // of the last command of its piece; the timeline keeps it alive
    std::vector<HostCopy> take{};  // copies for the host to do after `done`

private:
    Timeline& timeline_;
    std::vector<Pinned> pinned_;
    std::vector<std::shared_ptr<Block>> blocks_;
};

}  // namespace merklize::runtime
