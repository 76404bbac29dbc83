#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "host/invalid.hpp"
#include "jobs/executor.hpp"
#include "jobs/jobs.hpp"
#include "merklize/device.hpp"
#include "queue/device.hpp"
#include "queue/scratch.hpp"

namespace merklize::runtime {

/// Owns an event of the driver.
class CommandEvent {
public:
    CommandEvent() = default;
    /// device  lives as long as the process
    explicit CommandEvent(const QueueDevice& device) : device_(&device) {}
    ~CommandEvent() { release(); }
    CommandEvent(CommandEvent&& other) noexcept
        : device_(other.device_), event_(std::exchange(other.event_, nullptr)) {}
    CommandEvent& operator=(CommandEvent&& other) noexcept {
        if (this == &other) return *this;
        release();
        device_ = other.device_;
        event_ = std::exchange(other.event_, nullptr);
        return *this;
    }

    mkz_event* get() const noexcept { return event_; }
    /// Where a driver stores a new event.
    mkz_event** slot() noexcept { return &event_; }
    explicit operator bool() const noexcept { return event_ != nullptr; }

private:
    // In a forked child the event belongs to the parent.
    void release() noexcept {
        if (event_ != nullptr && device_->is_own_process()) device_->driver().event_release(event_);
        event_ = nullptr;
    }

    const QueueDevice* device_ = nullptr;
    mkz_event* event_ = nullptr;
};

/// An argument of a kernel, of a type in core/entry.h: a block, or a word or struct, which must stay until the launch.
struct Argument : mkz_argument {
    // NOLINTNEXTLINE(google-explicit-constructor): a list of arguments is a list of their values
    Argument(mkz_memory* const& memory) : mkz_argument{memory, 0} {}
    template <class Value>
        requires std::is_trivially_copyable_v<Value> && (!std::is_pointer_v<Value>)
    // NOLINTNEXTLINE(google-explicit-constructor)
    Argument(const Value& value) : mkz_argument{&value, sizeof value} {}
};

/// The kernels' argument mkz_key (core/kernels.h).
struct KeyWords {
    std::uint32_t w[8];
};

inline KeyWords key_words(const Mode& mode) {
    KeyWords key;
    std::copy_n(mode.key_words(), 8, key.w);
    return key;
}

/// The two arguments that kernels of keyed programs take besides the others. No flags: there are none.
struct KeyArguments {
    const std::uint32_t* words = nullptr;  ///< [8]
    std::uint32_t flags = 0;
};
inline KeyArguments key_arguments(const Mode& mode) { return {mode.key_words(), mode.flags()}; }

/// A check that a call has enqueued: the flag that the device sets, and the words of its error.
struct Check {
    Flag flag;
    const char* call;           // a literal: the public call; null: none
    const char* argument;       // a literal
    const mkz_hash_info* hash;  // whose words they are
};

/// The part of a DeviceCall that records commands: the streams, their order, what must stay alive until the commands
/// have ended, and their times. Host bytes of a copy must stay until finish() unless the function says otherwise.
class Timeline : public Executor {
public:
    /// options  the stream and the timings of the call; they must outlive this object. With Ending::enqueues there are
    ///          no timings, and the destructor waits, unless the caller gave a stream
    /// errors   invalid_argument (a stream of another device; a stream that is being captured, in a call that waits),
    ///          unavailable (in a forked child)
    Timeline(std::shared_ptr<QueueDevice> device, const RunOptions& options, Ending ending = Ending::waits);
    ~Timeline() override;
    Timeline(const Timeline&) = delete;
    Timeline& operator=(const Timeline&) = delete;

    QueueDevice& device() const noexcept { return *device_; }
    const mkz_driver_facts& facts() const noexcept { return device_->facts(); }
    const mkz_driver& driver() const noexcept { return device_->driver(); }
    void check(mkz_status status) const { device_->check(status); }

    /// Enqueues a kernel on the main stream.
    /// key  of a kernel of merges or rows
    void enqueue(const Kernel& kernel, std::uint64_t groups, std::initializer_list<Argument> arguments,
                 const KeyArguments& key = {});

    /// Copies on the main stream, enqueued.
    void copy_to_device(const Place& to, const void* from, std::uint64_t bytes);
    void copy_to_host(void* to, const Place& from, std::uint64_t bytes);
    void copy_on_device(const Place& to, const Place& from, std::uint64_t bytes);
    /// The bytes of a place, at most most_fetched of them, in pinned memory; complete when it returns. They stay until
    /// the next fetch() or the end of the call.
    std::span<const std::byte> fetch(const Place& from, std::uint64_t bytes);
    /// The same, enqueued: complete when the call's work is complete. The bytes stay until the call ends.
    std::span<const std::byte> enqueue_fetch(const Place& from, std::uint64_t bytes);
    static constexpr std::uint64_t most_fetched = 128 << 10;

    /// Working memory for commands of the main stream, aligned to 256 bytes. Its content is undefined.
    Lease scratch(std::uint64_t bytes);
    /// Frees the working memory whose leases were dropped, which would be leased again for fewer bytes.
    void free_scratch() noexcept;
    /// Host bytes as a block; only on a unified device.
    Lease wrap_host(void* host, std::uint64_t bytes);
    /// Keeps `owner` alive until the commands enqueued so far have ended. For calls that wait.
    void keep(std::shared_ptr<const void> owner);

    bool enqueues() const noexcept { return ending_ == Ending::enqueues; }
    /// For calls that enqueue: check(block) enqueues a check, which notes in a flag whether it found anything.
    template <class Enqueue>
    void note_check(const char* argument, const mkz_hash_info& hash, Enqueue check) {
        checks_.push_back({device_->flags().take(*device_), PublicCall::current(), argument, &hash});
        prepare(checks_.back().flag);
        check(checks_.back().flag.block->memory());
    }
    /// Ends a call that enqueues, and returns its event.
    std::shared_ptr<EventState> end();

    /// Waits for everything enqueued, adds up the times, and throws what failed. Does nothing in a call that enqueues.
    void finish();
    /// Waits for everything enqueued; finish() adds up the times.
    void synchronize();
    /// Waits for the main stream alone.
    void synchronize_main() { check(driver().stream_synchronize(main_)); }
    /// Waits for all streams, whatever fails.  returns  the first failure
    mkz_status drain() noexcept;

    // For Staging, which enqueues copies of its own:

    mkz_stream* main() const noexcept { return main_; }
    /// Streams beside the main one, for copies to the device and to the host.
    mkz_stream* up() { return side_stream(0); }
    mkz_stream* down() { return side_stream(1); }
    /// Commands enqueued on a side stream from now on wait for those that are on the main one.
    void follow_main(mkz_stream* side);
    /// Must be called before a command is enqueued.
    void begin() noexcept { idle_ = false; }
    /// Counts the time of a copy on any stream. Keeps its event until finish().
    void note(CommandEvent event, double Timings::* slot);
    /// Ends the current stretch of kernels and counts its time. Called before a copy.
    void end_stretch();
    /// Whether each stretch has events even if no times are wanted, because Staging waits for the last one.
    void require_events(bool required) noexcept { events_required_ = required; }
    /// The last command of the last stretch.
    mkz_event* last_event() const { return stretches_.back().last.get(); }

private:
    void prepare(Flag& flag);
    void require_waits() const;
    mkz_stream* side_stream(unsigned which);

    std::shared_ptr<QueueDevice> device_;
    Device handle_;
    Timings* timings_;  // null: not timed
    Ending ending_;
    bool is_captured_ = false;
    mkz_stream* main_;
    bool owns_main_;
    std::array<mkz_stream*, 2> side_streams_{};
    Pinned fetched_{};
    std::vector<std::shared_ptr<const void>> kept_;
    std::shared_ptr<CallScratch> scratch_;  // null: none was asked for
    std::vector<Check> checks_;             // of a call that enqueues
    bool idle_ = true;

    // The time from the start of `first` to the end of `last`; without `first`, the time of `last` alone.
    struct Stretch {
        CommandEvent first, last;
        double Timings::* slot;
    };
    std::vector<Stretch> stretches_;
    bool has_times_ = true;                      // false once a stretch had none: a job may finish before its call does
    CommandEvent kernels_first_, kernels_last_;  // the current stretch of kernels
    bool several_kernels_ = false;
    bool events_required_ = false;
};

}  // namespace merklize::runtime
