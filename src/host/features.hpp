#pragma once

namespace merklize::runtime {

/// Instruction sets that this x86-64 processor has and the system lets processes use.
struct Features {
    bool avx2 = false;     ///< AVX2 and BMI2
    bool avx512 = false;   ///< AVX-512 F, VL, BW and DQ
    bool is_zen5 = false;  ///< AMD's family 1Ah, where an instruction on vectors takes two cycles
    bool sha = false;      ///< the SHA instructions, with SSE4.1 and SSSE3
};

/// Asked once; all false on other architectures.
Features cpu_features() noexcept;

}  // namespace merklize::runtime
