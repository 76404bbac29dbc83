#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "merklize/core/kernels/constraints.h"
#include "merklize/core/only.h"
#include "seams/backend.h"
#include "seams/driver.h"

namespace merklize::runtime {

/// Programs as data: what can be compiled, and its text. Needs no device.

/// A kernel body of core/entry.h.
struct Body {
    const char* name;
    std::uint32_t only;               // its bit of MKZ_ONLY; 0 for the bodies of kernels/data.h
    std::uint32_t largest_group = 0;  // limits groups that the caller left open; 0: the policy decides

    /// The group size for a caller who asked for none.
    std::uint32_t group_of(std::uint32_t by_policy) const noexcept {
        return largest_group == 0 || by_policy < largest_group ? by_policy : largest_group;
    }
};

namespace bodies {

inline constexpr Body merge_level{"mkz_merge_level", MKZ_ONLY_MERGE_LEVEL},
    merge_pairs{"mkz_merge_pairs", MKZ_ONLY_MERGE_PAIRS}, merge_subtree{"mkz_merge_subtree", MKZ_ONLY_MERGE_SUBTREE},
    hash_rows{"mkz_hash_rows", MKZ_ONLY_HASH_ROWS}, hash_chunks{"mkz_hash_chunks", MKZ_ONLY_HASH_CHUNKS},
    hash_parents{"mkz_hash_parents", MKZ_ONLY_HASH_PARENTS}, merge_at{"mkz_merge_at", MKZ_ONLY_MERGE_AT},
    merge_edge{"mkz_merge_edge", MKZ_ONLY_MERGE_EDGE}, hash_each{"mkz_hash_each", MKZ_ONLY_HASH_EACH},
    hash_each_parents{"mkz_hash_each_parents", MKZ_ONLY_HASH_EACH},
    hash_each_tower{"mkz_hash_each_tower", MKZ_ONLY_HASH_EACH},
    // An item copies four nodes and makes three, so small groups end more evenly (docs/notes/gpu-trees.md).
    merge_keep{"mkz_merge_keep", MKZ_ONLY_MERGE_KEEP, 128}, gather_nodes{"mkz_gather_nodes", 0},
    scatter_nodes{"mkz_scatter_nodes", 0}, order_parents{"mkz_order_parents", 0},
    gather_strided{"mkz_gather_strided", 0}, check_words32{"mkz_check_words32", 0},
    check_words64{"mkz_check_words64", 0}, pack_matrix{"mkz_pack_matrix", 0}, check_matrix{"mkz_check_matrix", 0},
    extend32{"mkz_extend32", MKZ_ONLY_EXTEND, 128}, extend64{"mkz_extend64", MKZ_ONLY_EXTEND, 128},
    weighted_sums32{"mkz_weighted_sums32", MKZ_ONLY_SUMS, 128},
    weighted_sums64{"mkz_weighted_sums64", MKZ_ONLY_SUMS, 128},
    constraint_cells32{"mkz_constraint_cells32", MKZ_ONLY_CONSTRAINTS},
    constraint_cells64{"mkz_constraint_cells64", MKZ_ONLY_CONSTRAINTS},
    constraints32{"mkz_constraints32", MKZ_ONLY_CONSTRAINTS}, constraints64{"mkz_constraints64", MKZ_ONLY_CONSTRAINTS},
    hash_tiles{"mkz_hash_tiles", MKZ_ONLY_TILES}, merge_rows{"mkz_merge_rows", MKZ_ONLY_TILES},
    // A path's few leaves go to many units; and registers, not groups, limit what is resident.
    xmss_leaves{"mkz_xmss_leaves", MKZ_ONLY_XMSS, 32}, xmss_level{"mkz_xmss_level", MKZ_ONLY_XMSS, 32};

}  // namespace bodies

/// The values of the core's macros that a program is compiled with. 0 means the core's own default. A program has one
/// body of one hash, or all bodies without a hash.
struct Variant {
    static constexpr std::uint32_t no_hash = ~0u;

    std::uint32_t hash = no_hash;  // the id of a unit
    std::uint32_t only = 0;        // Body::only
    mkz_policy policy{};           // fields of part `launch` are 0
    std::uint32_t align = 16;      // MKZ_ALIGN
    std::uint32_t keyed = 0;       // MKZ_KEYED

    auto operator<=>(const Variant&) const = default;
};

/// A policy with nothing but this group size.
constexpr mkz_policy group_of(std::uint32_t items) {
    mkz_policy policy{};
    policy.group_size = items;
    return policy;
}

/// The variant of kernels that need no hash.
constexpr Variant data_variant(std::uint32_t align = 16) { return {.policy = group_of(256), .align = align}; }

/// The variant of the kernels of constraints, of programs with so many slots.
constexpr Variant constraint_variant(std::uint32_t slots) {
    Variant variant = data_variant();
    variant.policy = group_of(MKZ_CONSTRAINT_TILE / (slots <= 16 ? 16 : slots <= 32 ? 32 : MKZ_CONSTRAINT_SLOTS));
    variant.policy.lanes = MKZ_CONSTRAINT_LANES;
    return variant;
}

/// The variant that a launch of a hash with this policy needs. Places must be aligned.
/// unit  the hash's unit (mkz_hash_info)
Variant variant_of(std::uint32_t unit, const mkz_policy& policy);

/// The name of a body's entry point in a variant's program.
std::string entry_name(const Variant& variant, const Body& body);

/// The compiler of a program, as far as the text depends on it.
struct Target {
    mkz_language language;
    bool is_nvidia = false;  ///< the compiler takes inline PTX; CUDA's always does
    bool is_cpu = false;
};

/// The macros of a variant's program, and their values.
std::vector<std::pair<std::string, std::string>> macros_of(const Variant& variant, const Target& target);

/// The text of a variant's program, with the macros in front.
std::string text_of(const Variant& variant, const Target& target);

/// The compiler's options for a variant's program.
std::string options_of(const Variant& variant, const Target& target);

}  // namespace merklize::runtime
