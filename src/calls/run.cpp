#include "calls/run.hpp"

#include <atomic>
#include <string>
#include <thread>

#include "calls/side_by_side.hpp"
#include "host/invalid.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {

Run::Run(const RunOptions& options, Ending ending)
    : options_(options), ending_(ending), host_(options.threads), progress_(options.progress) {
    require_valid(options.policy);
    if (options.timings != nullptr) *options.timings = Timings{};
    if (options.stream && device().is_host()) {
        invalid("options.stream must be of the call's device, " + device().info.id + ", got one of " +
                options.stream->device().info().id);
    }
    if (!device().parts.empty()) {
        several_ = std::make_unique<SideBySide>(options, threads());
        executor_ = several_.get();
    } else if (!device().is_host()) {
        device_call_ = std::make_unique<DeviceCall>(device().opened(), options, threads(), ending);
        executor_ = device_call_.get();
    }
}

DeviceCall& Run::on_device() {
    if (!device_call_) throw Error(ErrorCode::internal, device().info.id + " has no memory of its own");
    return *device_call_;
}

void Run::parallel(std::size_t n, const std::function<void(std::size_t)>& body, double share) {
    progress_.end(parallel_for(n, host_.threads(), body, progress_.begin(share)));
}

void Run::parallel_calls(std::size_t n, const std::function<void(std::size_t, const RunOptions&)>& body) {
    RunOptions alone = by_one_thread(options_);
    const Tick whole = progress_.begin(1);
    const auto caller = std::this_thread::get_id();
    std::atomic<bool> stopped = false;
    double share_done = 0;  // of the calling thread
    const Tick ask = [&](double done) {
        share_done = done;
        if (!whole(done)) stopped = true;
        return !stopped;
    };
    if (whole) {
        alone.progress = [&](double) { return !stopped && (std::this_thread::get_id() != caller || ask(share_done)); };
    }
    const auto call = [&](std::size_t i) {
        try {
            body(i, alone);
        } catch (const Error&) {
            if (!stopped) throw;  // else end() tells why
        }
    };
    progress_.end(parallel_for(n, host_.threads(), call, whole ? ask : Tick()) && !stopped);
}

RunOptions on_device_of(const ConstBuffer& buffer, const RunOptions& options) {
    RunOptions here = options;
    here.device = buffer.device();
    return here;
}

void require_no_timings(const RunOptions& options) {
    if (options.timings == nullptr) return;
    invalid_call("timings", "must not be set: its work is many calls, which are not timed");
}

void require_no_policy(const RunOptions& options) {
    if (options.policy == Policy{}) return;
    invalid_call("policy", "must not be set: the tree keeps the policy that it was built with, got '" +
                               to_text(options.policy) + "'");
}

void require_same_device(const ConstBuffer& one, const ConstBuffer& other) {
    if (one.device() == other.device()) return;
    invalid_call("operands must be on one device, got " + one.device().info().id + " and " + other.device().info().id);
}

}  // namespace merklize::runtime
