#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "host/threads.hpp"
#include "jobs/jobs.hpp"
#include "jobs/wipe_stack.hpp"

namespace merklize::cpu {

/// All places of the CPU are on the host.
inline std::uint8_t* at(const runtime::Place& place) {
    return static_cast<std::uint8_t*>(place.pointer) + place.offset;
}

/// The threads that run a job's loops, and the tick that can cancel them.
struct Workers {
    const runtime::ThreadCount& threads;
    const runtime::Tick& tick;
    bool has_secret = false;  ///< the job has: it stays on the stack of no thread but the caller's

    /// The same for a part of the job.
    Workers with(const runtime::Tick& tick_of_part) const { return {threads, tick_of_part, has_secret}; }
};

/// Runs a loop over items in pieces of `per_piece`: body(first, count). `item` is one item.
/// returns  false if tick cancelled
template <class Body>
bool in_pieces(const Workers& workers, std::uint64_t n, std::uint64_t per_piece, Body body,
               const runtime::Item& item = {}) {
    const std::uint64_t pieces = (n + per_piece - 1) / per_piece;
    const auto run = [&](std::size_t piece) {
        const std::uint64_t first = piece * per_piece;
        body(first, std::min(per_piece, n - first));
        if (workers.has_secret && pieces > 1) runtime::wipe_stack();
    };
    // By reference, so that a small loop allocates nothing.
    return runtime::parallel_for(pieces, workers.threads, std::ref(run), workers.tick,
                                 {item.pace, item.units * per_piece});
}

/// The size of pieces: `most` if each thread gets several of them, else less, but a multiple of `least`, which fills
/// the lanes. Several, so that a thread that comes late or is slower does not keep the others waiting.
inline std::uint64_t piece_of(const Workers& workers, std::uint64_t n, std::uint64_t least, std::uint64_t most) {
    if (n <= least) return least;
    const unsigned threads = workers.threads.count();
    if (threads == 1) return most;
    constexpr std::uint64_t pieces_per_thread = 4;
    const std::uint64_t fair = n / (pieces_per_thread * threads);
    return std::clamp(fair / least * least, least, most);
}

}  // namespace merklize::cpu
