#pragma once

#include "backends/cpu/loops.hpp"
#include "jobs/jobs.hpp"

namespace merklize::cpu {

bool hash_each(const runtime::HashEach& job, const Workers& workers);

}  // namespace merklize::cpu
