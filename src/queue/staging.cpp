#include "queue/staging.hpp"

#include <algorithm>
#include <cstring>

#include "host/threads.hpp"

namespace merklize::runtime {
namespace {

// Smaller parts of the caller's pinned memory are coalesced in a buffer, because each copy costs the link some
// microseconds.
constexpr std::uint64_t least_straight = 1 << 20;
// With a progress function, a launch covers this much host memory, and the function is called between launches.
constexpr std::uint64_t asking_bytes = 2 << 20;

}  // namespace

Staging::Slot::Slot(Timeline& timeline, const std::vector<std::uint64_t>& sizes)
    : timeline_(timeline), pinned_(sizes.size()) {
    // These blocks are no scratch memory, because other streams than the main one copy to and from them.
    for (const std::uint64_t bytes : sizes)
        blocks_.push_back(bytes == 0
                              ? nullptr
                              : Block::allocate(timeline_.device().shared_from_this(), std::max(piece_bytes, bytes)));
}

Staging::Slot::~Slot() {
    for (const Pinned& pinned : pinned_) {
        if (pinned.bytes != nullptr) timeline_.device().give_back(pinned);
    }
}

std::byte* Staging::Slot::pinned(std::size_t k) {
    if (pinned_[k].bytes == nullptr) pinned_[k] = timeline_.device().borrow_pinned(blocks_[k]->size());
    return static_cast<std::byte*>(pinned_[k].bytes);
}

void Staging::copy_on_host(std::span<const HostCopy> copies) const {
    constexpr std::uint64_t per_thread = 1 << 20;
    std::vector<HostCopy> items;
    std::uint64_t total = 0;
    for (const HostCopy& copy : copies) {
        total += copy.bytes;
        for (std::uint64_t first = 0; first < copy.bytes; first += per_thread)
            items.push_back({copy.to + first, copy.from + first, std::min(per_thread, copy.bytes - first)});
    }
    // A few bytes are copied before another thread wakes up.
    parallel_for(items.size(), total <= per_thread ? 1 : threads(),
                 [&](std::size_t i) { std::memcpy(items[i].to, items[i].from, items[i].bytes); });
}

bool Staging::is_pinned(const void* host, std::uint64_t bytes) const {
    return device().is_pinned(host) && device().is_pinned(static_cast<const std::byte*>(host) + bytes - 1);
}

bool Staging::copies_rows(const void* host, std::uint64_t n, std::uint64_t row_bytes, std::int64_t stride) const {
    if (driver().copy_rows_to_device == nullptr || stride >= std::int64_t{1} << 31) return false;
    return stride >= static_cast<std::int64_t>(row_bytes) &&
           is_pinned(host, (n - 1) * static_cast<std::uint64_t>(stride) + row_bytes);
}

void Staging::upload(const Place& to, const void* from, std::uint64_t bytes) {
    if (bytes <= small_copy || facts().unified || is_pinned(from, bytes)) {
        copy_to_device(to, from, bytes);
        return finish();
    }
    in_pieces(bytes, piece_bytes, [&](Ring& ring, std::uint64_t first, std::uint64_t count, std::byte* pinned) {
        copy_on_host({{pinned, static_cast<const std::byte*>(from) + first, count}});
        CommandEvent event(device());
        check(driver().copy_to_device(main(), static_cast<mkz_memory*>(to.pointer), to.offset + first, pinned, count,
                                      event.slot()));
        ring.sent(std::move(event), &Timings::to_device);
    });
}

void Staging::send(const Place& to, const void* from, std::uint64_t bytes) {
    if (bytes > small_copy) return upload(to, from, bytes);
    send(to, bytes, [&](std::byte* pinned) { std::memcpy(pinned, from, bytes); });
}

void Staging::send(const Place& to, std::uint64_t bytes, const std::function<void(std::byte* pinned)>& fill) {
    const std::uint64_t room = bytes <= small_copy ? small_copy : piece_bytes;
    // The whole system lacks pinned memory, so a call that sends without end waits now and then.
    constexpr std::uint64_t most_small = 8 * small_copy, most_large = 2 * piece_bytes;
    if (sent_ + room > (room == small_copy ? most_small : most_large)) {
        synchronize();
        sent_ = 0;
    }
    sent_ += room;
    const auto give_back = [device = device().shared_from_this()](const Pinned* pinned) {
        device->give_back(*pinned);
        delete pinned;
    };
    const std::shared_ptr<const Pinned> pinned(new Pinned(device().borrow_pinned(room)), give_back);
    keep(pinned);
    fill(static_cast<std::byte*>(pinned->bytes));
    copy_to_device(to, pinned->bytes, bytes);
}

void Staging::download(void* to, const Place& from, std::uint64_t bytes) {
    if (bytes <= most_fetched && !facts().unified) {
        std::ranges::copy(fetch(from, bytes), static_cast<std::byte*>(to));
        return finish();
    }
    if (bytes <= small_copy || facts().unified || is_pinned(to, bytes)) {
        copy_to_host(to, from, bytes);
        return finish();
    }
    in_pieces(bytes, piece_bytes, [&](Ring& ring, std::uint64_t first, std::uint64_t count, std::byte* pinned) {
        CommandEvent event(device());
        check(driver().copy_to_host(main(), pinned, static_cast<mkz_memory*>(from.pointer), from.offset + first, count,
                                    event.slot()));
        ring.sent(std::move(event), &Timings::to_host, [this, to = static_cast<std::byte*>(to) + first, pinned, count] {
            copy_on_host({{to, pinned, count}});
        });
    });
}

void Staging::in_pieces(std::uint64_t n, std::uint64_t most, const EnqueuePiece& enqueue) {
    Ring ring(*this);
    end_stretch();
    begin();
    for (std::uint64_t first = 0; first < n; first += most)
        enqueue(ring, first, std::min(most, n - first), ring.next());
    ring.settle();
    finish();
}

Staging::Ring::~Ring() {
    // The buffers return to their pool now, so no copy to or from them may still be running.
    if (!is_settled_) staging_.drain();
    for (const Turn& turn : turns_) {
        if (turn.pinned.bytes != nullptr) staging_.device().give_back(turn.pinned);
    }
}

void Staging::Ring::settle(Turn& turn) const {
    if (turn.done == nullptr) return;
    staging_.check(staging_.driver().event_wait(turn.done));
    turn.done = nullptr;
    if (const auto take = std::exchange(turn.take, {})) take();
}

std::byte* Staging::Ring::next() {
    std::rotate(turns_.begin(), turns_.begin() + 1, turns_.end());
    Turn& turn = turns_.back();
    settle(turn);
    is_settled_ = false;
    if (turn.pinned.bytes == nullptr) turn.pinned = staging_.device().borrow_pinned(piece_bytes);
    return static_cast<std::byte*>(turn.pinned.bytes);
}

void Staging::Ring::sent(CommandEvent event, double Timings::* slot, std::function<void()> take) {
    turns_.back().done = event.get();
    turns_.back().take = std::move(take);
    staging_.note(std::move(event), slot);
}

void Staging::Ring::settle() {
    for (Turn& turn : turns_) settle(turn);
    is_settled_ = true;
}

bool Staging::batch(std::uint64_t n, const std::vector<Operand>& operands, std::uint64_t most_items,
                    const EnqueueItems& body, const Tick& tick) {
    if (n == 0) return true;
    const bool any_host = std::ranges::any_of(operands, [](const Operand& o) { return !o.place.on_device; });
    std::uint64_t per_piece = std::min(n, std::max<std::uint64_t>(most_items, 1));
    // Kernels move nodes in accesses of 16 bytes, so host memory that is not aligned to 16 bytes is staged all the
    // same.
    const bool reachable =
        facts().unified && std::ranges::all_of(operands, [](const Operand& o) {
            if (o.pack) return false;
            return o.place.on_device || reinterpret_cast<std::uintptr_t>(host_bytes(o.place)) % 16 == 0;
        });
    if (any_host && !reachable) {
        for (const Operand& o : operands) {
            if (o.item_bytes != 0)
                per_piece = std::min(per_piece, std::max<std::uint64_t>(1, piece_bytes / o.item_bytes));
        }
        return staged_batch(n, per_piece, operands, body, tick);
    }
    const std::uint64_t most_bytes = tick ? std::min(asking_bytes, facts().max_allocation) : facts().max_allocation;
    for (const Operand& o : operands) {
        if (o.place.on_device || o.item_bytes == 0) continue;
        per_piece = std::min(per_piece, std::max<std::uint64_t>(1, most_bytes / o.item_bytes));
    }
    for (std::uint64_t first = 0; first < n; first += per_piece) {
        const std::uint64_t count = std::min(per_piece, n - first);
        std::vector<Range> ranges;
        std::vector<Lease> wrapped;
        for (const Operand& o : operands) {
            const std::uint64_t start = first * o.item_bytes, bytes = std::min(count * o.item_bytes, o.bytes - start);
            if (o.place.on_device || bytes == 0) {
                ranges.push_back(o.place.on_device ? range_of(moved(o.place, start)) : Range{nullptr, 0});
                continue;
            }
            wrapped.push_back(wrap_host(host_bytes(o.place) + start, bytes));
            ranges.push_back(range_of(wrapped.back()));
        }
        body(first, count, ranges);
        // A copy of the block to its own bytes makes the kernels' writes visible on the host.
        if (const Operand& out = operands.back(); !out.place.on_device && out.item_bytes != 0) {
            const std::uint64_t start = first * out.item_bytes;
            copy_to_host(host_bytes(out.place) + start, wrapped.back().place(),
                         std::min(count * out.item_bytes, out.bytes - start));
        }
        if (any_host && per_piece < n) synchronize();
        if (tick && !tick(static_cast<double>(first + count) / static_cast<double>(n))) return false;
    }
    // The caller may free host memory that was only read as soon as the launch returns.
    if (any_host) finish();
    return true;
}

// Each piece passes through a slot: the host fills it, it is copied up, computed, copied down, and the host takes the
// result. While the host takes one piece and fills another, a third is computed and others are on the link in both
// directions. Pinned memory of the caller needs no filling and no taking.
bool Staging::run(std::uint64_t pieces, const Pipeline& pipeline, const Tick& tick) {
    const mkz_driver& driver = this->driver();
    std::vector<Slot> slots;
    for (std::uint64_t k = 0; k < std::min<std::uint64_t>(pieces, n_slots); k++)
        slots.emplace_back(*this, pipeline.sizes);
    mkz_stream* up = this->up();
    mkz_stream* down = this->down();
    const std::size_t last = pipeline.sizes.size() - 1;
    const auto goes_straight = [&](const HostPart& part) {
        return part.bytes >= least_straight && is_pinned(part.host, part.bytes);
    };
    // Waits until the previous piece has left the slot. Returns the host copies that remain to be done for it.
    const auto settle = [&](Slot& slot) {
        if (slot.done != nullptr) check(driver.event_wait(slot.done));
        slot.done = nullptr;
        return std::exchange(slot.take, {});
    };
    const auto go_up = [&](std::uint64_t piece, Slot& slot, std::vector<HostCopy> host_work) {
        std::vector<std::pair<std::size_t, HostPart>> copies;
        for (std::size_t k = 0; k < last; k++) {
            if (pipeline.sizes[k] == 0) continue;
            if (const std::uint64_t filled = pipeline.fill ? pipeline.fill(piece, k, slot) : 0; filled != 0) {
                copies.emplace_back(k, HostPart{slot.pinned(k), 0, filled});
                continue;
            }
            std::vector<HostPart> straight;
            std::uint64_t first = UINT64_MAX, end = 0;  // of the coalesced bytes in the buffer
            for (const HostPart& part : pipeline.parts(piece, k)) {
                if (part.bytes == 0) continue;
                if (goes_straight(part)) {
                    straight.push_back(part);
                    continue;
                }
                host_work.push_back({slot.pinned(k) + part.offset, part.host, part.bytes});
                first = std::min(first, part.offset);
                end = std::max(end, part.offset + part.bytes);
            }
            // Direct copies are enqueued last: they may fall inside the coalesced range and must overwrite it.
            if (first < end) copies.push_back({k, {slot.pinned(k) + first, first, end - first}});
            for (const HostPart& part : straight) copies.emplace_back(k, part);
        }
        copy_on_host(host_work);
        for (const auto& [k, part] : copies) {
            CommandEvent event(device());
            check(driver.copy_to_device(up, slot.block(k)->memory(), part.offset, part.host, part.bytes, event.slot()));
            check(driver.stream_wait(main(), event.get()));
            note(std::move(event), &Timings::to_device);
        }
    };
    const auto go_down = [&](std::uint64_t piece, Slot& slot) {
        if (pipeline.sizes[last] == 0) return;
        check(driver.stream_wait(down, slot.done));
        const auto copy = [&](const HostPart& part) {
            CommandEvent event(device());
            check(driver.copy_to_host(down, part.host, slot.block(last)->memory(), part.offset, part.bytes,
                                      event.slot()));
            slot.done = event.get();
            note(std::move(event), &Timings::to_host);
        };
        std::uint64_t first = UINT64_MAX, end = 0;  // of the coalesced bytes in the buffer
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
    require_events(true);
    begin();
    try {
        for (std::uint64_t piece = 0; piece < pieces && finished; piece++) {
            Slot& slot = slots[piece % slots.size()];
            go_up(piece, slot, settle(slot));
            pipeline.compute(piece, slot);
            end_stretch();
            slot.done = last_event();
            go_down(piece, slot);
            finished = !tick || tick(static_cast<double>(piece + 1) / static_cast<double>(pieces));
        }
        for (std::uint64_t k = 0; finished && k < slots.size(); k++)
            copy_on_host(settle(slots[(pieces + k) % slots.size()]));
    } catch (...) {
        // The buffers return to their pool now, so no copy to or from them may still be running.
        require_events(false);
        drain();
        throw;
    }
    require_events(false);
    finish();
    return finished;
}

bool Staging::staged_batch(std::uint64_t n, std::uint64_t per_piece, const std::vector<Operand>& operands,
                           const EnqueueItems& body, const Tick& tick) {
    const auto first_of = [&](std::uint64_t piece) { return piece * per_piece; };
    const auto count_of = [&](std::uint64_t piece) { return std::min(per_piece, n - first_of(piece)); };
    Pipeline pipeline;
    for (const Operand& o : operands) pipeline.sizes.push_back(o.place.on_device ? 0 : per_piece * o.item_bytes);
    pipeline.parts = [&](std::uint64_t piece, std::size_t k) {
        const Operand& o = operands[k];
        const std::uint64_t start = first_of(piece) * o.item_bytes;
        return std::vector<HostPart>{
            {host_bytes(o.place) + start, 0, std::min(count_of(piece) * o.item_bytes, o.bytes - start)}};
    };
    pipeline.fill = [&](std::uint64_t piece, std::size_t k, Slot& slot) -> std::uint64_t {
        if (!operands[k].pack) return 0;
        operands[k].pack(first_of(piece), count_of(piece), slot.pinned(k));
        return count_of(piece) * operands[k].item_bytes;
    };
    pipeline.compute = [&](std::uint64_t piece, const Slot& slot) {
        std::vector<Range> ranges;
        for (std::size_t k = 0; k < operands.size(); k++) {
            const Operand& o = operands[k];
            if (o.place.on_device) {
                ranges.push_back(range_of(moved(o.place, first_of(piece) * o.item_bytes)));
            } else {
                ranges.push_back({slot.block(k) ? slot.block(k)->memory() : nullptr, 0});
            }
        }
        body(first_of(piece), count_of(piece), ranges);
    };
    return run((n + per_piece - 1) / per_piece, pipeline, tick);
}

}  // namespace merklize::runtime
