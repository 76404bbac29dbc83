#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hashes/hash_info.h"
#include "merklize/hash.hpp"

namespace merklize::runtime {

/// Hashes made of a caller's constants. Each has an id from first_given on, which holds in this process alone. Files
/// and proofs store named_by_digest in place of the id, and the digest of the constants. A hash is never removed, so
/// references to it stay valid.

inline constexpr std::uint8_t first_given = 128;
inline constexpr std::uint8_t named_by_digest = 255;
inline constexpr std::size_t most_given = named_by_digest - first_given;

struct GivenHash {
    mkz_hash_info info{};  ///< facts of its unit, except id, name, rate, table_words, quad_hash and is_part
    HashTraits traits{};
    std::string name{};  ///< "family:" and the digest in hexadecimal
    Digest digest{};     ///< of the constants
    std::vector<std::uint64_t> table{};
};

/// Adds a hash of the unit with this id, or returns the one that has these constants already.
/// family  the name in front of the digest: "poseidon2" or "poseidon"
/// table   as the unit reads it; its first word is the rate. If the rate is the whole state, the hash is a part: a
///         merge of four
/// quad    such a part, or null
/// errors  invalid_argument (most_given hashes were made before; the digest begins as another hash's)
const GivenHash& add_given(std::uint32_t unit, std::string_view family, const Digest& digest,
                           std::vector<std::uint64_t> table, const GivenHash* quad = nullptr);

/// The hash with this id; null for any other id.
const GivenHash* find_given(Hash hash) noexcept;

/// The hash (no part) with this name; or with this digest; or whose digest begins with these bytes (little endian).
/// Null if there is none.
const GivenHash* given_by_name(std::string_view name) noexcept;
const GivenHash* given_by_digest(const Digest& digest) noexcept;
const GivenHash* given_by_start(std::uint64_t start) noexcept;

/// Why a hash that is named by this digest, or by its start, is unknown. No digest says its family.
std::string unknown_constants(std::string_view digest);

/// The first 8 bytes of a digest, little endian.
std::uint64_t start_of(const Digest& digest) noexcept;

}  // namespace merklize::runtime
