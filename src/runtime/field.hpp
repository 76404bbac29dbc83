#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace merklize::runtime {

/// Index of the first word that is not a canonical Goldilocks element (>= p), or words.size().
std::size_t first_not_canonical(std::span<const std::uint64_t> words) noexcept;

/// Throws invalid_argument "<what>: word <i> is <value>, not below p = ..." if a word is >= p.
/// first_index  added to the index in the text
void require_canonical(std::span<const std::uint64_t> words, const char* what, std::uint64_t first_index = 0);

}  // namespace merklize::runtime
