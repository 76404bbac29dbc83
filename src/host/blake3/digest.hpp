#pragma once

#include <cstddef>
#include <span>

#include "merklize/digest.hpp"

namespace merklize::runtime {

/// BLAKE3 of some bytes, on the calling thread, one chunk after another. For the names and checksums of files, which
/// must not need a device or a pool of threads.
/// key  null, or the key of the keyed mode
Digest blake3_digest(std::span<const std::byte> data, const Digest* key = nullptr);

}  // namespace merklize::runtime
