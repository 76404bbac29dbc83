#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "queue/kernels.hpp"
#include "queue/timeline.hpp"

namespace merklize::runtime {

/// The part of a DeviceCall that works on host memory: in place where the device reaches host memory; else staged in
/// pieces of pinned memory, several in flight. Work is complete when a function returns.
class Staging : public Kernels {
public:
    using Kernels::Kernels;

    /// Copy many bytes through pinned memory.
    void upload(const Place& to, const void* from, std::uint64_t bytes);
    void download(void* to, const Place& from, std::uint64_t bytes);
    /// Copies host bytes ahead of the next commands. They may be freed when it returns. Up to a MiB goes through pinned
    /// memory, mostly without a wait.
    void send(const Place& to, const void* from, std::uint64_t bytes);
    /// The same of at most piece_bytes bytes, which `fill` writes into pinned memory: mostly without a wait.
    void send(const Place& to, std::uint64_t bytes, const std::function<void(std::byte* pinned)>& fill);

    /// Whether the driver reaches these bytes at the link's speed.
    bool is_pinned(const void* host, std::uint64_t bytes) const;
    /// Whether the driver copies rows from these bytes at the link's speed (mkz_rows).
    bool copies_rows(const void* host, std::uint64_t n, std::uint64_t row_bytes, std::int64_t stride) const;

    /// An operand of a batch: the place of its first item, bytes of an item, and bytes of all items (the last one may
    /// be short).
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
    /// Runs a batch in pieces that fit the device and the staging. If all operands are on the device, the work is only
    /// enqueued.
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

    class Ring;
    /// Enqueues the copy of items [first, first + count) from or to a pinned piece, and tells the ring.
    using EnqueuePiece = std::function<void(Ring& ring, std::uint64_t first, std::uint64_t count, std::byte* pinned)>;
    /// Copies n items through a ring, at most so many at once: complete when it returns.
    void in_pieces(std::uint64_t n, std::uint64_t most, const EnqueuePiece& enqueue);

    /// Large enough that the link runs at its speed, small enough that the first kernel starts soon.
    static constexpr std::uint64_t piece_bytes = 16 << 20;
    /// Below this size the driver's own copy of pageable memory is as fast.
    static constexpr std::uint64_t small_copy = 1 << 20;

private:
    struct HostCopy {
        std::byte* to;
        const std::byte* from;
        std::uint64_t bytes;
    };

    // One piece goes up, one is computed, one comes down, and the host copies one out and the next one in.
    static constexpr std::size_t n_slots = 4;

    bool staged_batch(std::uint64_t n, std::uint64_t per_piece, const std::vector<Operand>& operands,
                      const EnqueueItems& body, const Tick& tick);
    // Copies by all threads of the call, in any order.
    void copy_on_host(std::span<const HostCopy> copies) const;
    void copy_on_host(std::initializer_list<HostCopy> copies) const {
        copy_on_host(std::span(copies.begin(), copies.size()));
    }

    std::uint64_t sent_ = 0;  // bytes of pinned memory that send() has borrowed since the last wait
};

/// Pinned pieces for copies between the device and pageable memory: the host fills or takes one while others are on the
/// link.
class Staging::Ring {
public:
    explicit Ring(Staging& staging) : staging_(staging) {}
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;
    ~Ring();

    /// The next piece, of piece_bytes, when its last copy has ended.
    std::byte* next();
    /// The copy of that piece is enqueued.
    /// take  called when the copy has ended, at the latest by settle()
    void sent(CommandEvent event, double Timings::* slot, std::function<void()> take = {});
    /// Waits for the copies. Must be called before finish().
    void settle();

private:
    struct Turn {
        Pinned pinned{};
        mkz_event* done = nullptr;  // the timeline keeps it alive
        std::function<void()> take{};
    };
    void settle(Turn& turn) const;

    Staging& staging_;
    std::array<Turn, n_slots> turns_{};  // the last one is that of next()
    bool is_settled_ = true;             // whether no copy can be running
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
