#pragma once

#include <cstddef>
#include <span>

#include "merklize/digest.hpp"

namespace merklize::runtime {

/// BLAKE3 of some bytes, by the calling thread and one chunk after another: for the names and checks of files, which must not need a
/// device or a pool of threads.
/// key  null, or the key of the keyed mode
Digest blake3_digest(std::span<const std::byte> data, const Digest* key = nullptr);

}  // namespace merklize::runtime
