#pragma once

#include <cstdint>

#include "seams/backend.h"

namespace merklize::sycl_plugin {

/// Fills the fields of *tuning that are 0; see mkz_backend.
void tune(std::uint32_t device, mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, std::uint32_t threads,
          mkz_policy* policy) noexcept;

}  // namespace merklize::sycl_plugin
