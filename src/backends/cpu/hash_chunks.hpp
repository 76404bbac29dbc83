#pragma once

#include <cstdint>
#include <vector>

#include "backends/cpu/loops.hpp"
#include "jobs/jobs.hpp"

namespace merklize::cpu {

bool hash_chunks(const runtime::HashChunks& job, const Workers& workers);

/// Merges n chaining values in place to the ceil(n / 2) values above them. As in BLAKE3, the last of an odd number
/// moves up unchanged.
/// returns  ceil(n / 2)
std::uint64_t one_level_up(std::uint8_t* values, std::uint64_t n, const Mode& mode);

/// The two values below the root of one message of more than a chunk.
/// values  [2, 32] bytes when it returns; working memory meanwhile
/// returns  false if tick cancelled
bool below_root(const std::uint8_t* message, std::uint64_t bytes, const Mode& mode, const Workers& workers,
                std::vector<std::uint8_t>& values);

/// The root above two values.
void hash_root(const std::uint8_t* values, const Mode& mode, std::uint8_t* out);

}  // namespace merklize::cpu
