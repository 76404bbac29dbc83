#pragma once

#include <cstdint>
#include <span>

#include "backends/cpu/loops.hpp"
#include "jobs/jobs.hpp"

namespace merklize::cpu {

bool hash_each(const runtime::HashEach& job, const Workers& workers);

/// Hashes messages of at most 1 MiB side by side, by this thread alone; longer ones are left out.
/// out  as HashEach::out
void hash_together(std::span<const runtime::Extent> messages, const Mode& mode, bool below_root, std::uint8_t* out);

}  // namespace merklize::cpu
