#include "host/features.hpp"

#if defined(__x86_64__)
#include <cpuid.h>

#include <cstdint>
#endif

namespace merklize::runtime {

#if defined(__x86_64__)
namespace {

// The registers that the system saves for a process (XCR0). Without its bits the vector instructions trap.
std::uint64_t saved_registers() noexcept {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (std::uint64_t{high} << 32) | low;
}

constexpr bool has(std::uint32_t word, unsigned bit) noexcept { return ((word >> bit) & 1) != 0; }

// Asks the CPUID instruction and not __builtin_cpu_supports, which is always false in some run-time libraries (Zig's).
// The bits are in Intel's Software Developer's Manual, volume 2, CPUID.
Features ask() noexcept {
    Features found;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid(0, &a, &b, &c, &d) == 0) return found;
    const bool is_amd = b == 0x68747541 && d == 0x69746e65 && c == 0x444d4163;  // "AuthenticAMD"
    if (__get_cpuid(1, &a, &b, &c, &d) == 0) return found;
    found.is_zen5 = is_amd && (a >> 8 & 0xf) + (a >> 20 & 0xff) == 0x1a;
    const bool ssse3 = has(c, 9);
    const bool sse41 = has(c, 19);
    const std::uint64_t saved = has(c, 27) ? saved_registers() : 0;  // OSXSAVE: the system allows xgetbv
    const bool saves_ymm = (saved & 0x06) == 0x06;
    const bool saves_zmm = (saved & 0xe6) == 0xe6;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return found;
    found.avx2 = saves_ymm && has(b, 5) && has(b, 8);
    found.avx512 = saves_zmm && has(b, 16) && has(b, 17) && has(b, 30) && has(b, 31) && found.avx2;
    found.sha = has(b, 29) && sse41 && ssse3;
    return found;
}

}  // namespace

Features cpu_features() noexcept {
    static const Features found = ask();  // once, because in a virtual machine each CPUID is a call of the host
    return found;
}
#else
Features cpu_features() noexcept { return {}; }
#endif

}  // namespace merklize::runtime
