#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <merklize/hashes.hpp>
#include <merklize/policy.hpp>
#include <merklize/sycl/cores.hpp>

namespace merklize::sycl::detail {

template <Hash hash>
constexpr bool find_is_field() {
#define MKZ_HASH(id, name, prefix, lane, kind) \
    if (hash == Hash::name) return std::string_view(#kind) == "field";
#include <merklize/hashes.def>
    return false;
}
template <Hash hash>
inline constexpr bool is_field = find_is_field<hash>();

/// The word of a hash's nodes: 8 of 32 bits or 4 of 64.
template <bool field>
struct WordOf {
    using type = std::uint32_t;
};
template <>
struct WordOf<true> {
    using type = std::uint64_t;
};

/// Where the kernels of this file read the constants of Rescue Prime, as MKZ_CONSTANTS; `tuned` is the program's table.
constexpr int core_constants(Constants constants) {
    return constants == Constants::literal                                   ? 1
           : constants == Constants::global || constants == Constants::local ? 3
                                                                             : 2;
}

/// The constants as one table (rescue_prime.h): round constants, then the dense MDS.
using Tables = Core<1, 2>;
inline constexpr std::uint32_t round_words = 2 * 7 * 12, table_words = round_words + 12 * 12 * 6 / 2;
inline std::uint64_t table_word(std::uint32_t i) {
    if (i < round_words) return Tables::MKZ_RP_ARK[i];
    const std::uint32_t limb = 2 * (i - round_words);
    return Tables::MKZ_RP_MDS_DENSE[limb] | std::uint64_t{Tables::MKZ_RP_MDS_DENSE[limb + 1]} << 32;
}

/// What every kernel has: which groups of the job this launch does, since one launch holds less than 2^31 items.
struct Part {
    std::uint64_t first_group = 0;

    WorkItem item(const ::sycl::nd_item<1>& here) const {
        const auto rank = static_cast<std::uint32_t>(here.get_local_id(0));
        const auto size = static_cast<std::uint32_t>(here.get_local_range(0));
        const std::uint64_t group = first_group + here.get_group(0);
        return {.index = group * size + rank, .group = group, .rank = rank, .group_size = size, .here = &here};
    }
};

/// Local memory of a group: the bodies' tower, then the table, where it is there.
template <class C, Constants constants, bool field>
struct Local {
    static constexpr bool holds_table = field && constants == Constants::local;

    static std::uint64_t words(std::uint32_t group_size, bool with_tower) {
        return tower_words(group_size, with_tower) + (holds_table ? table_words : 0);
    }
    static std::uint64_t tower_words(std::uint32_t group_size, bool with_tower) {
        return with_tower ? C::tower_bytes(WorkItem{0, 0, 0, group_size, nullptr}) / 8 : 0;
    }
    /// The table that the bodies read, filled by the group if it is in local memory.
    static const std::uint64_t* table(const WorkItem& item, std::uint64_t* local, bool with_tower,
                                      const std::uint64_t* global) {
        if constexpr (holds_table) {
            std::uint64_t* table = local + tower_words(item.group_size, with_tower);
            for (std::uint32_t i = item.rank; i < table_words; i += item.group_size) table[i] = table_word(i);
            ::sycl::group_barrier(item.here->get_group());
            return table;
        } else {
            return global;
        }
    }
};

// The kernels: bodies of core/kernels.h as function objects with their arguments, and the 64-bit words of local memory that
// they want. `table` is null unless the constants are global.

/// Slot 0 of a tree, which no node has.
template <class Word>
void clear_slot_0(const WorkItem& item, Word* nodes) {
    if (item.index != 0) return;
    for (std::size_t k = 0; k < 32 / sizeof(Word); k++) nodes[k] = 0;
}

/// One level: count merges.
template <Hash hash, int lanes, Constants constants>
struct MergeLevel : Part {
    using C = Core<lanes, core_constants(constants)>;
    using Word = typename WordOf<is_field<hash>>::type;
    using L = Local<C, constants, is_field<hash>>;
    const Word* in;
    std::uint64_t in_offset;
    Word* nodes;
    std::uint64_t out_offset, count;
    const std::uint64_t* table;

    std::uint64_t local_words(std::uint32_t group_size) const { return L::words(group_size, false); }
    void operator()(const ::sycl::nd_item<1>& here, std::uint64_t* local) const {
        const WorkItem item = this->item(here);
        const std::uint64_t* constant = L::table(item, local, false, table);
        clear_slot_0(item, nodes);
#define MKZ_HASH(id, name, prefix, lane, kind) \
    if constexpr (hash == Hash::name)          \
        C::mkz_body_merge_level_##name(item, in, in_offset, nodes, out_offset, count, constant);
#include <merklize/hashes.def>
    }
};

/// Several levels, each group by itself: count inputs.
template <Hash hash, int lanes, Constants constants>
struct MergeSubtree : Part {
    using C = Core<lanes, core_constants(constants)>;
    using Word = typename WordOf<is_field<hash>>::type;
    using L = Local<C, constants, is_field<hash>>;
    const Word* in;
    std::uint64_t in_offset;
    Word* nodes;
    std::uint64_t out_offset, count;
    const std::uint64_t* table;
    std::uint32_t levels;

    std::uint64_t local_words(std::uint32_t group_size) const { return L::words(group_size, true); }
    void operator()(const ::sycl::nd_item<1>& here, std::uint64_t* local) const {
        const WorkItem item = this->item(here);
        const std::uint64_t* constant = L::table(item, local, true, table);
        clear_slot_0(item, nodes);
        Word* tower = reinterpret_cast<Word*>(local);
#define MKZ_HASH(id, name, prefix, lane, kind)                                                                   \
    if constexpr (hash == Hash::name)                                                                            \
        C::mkz_body_merge_subtree_##name(item, in, in_offset, nodes, out_offset, count, levels, constant, tower, \
                                         nullptr);
#include <merklize/hashes.def>
    }
};

/// Merges of nodes in two arrays.
template <Hash hash, int lanes, Constants constants>
struct MergePairs : Part {
    using C = Core<lanes, core_constants(constants)>;
    using Word = typename WordOf<is_field<hash>>::type;
    using L = Local<C, constants, is_field<hash>>;
    const Word *left, *right;
    Word* out;
    std::uint64_t count;
    const std::uint64_t* table;

    std::uint64_t local_words(std::uint32_t group_size) const { return L::words(group_size, false); }
    void operator()(const ::sycl::nd_item<1>& here, std::uint64_t* local) const {
        const WorkItem item = this->item(here);
        const std::uint64_t* constant = L::table(item, local, false, table);
#define MKZ_HASH(id, name, prefix, lane, kind) \
    if constexpr (hash == Hash::name) C::mkz_body_merge_pairs_##name(item, left, 0, right, 0, out, 0, count, constant);
#include <merklize/hashes.def>
    }
};

/// Rows of field elements -> digests.
template <Hash hash, int lanes, Constants constants>
struct HashRows : Part {
    static_assert(is_field<hash>, "hash_elements is of field hashes");
    using C = Core<lanes, core_constants(constants)>;
    using L = Local<C, constants, true>;
    const std::uint64_t* in;
    std::uint64_t row_words;
    std::uint64_t* out;
    std::uint64_t count;
    const std::uint64_t* table;

    std::uint64_t local_words(std::uint32_t group_size) const { return L::words(group_size, false); }
    void operator()(const ::sycl::nd_item<1>& here, std::uint64_t* local) const {
        const WorkItem item = this->item(here);
        const std::uint64_t* constant = L::table(item, local, false, table);
        const auto words = static_cast<std::uint32_t>(row_words);
#define MKZ_HASH(id, name, prefix, lane, kind) MKZ_SYCL_HASH_ROWS_##kind(name)
#define MKZ_SYCL_HASH_ROWS_tree(name)
#define MKZ_SYCL_HASH_ROWS_chain(name)
#define MKZ_SYCL_HASH_ROWS_field(name) \
    if constexpr (hash == Hash::name)  \
        C::mkz_body_hash_rows_##name(item, in, 0, row_words, 1, words, out, 0, count, constant);
#include <merklize/hashes.def>
#undef MKZ_SYCL_HASH_ROWS_tree
#undef MKZ_SYCL_HASH_ROWS_chain
#undef MKZ_SYCL_HASH_ROWS_field
    }
};

/// Bytes -> chaining values of BLAKE3's chunks, or of subtrees of them.
template <int lanes>
struct HashChunks : Part {
    using C = Core<lanes, 2>;
    const std::uint8_t* in;
    std::uint64_t row_bytes, rows;
    std::uint32_t* out;
    std::uint32_t flags, levels;

    std::uint64_t local_words(std::uint32_t group_size) const {
        return Local<C, Constants::literal, false>::tower_words(group_size, levels > 0);
    }
    void operator()(const ::sycl::nd_item<1>& here, std::uint64_t* local) const {
        typename C::mkz_key key;
        Core<1, 2>::mkz_blake3_iv(key.w);
        C::mkz_body_hash_chunks_blake3(item(here), in, 0, row_bytes, rows, out, 0, key, flags, 0, levels,
                                       reinterpret_cast<std::uint32_t*>(local));
    }
};

/// Levels of the tree inside a BLAKE3 digest.
struct HashParents : Part {
    using C = Core<1, 2>;
    const std::uint32_t* in;
    std::uint32_t* out;
    std::uint64_t count, rows;
    std::uint32_t flags, levels;

    std::uint64_t local_words(std::uint32_t group_size) const {
        return Local<C, Constants::literal, false>::tower_words(group_size, levels > 1);
    }
    void operator()(const ::sycl::nd_item<1>& here, std::uint64_t* local) const {
        C::mkz_key key;
        C::mkz_blake3_iv(key.w);
        C::mkz_body_hash_parents_blake3(item(here), in, 0, out, 0, count, rows, key, flags, levels,
                                        reinterpret_cast<std::uint32_t*>(local));
    }
};

/// Words that are not field elements.
struct CheckWords : Part {
    const std::uint64_t* in;
    std::uint64_t count;
    std::uint32_t* flag;

    std::uint64_t local_words(std::uint32_t) const { return 0; }
    void operator()(const ::sycl::nd_item<1>& here, std::uint64_t*) const {
        Core<1, 2>::mkz_body_check_words(item(here), in, 0, count, flag);
    }
};

}  // namespace merklize::sycl::detail
