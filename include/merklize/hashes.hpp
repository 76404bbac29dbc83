#pragma once

#include <cstdint>

#include <merklize/cxx20.h>

namespace merklize::inline v0 {

/// A 2-to-1 hash of Merkle trees. The numbers are stored in proof and tree files. docs/hashes.md defines each one.
enum class Hash : std::uint8_t {
#define MKZ_HASH(id, name) name = id,
#include <merklize/core/hashes.h>
    rp64_256 = rp64_256_v3,  ///< today's Winterfell
};

}  // namespace merklize::inline v0
