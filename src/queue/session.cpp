#include "queue/session.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "jobs/field.hpp"
#include "queue/enqueue.hpp"

namespace merklize::runtime {

StreamState::StreamState(std::shared_ptr<QueueDevice> device, Device handle, void* native)
    : device_(std::move(device)), handle_(std::move(handle)) {
    device_->require_own_process();
    device_->check(device_->driver().stream_open(device_->index(), native, 1, &stream_));
}

StreamState::~StreamState() {
    if (device_->is_own_process()) device_->driver().stream_close(stream_);
}

Session::Session(std::shared_ptr<QueueDevice> device, const RunOptions& options, unsigned threads)
    : device_(std::move(device)), options_(options), threads_(threads), timed_(options.timings != nullptr) {
    device_->require_own_process();
    owns_stream_ = !options.stream;
    if (!owns_stream_ && &options.stream->state().device() != device_.get()) {
        throw Error(ErrorCode::invalid_argument,
                    "the stream is of " + options.stream->device().info().id + ", the call is for " + device_->id());
    }
    stream_ = owns_stream_ ? device_->borrow_stream(timed_) : options.stream->state().stream();
}

Session::~Session() {
    drain();  // after an error something may still be running on memory that goes away now
    if (owns_stream_) device_->give_back(stream_, timed_);
    for (mkz_stream* side : side_streams_) {
        if (side != nullptr) device_->give_back(side, timed_);
    }
}

mkz_stream* Session::side_stream(unsigned which) {
    if (side_streams_[which] == nullptr) side_streams_[which] = device_->borrow_stream(timed_);
    return side_streams_[which];
}

std::shared_ptr<Block> Session::scratch(std::uint64_t bytes) {
    in_flight_.push_back(Block::allocate(device_, bytes));
    return in_flight_.back();
}

void Session::note(Event event, double Timings::* slot) { stretches_.push_back({Event(), std::move(event), slot}); }

void Session::end_stretch() {
    if (!kernels_first_) return;
    if (several_kernels_ && !kernels_last_) {
        // A copy of nothing, to any block, marks the place.
        Event mark(device_->driver());
        check(device_->driver().copy_to_device(stream_, device_->constants(QueueDevice::no_hash), 0, nullptr, 0,
                                               mark.slot()));
        kernels_last_ = std::move(mark);
    }
    // One kernel is a stretch from its own start to its own end: an empty `first` means that.
    if (several_kernels_) {
        stretches_.push_back({std::move(kernels_first_), std::move(kernels_last_), &Timings::kernel});
    } else {
        stretches_.push_back({Event(), std::move(kernels_first_), &Timings::kernel});
    }
    kernels_first_ = Event();
    kernels_last_ = Event();
    several_kernels_ = false;
}

Kernel Session::kernel(const Variant& variant, const Body& body, bool is_free) {
    return device_->programs().find(variant, body, is_free);
}

bool Session::is_aligned(const Range& range, std::uint64_t to) const {
    if (range.memory == nullptr) return true;  // no bytes at all
    // Kernels move at most 16 bytes at once; offsets count in larger units.
    return range.offset % to == 0 && device_->driver().alignment(range.memory) % std::min<std::uint64_t>(to, 16) == 0;
}

void Session::copy_on_device(const mkz_place& to, const mkz_place& from, std::uint64_t bytes) {
    if (bytes == 0) return;
    end_stretch();
    idle_ = false;
    check(device_->driver().copy_on_device(stream_, static_cast<mkz_memory*>(to.pointer), to.offset,
                                           static_cast<mkz_memory*>(from.pointer), from.offset, bytes, nullptr));
}

Session::Range Session::aligned_to(const Range& range, std::uint64_t to, std::uint64_t bytes) {
    if (is_aligned(range, to)) return range;
    const Range copy{scratch(bytes)->memory(), 0};
    copy_on_device({copy.memory, copy.offset, 1}, {range.memory, range.offset, 1}, bytes);
    return copy;
}

mkz_place Session::aligned_nodes(const mkz_place& nodes, std::uint64_t n) {
    const Range range = aligned_to({static_cast<mkz_memory*>(nodes.pointer), nodes.offset}, 32, 32 * n);
    return {range.memory, range.offset, 1};
}

Session::Range Session::aligned_out(const Range& range, std::uint64_t bytes) {
    return is_aligned(range, 32) ? range : Range{scratch(bytes)->memory(), 0};
}

void Session::return_out(const Range& range, const Range& written, std::uint64_t bytes) {
    if (written.memory != range.memory)
        copy_on_device({range.memory, range.offset, 1}, {written.memory, written.offset, 1}, bytes);
}

void Session::copy_to_device(const mkz_place& to, const void* from, std::uint64_t bytes) {
    if (bytes == 0) return;
    end_stretch();
    Event event(device_->driver());
    idle_ = false;
    check(device_->driver().copy_to_device(stream_, static_cast<mkz_memory*>(to.pointer), to.offset, from, bytes,
                                           timed_ ? event.slot() : nullptr));
    if (timed_) note(std::move(event), &Timings::to_device);
}

void Session::copy_to_host(void* to, const mkz_place& from, std::uint64_t bytes) {
    if (bytes == 0) return;
    end_stretch();
    Event event(device_->driver());
    idle_ = false;
    check(device_->driver().copy_to_host(stream_, to, static_cast<mkz_memory*>(from.pointer), from.offset, bytes,
                                         timed_ ? event.slot() : nullptr));
    if (timed_) note(std::move(event), &Timings::to_host);
}

mkz_status Session::drain() noexcept {
    if (idle_) return MKZ_OK;
    mkz_status status = device_->driver().stream_synchronize(stream_);
    for (mkz_stream* side : side_streams_) {
        if (side == nullptr) continue;
        const mkz_status its = device_->driver().stream_synchronize(side);
        if (status == MKZ_OK) status = its;
    }
    idle_ = status == MKZ_OK;
    return status;
}

void Session::synchronize() {
    end_stretch();
    check(drain());
}

void Session::finish() {
    synchronize();
    in_flight_.clear();
    sent_.clear();
    const std::vector<Stretch> stretches = std::exchange(stretches_, {});
    if (!timed_) return;
    Timings& timings = *options_.timings;
    bool available = true;
    for (const Stretch& stretch : stretches) {
        double seconds = 0;
        check(device_->driver().event_span(stretch.first ? stretch.first.get() : stretch.last.get(), stretch.last.get(),
                                           &seconds));
        available = available && seconds >= 0;
        timings.*stretch.slot += seconds;
    }
    timings.available = available;
    if (!available) timings = Timings{};
}

void Session::require_canonical(const mkz_hash_info& hash, mkz_place words, std::uint64_t n, const char* what) {
    if (n == 0 || !is_field(hash)) return;
    const std::uint64_t word_bytes = hash.word_bits / 8;
    const Range range = aligned_to({static_cast<mkz_memory*>(words.pointer), words.offset}, word_bytes, word_bytes * n);
    const auto flag = scratch(256);
    const std::uint32_t zero = 0;
    copy_to_device(flag->at(0), &zero, sizeof zero);
    const Kernel check_words =
        kernel({.group_size = 256}, word_bytes == 8 ? bodies::check_words64 : bodies::check_words32, true);
    enqueue(check_words, (n + check_words.group_size - 1) / check_words.group_size, range.memory,
            range.offset / word_bytes, n, hash.modulus, flag->memory());
    std::uint32_t found = 0;
    copy_to_host(&found, flag->at(0), sizeof found);
    check(device_->driver().stream_synchronize(stream_));
    if (found == 0) return;
    // Rare, so it may be slow: the host looks where, and says it.
    constexpr std::uint64_t per_piece = 1 << 20;
    std::vector<std::byte> piece(word_bytes * std::min(per_piece, n));
    for (std::uint64_t first = 0; first < n; first += per_piece) {
        const std::uint64_t count = std::min(per_piece, n - first);
        check(device_->driver().copy_to_host(stream_, piece.data(), range.memory, range.offset + word_bytes * first,
                                             word_bytes * count, nullptr));
        check(device_->driver().stream_synchronize(stream_));
        runtime::require_canonical(hash, piece.data(), count, what, first);
    }
    throw Error(ErrorCode::internal, std::string(what) + ": a word that is no field element was there on " +
                                         device_->id() + " and then was not: the memory changed during the call");
}

}  // namespace merklize::runtime
