#pragma once

#include <atomic>

#include "jobs/progress.hpp"

namespace merklize::runtime {

/// Whether the work of this process has passed the point from which it cannot be undone. The command then takes no
/// signal that would end it, so that its exit code tells the truth.
inline constinit std::atomic<bool> past_cancelling{false};

/// Reports progress between pieces of work.  errors  cancelled; what the progress function threw
inline void require(Progress& progress, double done) {
    past_cancelling = false;
    if (!progress.tell(done)) progress.throw_cancelled();
}
/// The same, and asks the caller at once: before what cannot be undone.
inline void require_last(Progress& progress, double done) {
    progress.ask_soon();
    require(progress, done);
    past_cancelling = true;
}
/// A function for what may wait: it calls require(), and returns true.
inline auto waiting(Progress& progress) {
    return [&progress] {
        require(progress, 0);
        return true;
    };
}

}  // namespace merklize::runtime
