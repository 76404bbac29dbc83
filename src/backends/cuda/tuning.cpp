#include "backends/cuda/tuning.hpp"

#include "backends/tuning.hpp"

namespace merklize::cuda {

void tune(std::uint32_t, mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, std::uint32_t,
          mkz_policy* policy) noexcept {
    backends::tune(backends::DeviceClass::nvidia_gpu, kernel, hash, n, 0, policy);
}

}  // namespace merklize::cuda
