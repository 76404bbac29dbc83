#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <string>

#include "host/threads.hpp"
#include "jobs/backend.h"
#include "jobs/policy.hpp"
#include "jobs/registry.hpp"
#include "jobs/side_by_side.hpp"
#include "merklize/buffer.hpp"
#include "merklize/device.hpp"
#include "merklize/error.hpp"
#include "queue/session.hpp"

namespace merklize::runtime {

/// How long progress functions are not asked again. Tests that cancel set it to nothing, so that no machine is too fast for them.
inline constinit std::atomic<int> tick_milliseconds{50};

/// One call of the public API while it runs: its options, and where its launches stand in the whole for the caller's progress
/// function. An exception of that function cancels the work and is thrown on from here.
class Run {
public:
    explicit Run(const RunOptions& options) : options_(options), state_(options.device.state()) {
        require_valid(options.policy);
        if (options.timings != nullptr) *options.timings = Timings{};
        if (!state_.is_host()) {
            session_ = std::make_unique<Session>(state_.queue_device(), options, threads());
        } else if (options.stream) {
            throw Error(ErrorCode::invalid_argument, "the stream is of " + options.stream->device().info().id +
                                                         ", the call is for " + state_.info.id);
        }
    }

    /// Whether launches run on the CPU. Else there is a session; but not for several devices, whose launches are on host memory.
    bool on_host() const { return !session_ && state_.parts.empty(); }
    Session& session() { return *session_; }
    /// Waits for what is enqueued on a device.
    void finish() {
        if (session_) session_->finish();
    }

    /// After an error: waits for what is still running on a device, whose memory somebody is about to use.
    void abandon() noexcept {
        if (session_) session_->abandon();
    }

    unsigned threads() const { return options_.threads == 0 ? default_threads() : options_.threads; }

    /// Runs one kernel with its arguments struct; `share` of the whole call is done by it.
    template <class Arguments>
    void launch(mkz_kernel kernel, const Arguments& arguments, double share = 0) {
        if (on_host()) return launch_threads(kernel, arguments, threads(), share);
        const auto ask = [&](double done) { return tick(done * share); };
        const Tick asking = options_.progress ? Tick(ask) : Tick();
        const bool finished = session_ ? session_->launch(kernel, &arguments, asking)
                                       : launch_side_by_side(kernel, &arguments, options_, threads(), asking);
        if (!finished) throw_cancelled();
        before_ += share;
    }

    /// On the CPU, whatever the call's device: the ends of its work that are on host memory. Asks the progress function.
    template <class Arguments>
    void launch_on_host(mkz_kernel kernel, const Arguments& arguments, unsigned threads) {
        launch_threads(kernel, arguments, threads, 0);
    }

    /// On the CPU, on the calling thread alone and without progress: for pieces inside a parallel loop. Safe from any thread.
    template <class Arguments>
    void launch_here(mkz_kernel kernel, const Arguments& arguments) const {
        const mkz_run run = {1, nullptr, nullptr};
        check_host(host_backend().launch(0, kernel, &arguments, &run));
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
        if (!options_.progress ||
            now - last_tick_ < std::chrono::milliseconds(tick_milliseconds.load(std::memory_order_relaxed)))
            return true;
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

    const DeviceState& device() const { return state_; }
    const RunOptions& options() const { return options_; }

private:
    static void check_host(mkz_status status) {
        if (status != MKZ_OK) throw Error(static_cast<ErrorCode>(status), host_backend().last_error());
    }

    using Clock = std::chrono::steady_clock;

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
        const mkz_status status = host_backend().launch(0, kernel, &arguments, &run);
        if (failure_) std::rethrow_exception(failure_);
        check_host(status);
        before_ += share;
    }

    const RunOptions& options_;
    const DeviceState& state_;
    std::unique_ptr<Session> session_{};
    double before_ = 0;
    Clock::time_point last_tick_ = Clock::now();
    std::exception_ptr failure_{};
};

/// Where host bytes lie, for a launch.
inline mkz_place host_place(const void* bytes) { return {const_cast<void*>(bytes), 0, 0}; }

/// The options of a call on a buffer: on its device.
inline RunOptions on_device_of(const Buffer& buffer, const RunOptions& options) {
    RunOptions here = options;
    here.device = buffer.device();
    return here;
}

/// Where a buffer's bytes lie, for a launch on its device.
inline mkz_place place_of(const Buffer& buffer) { return buffer.block()->at(buffer.offset()); }

/// Throws invalid_argument if two operands are on different devices.
inline void require_same_device(const char* what, const Buffer& one, const Buffer& other) {
    if (&one.device().state() == &other.device().state()) return;
    throw Error(ErrorCode::invalid_argument, std::string(what) + ": operands on different devices: " +
                                                 one.device().info().id + " and " + other.device().info().id);
}

}  // namespace merklize::runtime
