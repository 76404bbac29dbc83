#pragma once

#include "jobs/progress.hpp"

namespace merklize::runtime {

/// Reports progress between pieces of work.  errors  cancelled; what the progress function threw
inline void require(Progress& progress, double done) {
    if (!progress.tell(done)) progress.throw_cancelled();
}
/// The same, and asks the caller at once: before what cannot be undone.
inline void require_last(Progress& progress, double done) {
    progress.ask_soon();
    require(progress, done);
}
/// A function for what may wait: it calls require(), and returns true.
inline auto waiting(Progress& progress) {
    return [&progress] {
        require(progress, 0);
        return true;
    };
}

}  // namespace merklize::runtime
