#pragma once

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>

#include "merklize/device.hpp"
#include "merklize/error.hpp"
#include "runtime/backend.h"
#include "runtime/registry.hpp"
#include "runtime/threads.hpp"

namespace merklize::runtime {

/// One call of the public API while it runs: its options, and where its launches stand in the whole for the caller's progress
/// function. An exception of that function cancels the work and is thrown on from here.
class Run {
public:
    explicit Run(const RunOptions& options) : options_(options), state_(options.device.state()) {}

    unsigned threads() const { return options_.threads == 0 ? default_threads() : options_.threads; }

    /// Runs one kernel with its arguments struct; `share` of the whole call is done by it.
    template <class Arguments>
    void launch(mkz_kernel kernel, const Arguments& arguments, double share = 0) {
        launch_threads(kernel, arguments, threads(), share);
    }

    /// The same on the calling thread alone and without progress: for pieces inside a parallel loop. Safe from any thread.
    template <class Arguments>
    void launch_here(mkz_kernel kernel, const Arguments& arguments) const {
        const mkz_run run = {1, nullptr, nullptr};
        check(state_.backend->launch(state_.index, kernel, &arguments, &run));
    }

    /// parallel_for with this call's threads and progress.
    void parallel(std::size_t n, const std::function<void(std::size_t)>& body, double share = 1) {
        const Tick tick =
            options_.progress ? Tick([this, share](double done) { return this->tick(done * share); }) : Tick();
        const bool finished = parallel_for(n, threads(), body, tick);
        if (failure_) std::rethrow_exception(failure_);
        if (!finished) throw_cancelled();
        before_ += share;
    }

    /// Tells the caller where the work stands, 0 to 1 of this step; false cancels. Only from the calling thread; never throws.
    bool tick(double done) noexcept {
        // One clock for all launches of the call: a file in many short ones must tick, too.
        const auto now = Clock::now();
        if (!options_.progress || now - last_tick_ < tick_interval) return true;
        last_tick_ = now;
        try {
            return options_.progress(std::min(1.0, before_ + done));
        } catch (...) {
            failure_ = std::current_exception();
            return false;
        }
    }

    [[noreturn]] void throw_cancelled() {
        if (failure_) std::rethrow_exception(failure_);
        throw Error(ErrorCode::cancelled, "cancelled by the caller's progress function");
    }

    void check(mkz_status status) const {
        if (status != MKZ_OK) throw Error(static_cast<ErrorCode>(status), state_.backend->last_error());
    }

    const DeviceState& device() const { return state_; }
    const RunOptions& options() const { return options_; }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr auto tick_interval = std::chrono::milliseconds(50);

    template <class Arguments>
    void launch_threads(mkz_kernel kernel, const Arguments& arguments, unsigned threads, double share) {
        struct Context {
            Run& run;
            double share;
        } context{*this, share};
        const auto call = [](void* c, double done) {
            Context& context = *static_cast<Context*>(c);
            return context.run.tick(done * context.share) ? 0 : 1;
        };
        const mkz_run run = {threads, options_.progress ? +call : nullptr, &context};
        const mkz_status status = state_.backend->launch(state_.index, kernel, &arguments, &run);
        if (failure_) std::rethrow_exception(failure_);
        check(status);
        before_ += share;
    }

    const RunOptions& options_;
    const DeviceState& state_;
    double before_ = 0;
    Clock::time_point last_tick_ = Clock::now();
    std::exception_ptr failure_{};
};

}  // namespace merklize::runtime
