// One word a lane: the core as it is. Every other instruction set is checked against it.
#include <cstring>

#include "backends/cpu/lanes.hpp"
#include "merklize/core/names.h"

namespace {

constexpr std::size_t W32 = 1, W64 = 1;

inline void load_block(mkz_lane32 m[16], const std::uint8_t* const p[W32]) { std::memcpy(m, p[0], 64); }

inline void store_digests(std::uint8_t* out, const mkz_lane32 cv[8]) { std::memcpy(out, cv, 32); }

}  // namespace

#define LANES_ISA "scalar"
#define LANES_TABLE LANES_OF_FAMILY(lanes_scalar_)
#include "backends/cpu/lanes.inc"
