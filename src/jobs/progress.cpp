#include "jobs/progress.hpp"

#include <algorithm>

#include "merklize/error.hpp"

namespace merklize::runtime {

Tick part_of(const Tick& whole, double before, double share) {
    if (!whole) return {};
    return [&whole, before, share](double done) { return whole(before + share * done); };
}

RunOptions part_of(const RunOptions& options, double before, double share, Timings* timings) {
    RunOptions part = options;
    part.progress = part_of(options.progress, before, share);
    part.timings = timings;
    return part;
}

void add(Timings& sum, const Timings& part) {
    sum.available = sum.available && part.available;
    sum.kernel += part.kernel;
    sum.to_device += part.to_device;
    sum.to_host += part.to_host;
}

bool Progress::tell(double done) noexcept {
    if (cancelled_) return false;
    if (!function_) return true;
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(tick_milliseconds.load(std::memory_order_relaxed))) return true;
    last_ = now;
    try {
        cancelled_ = !function_(std::min(1.0, before_ + done));
    } catch (...) {
        failure_ = std::current_exception();
        cancelled_ = true;
    }
    return !cancelled_;
}

void Progress::throw_cancelled() const {
    if (failure_) std::rethrow_exception(failure_);
    throw Error(ErrorCode::cancelled, "cancelled by the caller's progress function");
}

}  // namespace merklize::runtime
