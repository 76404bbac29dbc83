#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <string_view>

#include "host/threads.hpp"
#include "merklize/device.hpp"

namespace merklize::runtime {

/// How long progress functions are not asked again. Tests that cancel set it to nothing, so that no machine is too fast for them.
inline constinit std::atomic<int> tick_milliseconds{50};

/// Called, if it is set, on the thread that compiles a kernel, before it does: some compilers take minutes.
/// kept  whether the cache will have it
inline constinit std::atomic<void (*)(std::string_view device, bool kept)> on_compiling{nullptr};

/// A part of some work: 0 to 1 of it is `before` to `before` + `share` of the whole. Empty if `whole` is.
/// whole  must outlive the result
Tick part_of(const Tick& whole, double before, double share);

/// The options of a part of a call: its progress is a part of the call's, as above.
/// options  must outlive the result
/// timings  where to put the part's times, since a call's own are zeroed by each part
RunOptions part_of(const RunOptions& options, double before, double share, Timings* timings = nullptr);

/// Adds the times of a part of a call to those of the call, which begin as Timings{.available = true}.
void add(Timings& sum, const Timings& part);

/// Where one call stands in the whole for the caller's progress function, which is asked about every 50 ms and from the calling thread alone. An
/// exception of that function cancels the work and is thrown on from here. It is not asked again after it cancelled.
class Progress {
public:
    /// function  may be empty; must outlive this
    explicit Progress(const Tick& function) : function_(function) {}
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Begins the next step, which is `share` of the whole.
    /// returns  what its work tells how far it is; empty if nobody wants to know
    Tick begin(double share) {
        share_ = share;
        return function_ ? Tick([this, share](double done) { return tell(done * share); }) : Tick();
    }
    /// Ends it.
    /// finished  false: the tick cancelled it
    /// errors    cancelled; what the progress function threw
    void end(bool finished) {
        if (!finished || cancelled_) throw_cancelled();
        before_ += share_;
    }

    /// Tells how much of the whole is done beyond the steps that ended; false cancels.
    bool tell(double done) noexcept;

    /// The next tell() asks at once: the first piece of what comes from afar.
    void ask_soon() noexcept { last_ = {}; }

    [[noreturn]] void throw_cancelled() const;

private:
    using Clock = std::chrono::steady_clock;

    const Tick& function_;
    double before_ = 0;
    double share_ = 0;                       // of the current step
    Clock::time_point last_ = Clock::now();  // one clock for all steps: a call of many short ones must tell, too
    bool cancelled_ = false;
    std::exception_ptr failure_{};
};

}  // namespace merklize::runtime
