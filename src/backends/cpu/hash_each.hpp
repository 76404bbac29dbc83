#pragma once

#include <cstdint>
#include <span>

#include "backends/cpu/loops.hpp"
#include "jobs/jobs.hpp"

namespace merklize::cpu {

bool hash_each(const runtime::HashEach& job, const Workers& workers);

/// Messages of at most 1 MiB by this thread alone, side by side; longer ones are left out.
/// out  as HashEach's
void hash_together(std::span<const runtime::Extent> messages, const Mode& mode, bool below_root, std::uint8_t* out);

}  // namespace merklize::cpu
