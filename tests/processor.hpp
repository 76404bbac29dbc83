#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

// The instruction sets of the processor as the kernel reports them, without code of the library.
namespace processor {

/// True if the first "flags" line of /proc/cpuinfo has all of `flags`, separated by spaces.
inline bool has_flags(std::string_view flags) {
    std::ifstream file("/proc/cpuinfo");
    std::string line;
    while (std::getline(file, line)) {
        if (line.rfind("flags", 0) != 0) continue;
        line += ' ';
        std::istringstream wanted{std::string(flags)};
        for (std::string flag; wanted >> flag;) {
            if (line.find(' ' + flag + ' ') == line.npos) return false;
        }
        return true;
    }
    return false;
}

inline bool has(std::string_view isa) {
    if (isa == "scalar") return true;
#if defined(__x86_64__)
    if (isa == "avx2") return has_flags("avx2 bmi2");
    if (isa == "avx512") return has_flags("avx512f avx512vl avx512bw avx512dq bmi2");
#elif defined(__aarch64__)
    if (isa == "neon") return true;
#endif
    return false;
}

/// The instruction set that a run without MERKLIZE_CPU_ISA must use.
inline const char* widest() {
    for (const char* isa : {"avx512", "avx2", "neon"}) {
        if (has(isa)) return isa;
    }
    return "scalar";
}

}  // namespace processor
