// Batches over memory that the device does not reach: pieces go to the device, through the kernels and back, several at once.
#include <algorithm>
#include <cstring>

#include "merklize/digest.hpp"
#include "jobs/keyed.hpp"
#include "queue/session.hpp"
#include "host/threads.hpp"

namespace merklize::runtime {
namespace {

// Large enough that the link runs at its speed, small enough that the first kernel starts soon.
constexpr std::uint64_t piece_bytes = 16 << 20;
// One goes up, one is computed, one comes down, and the host copies one in and one out.
constexpr std::size_t n_slots = 4;
// Smaller parts of the caller's pinned memory go together, through a buffer: each copy costs the link some microseconds.
constexpr std::uint64_t least_straight = 1 << 20;
// A caller who wants to hear of progress or to cancel is asked between launches of this much host memory.
constexpr std::uint64_t asking_bytes = 2 << 20;
// Below this a copy of pageable memory by the driver itself is as fast.
constexpr std::uint64_t small_copy = 1 << 20;

std::byte* host_address(const mkz_place& place) { return static_cast<std::byte*>(place.pointer) + place.offset; }

}  // namespace

/// The buffers of one piece in flight: pinned host memory and device memory side by side.
class Session::Slot {
public:
    Slot(Session& session, const std::vector<std::uint64_t>& sizes) : session_(session), pinned_(sizes.size()) {
        for (const std::uint64_t bytes : sizes)
            blocks_.push_back(bytes == 0 ? nullptr : session_.scratch(std::max(piece_bytes, bytes)));
    }
    Slot(Slot&& other) noexcept = default;
    ~Slot() {
        for (const Pinned& pinned : pinned_) {
            if (pinned.bytes != nullptr) session_.device_->give_back(pinned);
        }
    }

    /// Borrowed when first asked for: the caller's own memory may do.
    std::byte* pinned(std::size_t k) {
        if (pinned_[k].bytes == nullptr) pinned_[k] = session_.device_->borrow_pinned(blocks_[k]->size());
        return static_cast<std::byte*>(pinned_[k].bytes);
    }
    const std::shared_ptr<Block>& block(std::size_t k) const { return blocks_[k]; }

    mkz_event* done = nullptr;     // of the last command of its piece; the session keeps it alive
    std::vector<HostCopy> take{};  // what the host does then

private:
    Session& session_;
    std::vector<Pinned> pinned_;
    std::vector<std::shared_ptr<Block>> blocks_;
};

void Session::copy_on_host(std::span<const HostCopy> copies) const {
    constexpr std::uint64_t per_thread = 1 << 20;
    std::vector<HostCopy> items;
    std::uint64_t total = 0;
    for (const HostCopy& copy : copies) {
        total += copy.bytes;
        for (std::uint64_t first = 0; first < copy.bytes; first += per_thread)
            items.push_back({copy.to + first, copy.from + first, std::min(per_thread, copy.bytes - first)});
    }
    // A little is copied before another thread is awake.
    parallel_for(items.size(), total <= per_thread ? 1 : threads_,
                 [&](std::size_t i) { std::memcpy(items[i].to, items[i].from, items[i].bytes); });
}

bool Session::is_pinned(const void* host, std::uint64_t bytes) const {
    const auto ask = device_->driver().is_pinned;
    return ask != nullptr && ask(device_->index(), host) != 0 &&
           ask(device_->index(), static_cast<const std::byte*>(host) + bytes - 1) != 0;
}

void Session::upload(const mkz_place& to, const void* from, std::uint64_t bytes) {
    if (bytes <= small_copy || device_->facts().unified || is_pinned(from, bytes)) {
        copy_to_device(to, from, bytes);
        return finish();
    }
    ring(
        bytes,
        [&](std::uint64_t first, std::uint64_t count, void* pinned, mkz_event** event) {
            copy_on_host({{static_cast<std::byte*>(pinned), static_cast<const std::byte*>(from) + first, count}});
            check(device_->driver().copy_to_device(stream_, static_cast<mkz_memory*>(to.pointer), to.offset + first,
                                                   pinned, count, event));
        },
        {}, &Timings::to_device);
}

void Session::download(void* to, const mkz_place& from, std::uint64_t bytes) {
    if (bytes <= small_copy || device_->facts().unified || is_pinned(to, bytes)) {
        copy_to_host(to, from, bytes);
        return finish();
    }
    ring(
        bytes,
        [&](std::uint64_t first, std::uint64_t count, void* pinned, mkz_event** event) {
            check(device_->driver().copy_to_host(stream_, pinned, static_cast<mkz_memory*>(from.pointer),
                                                 from.offset + first, count, event));
        },
        [&](std::uint64_t first, std::uint64_t count, const void* pinned) {
            copy_on_host({{static_cast<std::byte*>(to) + first, static_cast<const std::byte*>(pinned), count}});
        },
        &Timings::to_host);
}

// Pieces through a ring of pinned buffers: `copy` enqueues one, `take` gets it when it has come.
void Session::ring(std::uint64_t bytes,
                   const std::function<void(std::uint64_t, std::uint64_t, void*, mkz_event**)>& copy,
                   const std::function<void(std::uint64_t, std::uint64_t, const void*)>& take, double Timings::* slot) {
    struct Turn {
        Pinned pinned{};
        mkz_event* done = nullptr;
        std::uint64_t first = 0, count = 0;
    };
    std::array<Turn, n_slots> turns;
    const mkz_driver& driver = device_->driver();
    const auto settle = [&](Turn& turn) {
        if (turn.done == nullptr) return;
        check(driver.event_wait(turn.done));
        turn.done = nullptr;
        if (take) take(turn.first, turn.count, turn.pinned.bytes);
    };
    const auto give_back = [&] {
        for (const Turn& turn : turns) {
            if (turn.pinned.bytes != nullptr) device_->give_back(turn.pinned);
        }
    };
    try {
        for (Turn& turn : turns) turn.pinned = device_->borrow_pinned(piece_bytes);
        std::size_t k = 0;
        for (std::uint64_t first = 0; first < bytes; first += piece_bytes, k++) {
            Turn& turn = turns[k % n_slots];
            settle(turn);
            turn.first = first;
            turn.count = std::min(piece_bytes, bytes - first);
            end_stretch();
            Event event(driver);
            idle_ = false;
            copy(turn.first, turn.count, turn.pinned.bytes, event.slot());
            turn.done = event.get();
            note(std::move(event), slot);
        }
        for (std::size_t i = 0; i < n_slots; i++) settle(turns[(k + i) % n_slots]);
    } catch (...) {
        drain();
        give_back();
        throw;
    }
    finish();
    give_back();
}

bool Session::in_pieces(std::uint64_t n, std::vector<Operand> operands, std::uint64_t most_items, const PieceBody& body,
                        const Tick& tick) {
    if (n == 0) return true;
    const bool any_host = std::ranges::any_of(operands, [](const Operand& o) { return o.place.on_device == 0; });
    std::uint64_t per_piece = std::min(n, std::max<std::uint64_t>(most_items, 1));
    // Kernels move nodes in accesses of 16 bytes, so host memory that begins elsewhere is staged all the same.
    const bool reachable =
        device_->facts().unified && std::ranges::all_of(operands, [](const Operand& o) {
            return o.place.on_device || reinterpret_cast<std::uintptr_t>(host_address(o.place)) % 16 == 0;
        });
    if (any_host && !reachable) {
        for (const Operand& o : operands) {
            if (o.item_bytes != 0)
                per_piece = std::min(per_piece, std::max<std::uint64_t>(1, piece_bytes / o.item_bytes));
        }
        return staged_pieces(n, per_piece, operands, body, tick);
    }
    const std::uint64_t most_bytes =
        tick ? std::min(asking_bytes, device_->facts().max_allocation) : device_->facts().max_allocation;
    for (const Operand& o : operands) {
        if (o.place.on_device || o.item_bytes == 0) continue;
        per_piece = std::min(per_piece, std::max<std::uint64_t>(1, most_bytes / o.item_bytes));
    }
    for (std::uint64_t first = 0; first < n; first += per_piece) {
        const std::uint64_t count = std::min(per_piece, n - first);
        std::vector<Range> ranges;
        std::shared_ptr<Block> written;
        for (const Operand& o : operands) {
            const std::uint64_t start = first * o.item_bytes, bytes = std::min(count * o.item_bytes, o.bytes - start);
            if (o.place.on_device || bytes == 0) {
                ranges.push_back(
                    {o.place.on_device ? static_cast<mkz_memory*>(o.place.pointer) : nullptr, o.place.offset + start});
                continue;
            }
            in_flight_.push_back(Block::wrap_host(device_, host_address(o.place) + start, bytes));
            written = in_flight_.back();
            ranges.push_back({written->memory(), 0});
        }
        body(first, count, ranges);
        // What kernels wrote shows on the host after a copy of the block to its own bytes.
        if (const Operand& out = operands.back(); !out.place.on_device && out.item_bytes != 0)
            copy_to_host(host_address(out.place) + first * out.item_bytes, written->at(0), written->size());
        if (any_host && per_piece < n) synchronize();
        if (tick && !tick(static_cast<double>(first + count) / static_cast<double>(n))) return false;
    }
    // Host memory that was only read may go away after the launch, too.
    if (any_host) finish();
    return true;
}

// Each piece passes through its slot: filled by the host, copied up, computed, copied down, taken by the host. While the host
// fills one and takes another at once, others are computed and on the link in both directions. Pinned memory of the caller needs
// no filling and taking.
bool Session::run_pipeline(std::uint64_t pieces, const Pipeline& pipeline, const Tick& tick) {
    const mkz_driver& driver = device_->driver();
    std::vector<Slot> slots;
    for (std::uint64_t k = 0; k < std::min<std::uint64_t>(pieces, n_slots); k++)
        slots.emplace_back(*this, pipeline.sizes);
    mkz_stream* up = side_stream(0);
    mkz_stream* down = side_stream(1);
    const std::size_t last = pipeline.sizes.size() - 1;
    const auto goes_straight = [&](const HostPart& part) {
        return part.bytes >= least_straight && is_pinned(part.host, part.bytes);
    };
    // The piece before has left the slot; what remains to be done for it is in `take`.
    const auto settle = [&](Slot& slot) {
        if (slot.done != nullptr) check(driver.event_wait(slot.done));
        slot.done = nullptr;
        return std::exchange(slot.take, {});
    };
    const auto go_up = [&](std::uint64_t piece, Slot& slot, std::vector<HostCopy> host_work) {
        std::vector<std::pair<std::size_t, HostPart>> copies;
        for (std::size_t k = 0; k < last; k++) {
            if (pipeline.sizes[k] == 0) continue;
            for (HostPart part : pipeline.parts(piece, k)) {
                if (!goes_straight(part)) {
                    std::byte* buffer = slot.pinned(k) + part.offset;
                    host_work.push_back({buffer, part.host, part.bytes});
                    part.host = buffer;
                }
                if (part.bytes != 0) copies.emplace_back(k, part);
            }
        }
        copy_on_host(host_work);
        for (const auto& [k, part] : copies) {
            Event event(driver);
            check(driver.copy_to_device(up, slot.block(k)->memory(), part.offset, part.host, part.bytes, event.slot()));
            check(driver.stream_wait(stream_, event.get()));
            note(std::move(event), &Timings::to_device);
        }
    };
    const auto go_down = [&](std::uint64_t piece, Slot& slot) {
        if (pipeline.sizes[last] == 0) return;
        check(driver.stream_wait(down, slot.done));
        const auto copy = [&](const HostPart& part) {
            Event event(driver);
            check(driver.copy_to_host(down, part.host, slot.block(last)->memory(), part.offset, part.bytes,
                                      event.slot()));
            slot.done = event.get();
            note(std::move(event), &Timings::to_host);
        };
        std::uint64_t first = UINT64_MAX, end = 0;  // of the buffer's bytes that go together
        for (const HostPart& part : pipeline.parts(piece, last)) {
            if (goes_straight(part)) {
                copy(part);
                continue;
            }
            slot.take.push_back({part.host, slot.pinned(last) + part.offset, part.bytes});
            first = std::min(first, part.offset);
            end = std::max(end, part.offset + part.bytes);
        }
        if (first < end) copy({slot.pinned(last) + first, first, end - first});
    };
    bool finished = true;
    in_pieces_ = true;
    idle_ = false;
    try {
        for (std::uint64_t piece = 0; piece < pieces && finished; piece++) {
            Slot& slot = slots[piece % slots.size()];
            go_up(piece, slot, settle(slot));
            pipeline.compute(piece, slot);
            end_stretch();
            slot.done = stretches_.back().last.get();
            go_down(piece, slot);
            finished = !tick || tick(static_cast<double>(piece + 1) / static_cast<double>(pieces));
        }
        for (std::uint64_t k = 0; finished && k < slots.size(); k++)
            copy_on_host(settle(slots[(pieces + k) % slots.size()]));
    } catch (...) {
        // The buffers go back to their pool now: nothing may be on its way to or from them.
        in_pieces_ = false;
        drain();
        throw;
    }
    in_pieces_ = false;
    finish();
    return finished;
}

bool Session::staged_pieces(std::uint64_t n, std::uint64_t per_piece, const std::vector<Operand>& operands,
                            const PieceBody& body, const Tick& tick) {
    const auto first_of = [&](std::uint64_t piece) { return piece * per_piece; };
    const auto count_of = [&](std::uint64_t piece) { return std::min(per_piece, n - first_of(piece)); };
    Pipeline pipeline;
    for (const Operand& o : operands) pipeline.sizes.push_back(o.place.on_device ? 0 : per_piece * o.item_bytes);
    pipeline.parts = [&](std::uint64_t piece, std::size_t k) {
        const Operand& o = operands[k];
        const std::uint64_t start = first_of(piece) * o.item_bytes;
        return std::vector<HostPart>{
            {host_address(o.place) + start, 0, std::min(count_of(piece) * o.item_bytes, o.bytes - start)}};
    };
    pipeline.compute = [&](std::uint64_t piece, const Slot& slot) {
        std::vector<Range> ranges;
        for (std::size_t k = 0; k < operands.size(); k++) {
            const Operand& o = operands[k];
            if (o.place.on_device) {
                ranges.push_back(
                    {static_cast<mkz_memory*>(o.place.pointer), o.place.offset + first_of(piece) * o.item_bytes});
            } else {
                ranges.push_back({slot.block(k) ? slot.block(k)->memory() : nullptr, 0});
            }
        }
        body(first_of(piece), count_of(piece), ranges);
    };
    return run_pipeline((n + per_piece - 1) / per_piece, pipeline, tick);
}

// The nodes are on the host: a piece's leaves go up, all its parents come down and are put in their levels.
bool Session::merge_host_subtrees(const mkz_merge_subtrees& all, const Tick& tick) {
    Keyed a(all);
    // A piece's levels come down one by one into pinned memory of the caller's: large pieces of a large tree, so that most bytes are
    // in few copies (2^25 leaves on an H200: 24.6 ms with 64 MiB, 25.5 with 32, 28 with 16).
    const bool straight =
        is_pinned(host_address(a.below), Digest::size) && is_pinned(host_address(a.nodes), Digest::size);
    constexpr std::uint64_t fewest_pieces = 16, largest = 4 * piece_bytes;
    const std::uint64_t bytes =
        straight ? std::clamp(Digest::size * a.n / fewest_pieces, piece_bytes, largest) : piece_bytes;
    const std::uint64_t most_nodes = bytes / Digest::size;
    constexpr std::uint32_t most_levels = 19;  // 2^19 nodes are piece_bytes
    const auto merges = static_cast<double>(a.n - (a.n >> a.levels));
    double before = 0;
    while (a.levels > 0) {
        const std::uint32_t levels = std::min(a.levels, most_levels);
        const std::uint64_t per_piece = std::min(a.n, most_nodes >> levels << levels);
        const auto first_of = [&](std::uint64_t piece) { return piece * per_piece; };
        const auto count_of = [&](std::uint64_t piece) { return std::min(per_piece, a.n - first_of(piece)); };
        Pipeline pipeline;
        pipeline.sizes = {Digest::size * per_piece, Digest::size * per_piece};
        // On the device the parents' level l is at [count >> l, 2 (count >> l)): they lie in one range.
        pipeline.parts = [&](std::uint64_t piece, std::size_t buffer) {
            std::vector<HostPart> parts;
            for (std::uint32_t l = buffer; l <= (buffer == 0 ? 0 : levels); l++) {
                const std::uint64_t count = count_of(piece) >> l;
                const mkz_place& level = l == 0 ? a.below : a.nodes;
                parts.push_back({host_address(level) + Digest::size * (a.offset[l] + (first_of(piece) >> l)),
                                 l == 0 ? 0 : Digest::size * count, Digest::size * count});
            }
            return parts;
        };
        pipeline.compute = [&](std::uint64_t piece, const Slot& slot) {
            const std::uint64_t count = count_of(piece);
            Keyed part(a);
            part.levels = levels;
            part.n = count;
            part.below = slot.block(0)->at(0);
            part.offset[0] = 0;
            part.nodes = slot.block(1)->at(0);
            for (std::uint32_t l = 1; l <= levels; l++) part.offset[l] = count >> l;
            merge_on_device(part);
        };
        const double share = static_cast<double>(a.n - (a.n >> levels)) / merges;
        const auto tick_share = tick ? Tick([&](double done) { return tick(before + share * done); }) : Tick();
        if (!run_pipeline((a.n + per_piece - 1) / per_piece, pipeline, tick_share)) return false;
        before += share;
        // What was built last is what is there now.
        a.below = a.nodes;
        std::copy(a.offset + levels, a.offset + a.levels + 1, a.offset);
        a.n >>= levels;
        a.levels -= levels;
    }
    return true;
}

}  // namespace merklize::runtime
