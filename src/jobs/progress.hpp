#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <string_view>

#include "host/threads.hpp"
#include "merklize/device.hpp"

namespace merklize::runtime {

/// Least time between two calls of a progress function. Tests that cancel set it to 0, so that no machine is too fast
/// for them.
inline constinit std::atomic<int> tick_milliseconds{50};

/// If set, called before a kernel is compiled, on the thread that compiles it, because some compilers take minutes.
/// kept  whether the cache on disk will keep the kernel
inline constinit std::atomic<void (*)(std::string_view device, bool kept)> on_compiling{nullptr};

/// Reports the progress of a part: 0 to 1 of the part is `before` to `before` + `share` of the whole. Empty if `whole`
/// is.
/// whole  must outlive the result
Tick part_of(const Tick& whole, double before, double share);

/// The options for a part of a call, whose progress is a part of the call's, as above.
/// options  must outlive the result
/// timings  where to put the part's times, because each part would overwrite the call's own
RunOptions part_of(const RunOptions& options, double before, double share, Timings* timings = nullptr);

/// Adds the times of a part of a call to those of the call, which begin as Timings{.available = true}.
void add(Timings& sum, const Timings& part);

/// Reports the progress of one call to the caller's progress function, about every 50 ms and from the calling thread
/// alone. An exception of that function cancels the work and is rethrown here. After it cancelled, the function is not
/// called again.
class Progress {
public:
    /// function  may be empty; must outlive this
    explicit Progress(const Tick& function) : function_(function) {
        if (function) last_ = Clock::now();
    }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Begins the next step, which is `share` of the whole.
    /// returns  the function that the step reports its progress to; empty if the caller gave none
    Tick begin(double share) {
        share_ = share;
        return function_ ? Tick([this, share](double done) { return tell(done * share); }) : Tick();
    }
    /// Ends the current step.
    /// finished  false: the tick cancelled the step
    /// errors    cancelled; what the progress function threw
    void end(bool finished) {
        if (!finished || cancelled_) throw_cancelled();
        before_ += share_;
    }

    /// Reports progress: `done` is the share that the current step adds. Returns false to cancel.
    bool tell(double done) noexcept;

    /// Makes the next tell() call the function at once: for the first piece of a remote source.
    void ask_soon() noexcept { last_ = {}; }

    [[noreturn]] void throw_cancelled() const;

private:
    using Clock = std::chrono::steady_clock;

    const Tick& function_;
    double before_ = 0;
    double share_ = 0;          // of the current step
    Clock::time_point last_{};  // one clock for all steps, so that a call of many short steps reports, too
    bool cancelled_ = false;
    std::exception_ptr failure_{};
};

}  // namespace merklize::runtime
