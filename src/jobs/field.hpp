#pragma once

#include <cstddef>
#include <cstdint>

namespace merklize::runtime {

/// Index of the first of n words, of any alignment, that is not a canonical Goldilocks element (>= p), or n.
std::size_t first_not_canonical(const void* words, std::size_t n) noexcept;

/// Throws invalid_argument "<what>: word <i> is <value>, not below p = ..." if a word is >= p.
/// first_index  added to the index in the text
void require_canonical(const void* words, std::size_t n, const char* what, std::uint64_t first_index = 0);

}  // namespace merklize::runtime
