// Event, and the order of streams.
#include <atomic>
#include <string>

#include "host/invalid.hpp"
#include "jobs/internals.hpp"
#include "merklize/device.hpp"
#include "merklize/error.hpp"
#include "queue/handles.hpp"

namespace merklize::runtime {

EventState::~EventState() {
    for (Check& check : checks_)
        device_->flags().give(*device_, std::move(check.flag), is_captured_ ? nullptr : event_);
}

void EventState::require_reachable() const {
    device_->require_own_process();
    if (!is_captured_) return;
    invalid_call(
        "the event belongs to a captured call, which has not run; launch the graph and wait for the stream "
        "that it runs on");
}

void EventState::wait() const {
    const PublicCall entry("Event::wait");
    require_reachable();
    device_->check(device_->driver().event_wait(event_->get()));
    check();
}

bool EventState::query() const {
    const PublicCall entry("Event::query");
    require_reachable();
    std::uint32_t done = 0;
    device_->check(device_->driver().event_query(event_->get(), &done));
    if (done == 0) return false;
    check();
    return true;
}

void EventState::check() const {
    for (const Check& check : checks_) {
        const std::atomic_ref found(*check.flag.host);
        // Each launch of a graph clears the device's flag, so the host's copy is cleared here, too.
        if ((is_captured_ ? found.exchange(0) : found.load()) == 0) continue;
        throw Error(ErrorCode::invalid_argument, check.call == nullptr ? "" : check.call,
                    std::string(check.argument) + (*check.argument == 0 ? "" : ": ") +
                        "a word is not below the modulus of '" + check.hash->name + "', " +
                        std::to_string(check.hash->modulus) +
                        "; the call that waits tells which one, and results are undefined");
    }
}

bool is_capturing(const QueueDevice& device, mkz_stream* stream) {
    if (device.driver().stream_capturing == nullptr) return false;
    std::uint32_t capturing = 0;
    device.check(device.driver().stream_capturing(stream, &capturing));
    return capturing != 0;
}

}  // namespace merklize::runtime

namespace merklize::inline v0 {

using runtime::Internals;

const Device& Event::device() const noexcept { return state_->handle(); }
void Event::wait() const { state_->wait(); }
bool Event::query() const { return state_->query(); }
void Event::check() const { state_->check(); }
bool Event::is_captured() const noexcept { return state_->is_captured(); }

void* Event::native() const {
    state_->device().require_own_process();
    return state_->device().driver().event_native(state_->event());
}

Event Stream::record() const {
    runtime::QueueDevice& device = state_->device();
    device.require_own_process();
    const bool captured = is_capturing();
    auto event = std::make_shared<runtime::CommandEvent>(device);
    device.check(device.driver().event_record(state_->stream(), event->slot()));
    return Internals::event(
        std::make_shared<runtime::EventState>(device.shared_from_this(), state_->handle(), std::move(event), captured));
}

void Stream::wait(const Event& event) const {
    const PublicCall entry("Stream::wait");
    if (event.device() != device()) {
        invalid_call("the event must be of the stream's device, " + device().info().id + ", got one of " +
                     event.device().info().id);
    }
    runtime::QueueDevice& queue = state_->device();
    queue.require_own_process();
    queue.check(queue.driver().stream_wait(state_->stream(), Internals::of(event)->event()));
}

bool Stream::is_capturing() const { return runtime::is_capturing(state_->device(), state_->stream()); }

}  // namespace merklize::inline v0
