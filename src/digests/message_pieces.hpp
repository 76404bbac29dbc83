#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "calls/run.hpp"
#include "hashes/message.hpp"

namespace merklize::runtime {

/// Appends bytes piece by piece, because slow hashes take seconds for some MiB, and reports progress between them.
/// share   of the whole call
/// errors  cancelled; what the progress function threw
inline void append(Message& message, std::span<const std::byte> data, Run& run, double share) {
    constexpr std::size_t piece = 64 << 10;
    const Tick tick = run.progress().begin(share);
    bool goes_on = true;
    for (std::size_t done = 0; goes_on && done < data.size();) {
        const auto part = data.subspan(done, std::min(piece, data.size() - done));
        message.update(part);
        done += part.size();
        goes_on = !tick || tick(static_cast<double>(done) / static_cast<double>(data.size()));
    }
    run.progress().end(goes_on);
}

}  // namespace merklize::runtime
