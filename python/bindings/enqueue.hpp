#pragma once

#include <cstdint>
#include <optional>

#include <merklize/merklize.hpp>

#include "device_array.hpp"
#include "run.hpp"
#include "settings.hpp"

namespace merklize::binding {

/// A call with wait=False, and the stream on which it is ordered. All operands are on one device.
class Enqueued {
public:
    /// errors  InvalidArgument: timings, which need a call that waits
    explicit Enqueued(const Settings& settings) : settings_(settings) {}

    /// An operand. The stream waits for enqueued work that writes it.
    /// errors  InvalidArgument (on the host; on another device than the operands before)
    DeviceArray& operand(nb::handle array, const char* name);
    /// Runs call(stream) -> Event, which writes `out`.
    template <class Call>
    void operator()(DeviceArray& out, Call&& call) {
        std::optional<Event> done;
        Run::without_gil([&] { done.emplace(call(*stream_)); });
        out.pending = Pending{std::move(*done), *stream_, handle_};
    }

private:
    const Settings& settings_;
    std::optional<Stream> stream_{};
    std::uint64_t handle_ = 0;
};

}  // namespace merklize::binding
