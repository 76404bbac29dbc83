#pragma once

#include <cstdint>
#include <span>

#include "hashes/given.hpp"
#include "hashes/hash_info.h"
#include "merklize/hash.hpp"

namespace merklize::runtime {

/// The facts of a hash.
/// errors  invalid_argument (no such hash)
const mkz_hash_info& info(Hash hash);

/// The same without an error: null for an unknown hash.
inline const mkz_hash_info* find_info(Hash hash) noexcept {
    if (const GivenHash* given = find_given(hash)) return &given->info;
    return mkz_find_hash(static_cast<std::uint32_t>(hash));
}

/// Whether hashes() lists the hash: it is known, and no part of others. Files, proofs and callers may name only such
/// hashes.
inline bool is_listed(Hash hash) noexcept {
    const mkz_hash_info* facts = find_info(hash);
    return facts != nullptr && facts->is_part == 0;
}

/// Whether words are field elements, which must be below the modulus. For other hashes any bytes are digests.
inline bool is_field(const mkz_hash_info& hash) noexcept { return hash.modulus != 0; }

/// Words of a node: 4 or 8.
inline unsigned node_words(const mkz_hash_info& hash) noexcept { return 256 / hash.word_bits; }

/// The constants that kernels may read from memory: table_words words of 64 bits. Hashes may share a beginning.
std::span<const std::uint64_t> constants_of(Hash hash);

/// The unit that computes a hash: its id, and the constants that were given to the hash, or null.
struct UnitOf {
    explicit UnitOf(Hash hash) noexcept : unit(static_cast<std::uint32_t>(hash)) {
        if (const GivenHash* given = find_given(hash)) {
            unit = given->info.unit;
            table = given->table.data();
        }
    }

    std::uint32_t unit;
    const std::uint64_t* table = nullptr;
};

}  // namespace merklize::runtime
