#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hashes/hash_info.hpp"
#include "merklize/digest.hpp"

namespace merklize::runtime {

/// Words of a field hash must be canonical: below its modulus. A hash of bytes takes any word, and these functions then
/// pass.

/// Index of the first of n words of 4 or 8 bytes, of any alignment, that is not below the modulus; n if there is none.
std::size_t first_not_below(std::uint64_t modulus, unsigned word_bytes, const void* words, std::size_t n) noexcept;

/// Index of the first of n words of the hash, of any alignment, that is not below its modulus; n if there is none.
std::size_t first_not_canonical(const mkz_hash_info& hash, const void* words, std::size_t n) noexcept;

/// Throws invalid_argument "<argument>: word <i> is <value>, ... below p = ..." if a word is not below the modulus.
/// first_index  added to the index in the text
void require_canonical(const mkz_hash_info& hash, const void* words, std::size_t n, const char* argument,
                       std::uint64_t first_index = 0);

/// The same for digests: node_words() words each.
/// first  added to the digest's index in the text, which counts words
void require_canonical(Hash hash, std::span<const Digest> digests, const char* argument, std::uint64_t first = 0);

/// Whether all words are canonical.
bool are_canonical(const mkz_hash_info& hash, std::span<const Digest> digests) noexcept;

}  // namespace merklize::runtime
