#include "queue/timeline.hpp"

#include "host/invalid.hpp"
#include "jobs/internals.hpp"
#include "merklize/error.hpp"
#include "queue/handles.hpp"

namespace merklize::runtime {

Timeline::Timeline(std::shared_ptr<QueueDevice> device, const RunOptions& options, Ending ending)
    : device_(std::move(device)), handle_(options.device), timings_(options.timings), ending_(ending) {
    device_->require_own_process();
    owns_main_ = !options.stream;
    if (owns_main_) {
        main_ = device_->borrow_stream(timings_ != nullptr);
        return;
    }
    const StreamState& stream = Internals::of(*options.stream);
    if (&stream.device() != device_.get()) {
        invalid("options.stream must be of the call's device, " + device_->id() + ", got one of " +
                options.stream->device().info().id);
    }
    main_ = stream.stream();
    is_captured_ = is_capturing(*device_, main_);
    if (is_captured_ && !enqueues()) {
        throw Error(
            ErrorCode::invalid_argument,
            device_->id() +
                ": the stream is being captured into a graph, and this call waits for its result, which a graph "
                "cannot; use the call of merklize/async.hpp (Python: wait=False)");
    }
}

Timeline::~Timeline() {
    // Commands may still use memory that is freed now. A call that enqueues on the caller's stream uses only memory of
    // the device, which the driver keeps.
    if (!enqueues() || owns_main_) drain();
    if (fetched_.bytes != nullptr) device_->give_back(fetched_);
    if (owns_main_) device_->give_back(main_, timings_ != nullptr);
    for (mkz_stream* side : side_streams_) {
        if (side != nullptr) device_->give_back(side, timings_ != nullptr);
    }
}

mkz_stream* Timeline::side_stream(unsigned which) {
    if (side_streams_[which] == nullptr) side_streams_[which] = device_->borrow_stream(timings_ != nullptr);
    return side_streams_[which];
}

void Timeline::follow_main(mkz_stream* side) {
    CommandEvent event(*device_);
    begin();
    check(driver().event_record(main_, event.slot()));
    check(driver().stream_wait(side, event.get()));
}

// A captured graph owns its memory, so take none from the pool.
Lease Timeline::scratch(std::uint64_t bytes) {
    if (!scratch_) scratch_ = std::make_shared<CallScratch>(device_, main_, enqueues() && !is_captured_);
    return scratch_->take(bytes);
}

void Timeline::free_scratch() noexcept {
    if (scratch_) scratch_->free_returned();
}

// A flag that was never set is still 0. A graph clears its own flag at each launch.
void Timeline::prepare(Flag& flag) {
    if (flag.is_clear && !is_captured_) return;
    const Block& zeros = device_->zeros();
    check(driver().copy_on_device(main_, flag.block->memory(), 0, zeros.memory(), 0, sizeof *flag.host, nullptr));
    flag.is_clear = true;
}

std::shared_ptr<EventState> Timeline::end() {
    for (const Check& one : checks_)
        check(driver().copy_to_host(main_, one.flag.host, one.flag.block->memory(), 0, sizeof *one.flag.host, nullptr));
    auto event = std::make_shared<CommandEvent>(*device_);
    check(driver().event_record(main_, event->slot()));
    if (scratch_) scratch_->end(event);
    return std::make_shared<EventState>(device_, handle_, std::move(event), is_captured_, std::exchange(checks_, {}));
}

void Timeline::require_waits() const {
    if (enqueues()) throw Error(ErrorCode::internal, device_->id() + ": a call that enqueues was about to wait");
}

void Timeline::keep(std::shared_ptr<const void> owner) {
    require_waits();
    kept_.push_back(std::move(owner));
}

Lease Timeline::wrap_host(void* host, std::uint64_t bytes) {
    auto block = Block::wrap_host(device_, host, bytes);
    keep(block);
    const Place place = block->at(0);
    return Lease(place, std::move(block));
}

// An event between two kernels would delay the second. So only the first kernel of a stretch has one, and end_stretch()
// marks the end.
void Timeline::enqueue(const Kernel& kernel, std::uint64_t groups, std::initializer_list<Argument> arguments,
                       const KeyArguments& key) {
    if (groups == 0) return;
    std::vector<mkz_argument> list(arguments.begin(), arguments.end());
    KeyWords words;
    if (key.flags != 0) {
        std::copy_n(key.words, 8, words.w);
        list.insert(list.end(), {Argument(words), Argument(key.flags)});
    }
    const bool wanted = events_required_ || (timings_ != nullptr && !kernels_first_);
    CommandEvent event(*device_);
    idle_ = false;
    const mkz_status status =
        driver().launch(main_, kernel.function, groups, kernel.group_size, static_cast<std::uint32_t>(list.size()),
                        list.data(), wanted ? event.slot() : nullptr);
    if (key.flags != 0) wipe(&words, sizeof words);
    check(status);
    if (!kernels_first_) {
        kernels_first_ = std::move(event);
    } else {
        kernels_last_ = std::move(event);
        several_kernels_ = true;
    }
}

void Timeline::note(CommandEvent event, double Timings::* slot) {
    stretches_.push_back({CommandEvent(), std::move(event), slot});
}

void Timeline::end_stretch() {
    if (!kernels_first_) return;
    if (several_kernels_ && !kernels_last_) {
        CommandEvent mark(*device_);
        check(driver().event_record(main_, mark.slot()));
        kernels_last_ = std::move(mark);
    }
    if (several_kernels_) {
        stretches_.push_back({std::move(kernels_first_), std::move(kernels_last_), &Timings::kernel});
    } else {
        stretches_.push_back({CommandEvent(), std::move(kernels_first_), &Timings::kernel});
    }
    kernels_first_ = CommandEvent();
    kernels_last_ = CommandEvent();
    several_kernels_ = false;
}

void Timeline::copy_to_device(const Place& to, const void* from, std::uint64_t bytes) {
    if (bytes == 0) return;
    end_stretch();
    CommandEvent event(*device_);
    idle_ = false;
    check(driver().copy_to_device(main_, static_cast<mkz_memory*>(to.pointer), to.offset, from, bytes,
                                  timings_ != nullptr ? event.slot() : nullptr));
    if (timings_ != nullptr) note(std::move(event), &Timings::to_device);
}

void Timeline::copy_to_host(void* to, const Place& from, std::uint64_t bytes) {
    if (bytes == 0) return;
    end_stretch();
    CommandEvent event(*device_);
    idle_ = false;
    check(driver().copy_to_host(main_, to, static_cast<mkz_memory*>(from.pointer), from.offset, bytes,
                                timings_ != nullptr ? event.slot() : nullptr));
    if (timings_ != nullptr) note(std::move(event), &Timings::to_host);
}

void Timeline::copy_on_device(const Place& to, const Place& from, std::uint64_t bytes) {
    if (bytes == 0) return;
    end_stretch();
    idle_ = false;
    check(driver().copy_on_device(main_, static_cast<mkz_memory*>(to.pointer), to.offset,
                                  static_cast<mkz_memory*>(from.pointer), from.offset, bytes, nullptr));
}

std::span<const std::byte> Timeline::enqueue_fetch(const Place& from, std::uint64_t bytes) {
    if (fetched_.bytes == nullptr) fetched_ = device_->borrow_pinned(most_fetched);
    copy_to_host(fetched_.bytes, from, bytes);
    return {static_cast<const std::byte*>(fetched_.bytes), bytes};
}

std::span<const std::byte> Timeline::fetch(const Place& from, std::uint64_t bytes) {
    const std::span<const std::byte> fetched = enqueue_fetch(from, bytes);
    synchronize();
    return fetched;
}

mkz_status Timeline::drain() noexcept {
    if (idle_) return MKZ_OK;
    mkz_status status = driver().stream_synchronize(main_);
    for (mkz_stream* side : side_streams_) {
        if (side == nullptr) continue;
        const mkz_status its = driver().stream_synchronize(side);
        if (status == MKZ_OK) status = its;
    }
    idle_ = status == MKZ_OK;
    return status;
}

void Timeline::synchronize() {
    require_waits();
    end_stretch();
    check(drain());
    kept_.clear();
    free_scratch();
}

void Timeline::finish() {
    if (enqueues()) return;
    synchronize();
    const std::vector<Stretch> stretches = std::exchange(stretches_, {});
    if (timings_ == nullptr) return;
    for (const Stretch& stretch : stretches) {
        double seconds = 0;
        check(driver().event_span(stretch.first ? stretch.first.get() : stretch.last.get(), stretch.last.get(),
                                  &seconds));
        has_times_ = has_times_ && seconds >= 0;
        timings_->*stretch.slot += seconds;
    }
    timings_->available = has_times_;
    if (!has_times_) *timings_ = Timings{};
}

}  // namespace merklize::runtime
