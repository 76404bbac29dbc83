#pragma once

#include <cstddef>

#include "hashes/wipe.hpp"

namespace merklize::runtime {

/// Zeroes the stack below the caller: calls that have ended leave secrets there that did not fit into registers. A
/// thread of the pool would keep them as long as the process lives.
[[gnu::noinline]] inline void wipe_stack() noexcept {
    std::byte below[16384];
    wipe(below, sizeof below);
}

}  // namespace merklize::runtime
