// AVX-512 (VL) with vectors of 256 bits: 8 lanes of 32 bits, for at most 8 chunks or parents. Intel's processors start
// three instructions on such vectors a cycle, but two on vectors of 512 bits. few_items.cpp uses it.
#include <immintrin.h>

#include <cstring>

#include "backends/cpu/lanes.hpp"

namespace {

typedef std::uint32_t Lane32 __attribute__((vector_size(32)));
typedef unsigned long long Lane64 __attribute__((vector_size(32)));

#define LANES_INLINE static inline __attribute__((always_inline))

// As in lanes_avx512.cpp, because compilers would load the word before, and no register is left for it.
LANES_INLINE Lane32 add_from_memory(Lane32 a, const Lane32& b) {
    asm("vpaddd %1, %0, %0" : "+v"(a) : "m"(b));
    return a;
}

}  // namespace

#define MKZ_LANE32 Lane32
#define MKZ_SPLAT32(x) (Lane32{} + static_cast<std::uint32_t>(x))
#define MKZ_LANE64 Lane64
#define MKZ_SPLAT64(x) (Lane64{} + static_cast<unsigned long long>(x))
#define MKZ_LANE(type, v, j) ((v)[j])  // for code of the core that BLAKE3 does not use
#define MKZ_ADD32_3(a, b, c) (add_from_memory(a, b) + (c))
#define MKZ_BLAKE3_TOGETHER 1
#define MKZ_ROTR32(x, n) ((Lane32)_mm256_ror_epi32((__m256i)(x), (n)))
#include "merklize/core/names.h"

namespace {

constexpr std::size_t W32 = 8, W64 = 4;

#include "backends/cpu/lanes_256.inc"

}  // namespace

#define LANES_HASHES "merklize/core/hashes/blake3.h"
#define LANES_ISA "avx512"
#define LANES_TABLE lanes_avx512_narrow
#include "backends/cpu/lanes.inc"
