#include "backends/cuda/tuning.hpp"

#include "backends/nvidia.hpp"

namespace merklize::cuda {

void tune(std::uint32_t, mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, std::uint32_t,
          mkz_policy* policy) noexcept {
    nvidia::tune(kernel, hash, n, policy);
}

}  // namespace merklize::cuda
