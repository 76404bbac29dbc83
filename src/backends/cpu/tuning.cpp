#include "backends/cpu/tuning.hpp"

#include "backends/tuning.hpp"

namespace merklize::cpu {

void tune(std::uint32_t, mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, std::uint32_t threads,
          mkz_policy* policy) noexcept {
    backends::tune_cpu(kernel, hash, n, threads, policy);
}

}  // namespace merklize::cpu
