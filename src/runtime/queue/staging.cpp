// Batches over memory that the device does not reach: pieces go to the device, through the kernels and back, several at once.
#include <algorithm>
#include <cstring>

#include "merklize/digest.hpp"
#include "runtime/queue/session.hpp"
#include "runtime/threads.hpp"

namespace merklize::runtime {
namespace {

// Large enough that the link runs at its speed, small enough that the first kernel starts soon.
constexpr std::uint64_t piece_bytes = 16 << 20;
// One goes up, one is computed, one comes down.
constexpr std::size_t n_slots = 3;
// A caller who wants to hear of progress or to cancel is asked between launches of this much host memory.
constexpr std::uint64_t asking_bytes = 2 << 20;
// Below this a copy of pageable memory by the driver itself is as fast.
constexpr std::uint64_t small_copy = 1 << 20;

std::byte* host_address(const mkz_place& place) { return static_cast<std::byte*>(place.pointer) + place.offset; }

}  // namespace

/// The buffers of one piece in flight: pinned host memory and device memory side by side.
class Session::Slot {
public:
    Slot(Session& session, const std::vector<std::uint64_t>& sizes) : session_(session) {
        for (const std::uint64_t bytes : sizes) {
            pinned_.push_back(bytes == 0 ? Pinned{} : session_.device_->borrow_pinned(std::max(piece_bytes, bytes)));
            blocks_.push_back(bytes == 0 ? nullptr : session_.scratch(std::max(piece_bytes, bytes)));
        }
    }
    Slot(Slot&& other) noexcept = default;
    ~Slot() {
        for (const Pinned& pinned : pinned_) {
            if (pinned.bytes != nullptr) session_.device_->give_back(pinned);
        }
    }

    std::byte* pinned(std::size_t k) const { return static_cast<std::byte*>(pinned_[k].bytes); }
    const std::shared_ptr<Block>& block(std::size_t k) const { return blocks_[k]; }

    mkz_event* done = nullptr;  // of the last command of its piece; the session keeps it alive
    std::uint64_t piece = 0;

private:
    Session& session_;
    std::vector<Pinned> pinned_;
    std::vector<std::shared_ptr<Block>> blocks_;
};

void Session::copy_on_host(void* to, const void* from, std::uint64_t bytes) const {
    constexpr std::uint64_t per_thread = 1 << 20;
    parallel_for((bytes + per_thread - 1) / per_thread, threads_, [&](std::size_t i) {
        const std::uint64_t first = i * per_thread;
        std::memcpy(static_cast<std::byte*>(to) + first, static_cast<const std::byte*>(from) + first,
                    std::min(per_thread, bytes - first));
    });
}

bool Session::is_pinned(const void* host) const {
    const auto ask = device_->driver().is_pinned;
    return ask != nullptr && ask(device_->index(), host) != 0;
}

void Session::upload(const mkz_place& to, const void* from, std::uint64_t bytes) {
    if (bytes <= small_copy || device_->facts().unified || is_pinned(from)) {
        copy_to_device(to, from, bytes);
        return finish();
    }
    ring(
        bytes,
        [&](std::uint64_t first, std::uint64_t count, void* pinned, mkz_event** event) {
            copy_on_host(pinned, static_cast<const std::byte*>(from) + first, count);
            check(device_->driver().copy_to_device(stream_, static_cast<mkz_memory*>(to.pointer), to.offset + first,
                                                   pinned, count, event));
        },
        {}, &Timings::to_device);
}

void Session::download(void* to, const mkz_place& from, std::uint64_t bytes) {
    if (bytes <= small_copy || device_->facts().unified || is_pinned(to)) {
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
            copy_on_host(static_cast<std::byte*>(to) + first, pinned, count);
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
        driver.stream_synchronize(stream_);
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

// Each piece passes through its slot: filled by the host, copied up, computed, copied down, taken by the host; while one is
// computed its neighbours are on the link, in both directions.
bool Session::run_pipeline(std::uint64_t pieces, const Pipeline& pipeline, const Tick& tick) {
    const mkz_driver& driver = device_->driver();
    std::vector<Slot> slots;
    for (std::uint64_t k = 0; k < std::min<std::uint64_t>(pieces, n_slots); k++)
        slots.emplace_back(*this, pipeline.sizes);
    mkz_stream* up = side_stream(0);
    mkz_stream* down = side_stream(1);
    const std::size_t last = pipeline.sizes.size() - 1;
    const auto settle = [&](Slot& slot) {
        if (slot.done == nullptr) return;
        check(driver.event_wait(slot.done));
        slot.done = nullptr;
        if (pipeline.sizes[last] != 0) pipeline.take(slot.piece, slot.pinned(last));
    };
    bool finished = true;
    in_pieces_ = true;
    try {
        for (std::uint64_t piece = 0; piece < pieces && finished; piece++) {
            Slot& slot = slots[piece % slots.size()];
            settle(slot);
            slot.piece = piece;
            for (std::size_t k = 0; k < last; k++) {
                if (pipeline.sizes[k] == 0) continue;
                const std::span<const std::byte> from = pipeline.fill(piece, k, slot.pinned(k));
                if (from.empty()) continue;
                Event event(driver);
                idle_ = false;
                check(driver.copy_to_device(up, slot.block(k)->memory(), 0, from.data(), from.size(), event.slot()));
                check(driver.stream_wait(stream_, event.get()));
                note(std::move(event), &Timings::to_device);
            }
            pipeline.compute(piece, slot);
            end_stretch();
            slot.done = stretches_.back().last.get();
            if (pipeline.sizes[last] != 0) {
                check(driver.stream_wait(down, slot.done));
                const Part part = pipeline.result(piece);
                Event event(driver);
                check(driver.copy_to_host(down, slot.pinned(last) + part.offset, slot.block(last)->memory(),
                                          part.offset, part.bytes, event.slot()));
                slot.done = event.get();
                note(std::move(event), &Timings::to_host);
            }
            finished = !tick || tick(static_cast<double>(piece + 1) / static_cast<double>(pieces));
        }
        for (std::uint64_t k = 0; finished && k < slots.size(); k++) settle(slots[(pieces + k) % slots.size()]);
    } catch (...) {
        // The buffers go back to their pool now: nothing may be on its way to or from them.
        in_pieces_ = false;
        driver.stream_synchronize(stream_);
        driver.stream_synchronize(up);
        driver.stream_synchronize(down);
        throw;
    }
    in_pieces_ = false;
    finish();
    return finished;
}

bool Session::staged_pieces(std::uint64_t n, std::uint64_t per_piece, const std::vector<Operand>& operands,
                            const PieceBody& body, const Tick& tick) {
    const std::size_t last = operands.size() - 1;
    const auto first_of = [&](std::uint64_t piece) { return piece * per_piece; };
    const auto count_of = [&](std::uint64_t piece) { return std::min(per_piece, n - first_of(piece)); };
    const auto bytes_of = [&](std::size_t k, std::uint64_t piece) {
        const Operand& o = operands[k];
        return std::min(count_of(piece) * o.item_bytes, o.bytes - first_of(piece) * o.item_bytes);
    };
    const auto address = [&](std::size_t k, std::uint64_t piece) {
        return host_address(operands[k].place) + first_of(piece) * operands[k].item_bytes;
    };
    Pipeline pipeline;
    for (const Operand& o : operands) pipeline.sizes.push_back(o.place.on_device ? 0 : per_piece * o.item_bytes);
    std::vector<char> pinned;
    for (const Operand& o : operands) pinned.push_back(!o.place.on_device && is_pinned(host_address(o.place)));
    pipeline.fill = [&](std::uint64_t piece, std::size_t k, std::byte* to) {
        const std::span<const std::byte> from{address(k, piece), bytes_of(k, piece)};
        if (pinned[k]) return from;
        copy_on_host(to, from.data(), from.size());
        return std::span<const std::byte>(to, from.size());
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
    pipeline.result = [&](std::uint64_t piece) { return Part{0, bytes_of(last, piece)}; };
    pipeline.take = [&](std::uint64_t piece, const std::byte* from) {
        copy_on_host(address(last, piece), from, bytes_of(last, piece));
    };
    return run_pipeline((n + per_piece - 1) / per_piece, pipeline, tick);
}

// The nodes are on the host: a piece's leaves go up, all its parents come down in one copy and are put in their levels.
bool Session::merge_host_subtrees(mkz_merge_subtrees a, const Tick& tick) {
    constexpr std::uint64_t most_nodes = piece_bytes / Digest::size;
    constexpr std::uint32_t most_levels = 19;  // 2^19 nodes fill a piece
    std::byte* nodes = host_address(a.nodes);
    const double all = static_cast<double>(a.n);
    double before = 0;
    while (a.levels > 0) {
        const std::uint32_t levels = std::min(a.levels, most_levels);
        const std::uint64_t per_piece = std::min(a.n, most_nodes >> levels << levels);
        const auto first_of = [&](std::uint64_t piece) { return piece * per_piece; };
        const auto count_of = [&](std::uint64_t piece) { return std::min(per_piece, a.n - first_of(piece)); };
        Pipeline pipeline;
        pipeline.sizes = {Digest::size * per_piece, Digest::size * per_piece};
        const bool pinned = is_pinned(host_address(a.below));
        pipeline.fill = [&](std::uint64_t piece, std::size_t, std::byte* to) {
            const std::span<const std::byte> from{
                host_address(a.below) + Digest::size * (a.offset[0] + first_of(piece)), Digest::size * count_of(piece)};
            if (pinned) return from;
            copy_on_host(to, from.data(), from.size());
            return std::span<const std::byte>(to, from.size());
        };
        // On the device the piece's level l is at [count >> l, 2 (count >> l)): its parents lie in one range.
        pipeline.compute = [&](std::uint64_t piece, const Slot& slot) {
            const std::uint64_t count = count_of(piece);
            mkz_merge_subtrees part{a.hash, a.key,   levels, count, slot.block(0)->at(0), slot.block(1)->at(0),
                                    {},     a.tuning};
            for (std::uint32_t l = 1; l <= levels; l++) part.offset[l] = count >> l;
            merge_on_device(part);
        };
        pipeline.result = [&](std::uint64_t piece) {
            const std::uint64_t lowest = count_of(piece) >> levels;
            return Part{Digest::size * lowest, Digest::size * (count_of(piece) - lowest)};
        };
        pipeline.take = [&](std::uint64_t piece, const std::byte* from) {
            for (std::uint32_t l = 1; l <= levels; l++) {
                const std::uint64_t count = count_of(piece) >> l;
                copy_on_host(nodes + Digest::size * (a.offset[l] + (first_of(piece) >> l)), from + Digest::size * count,
                             Digest::size * count);
            }
        };
        const double share = static_cast<double>(a.n) / all * (1 - before);
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
