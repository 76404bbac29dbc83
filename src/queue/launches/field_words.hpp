#pragma once

#include <cstdint>

#include "queue/device_call.hpp"

namespace merklize::runtime {

/// Sets *flag if a word of the matrix is not below the job's modulus. Its n rows are on the device.
void check_matrix(DeviceCall& call, const MatrixAt& matrix, const HashMatrices& job, std::uint64_t n, mkz_memory* flag);

/// Throws invalid_argument with the place of the first such word of the job's matrices. Slow, because the host looks
/// for it.
[[noreturn]] void refuse_words(DeviceCall& call, const HashMatrices& job);

}  // namespace merklize::runtime
