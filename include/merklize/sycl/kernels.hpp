#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <merklize/hashes.hpp>
#include <merklize/policy.hpp>
#include <merklize/sycl/cores.hpp>

namespace merklize::sycl::detail {

/// The facts of a hash (core/hashes.h).
template <Hash hash>
struct Unit;
#define MKZ_HASH(id, name)                                                 \
    template <>                                                            \
    struct Unit<Hash::name> {                                              \
        static constexpr int word_bits = MKZ_UNIT_WORD_BITS;               \
        static constexpr std::uint64_t modulus = MKZ_UNIT_MODULUS;         \
        static constexpr std::uint32_t table_words = MKZ_UNIT_TABLE_WORDS; \
    };
#include <merklize/core/hashes.h>

template <Hash hash>
inline constexpr bool is_field = Unit<hash>::modulus != 0;

/// The word type of a hash's nodes, which have 8 words of 32 bits or 4 of 64.
template <Hash hash>
using WordOf = std::conditional_t<Unit<hash>::word_bits == 32, std::uint32_t, std::uint64_t>;

/// The value of MKZ_CONSTANTS for the kernels of this file. `tuned` means the table in the program.
constexpr int core_constants(Constants constants) {
    return constants == Constants::literal                                   ? 1
           : constants == Constants::global || constants == Constants::local ? 3
                                                                             : 2;
}

/// The core with lanes of one word. It depends on `hash` so that only the functions of that hash are instantiated.
template <Hash hash, int constants = 2>
struct OneLane {
    using C = Core<1, constants>;
};

/// Word i of a hash's table of constants.
template <Hash hash>
std::uint64_t table_word(std::uint32_t i) {
    using C = typename OneLane<hash>::C;
#define MKZ_HASH(id, name) \
    if constexpr (hash == Hash::name && MKZ_UNIT_TABLE_WORDS != 0) return C::mkz_##name##_table_word(i);
#include <merklize/core/hashes.h>
    return 0;
}

/// The part of a job that one launch does: groups from first_group on. A launch holds fewer than 2^31 items. Base of
/// every kernel.
struct Part {
    std::uint64_t first_group = 0;

    WorkItem item(const ::sycl::nd_item<1>& here) const {
        const auto rank = static_cast<std::uint32_t>(here.get_local_id(0));
        const auto size = static_cast<std::uint32_t>(here.get_local_range(0));
        const std::uint64_t group = first_group + here.get_group(0);
        return {.index = group * size + rank, .group = group, .rank = rank, .group_size = size, .here = &here};
    }
};

/// Local memory of a group: the tower of the bodies, then the table of constants if it is in local memory.
template <class C, Constants constants, Hash hash>
struct Local {
    static constexpr std::uint32_t table_words = Unit<hash>::table_words;
    static constexpr bool holds_table = table_words != 0 && constants == Constants::local;

    static std::uint64_t words(std::uint32_t group_size, bool with_tower) {
        return tower_words(group_size, with_tower) + (holds_table ? table_words : 0);
    }
    static std::uint64_t tower_words(std::uint32_t group_size, bool with_tower) {
        return with_tower ? C::tower_bytes(WorkItem{0, 0, 0, group_size, nullptr}) / 8 : 0;
    }
    /// The table that the bodies read. If it is in local memory, the group fills it here.
    static const std::uint64_t* table(const WorkItem& item, std::uint64_t* local, bool with_tower,
                                      const std::uint64_t* global) {
        if constexpr (holds_table) {
            std::uint64_t* table = local + tower_words(item.group_size, with_tower);
            for (std::uint32_t i = item.rank; i < table_words; i += item.group_size) table[i] = table_word<hash>(i);
            ::sycl::group_barrier(item.here->get_group());
            return table;
        } else {
            return global;
        }
    }
};

// The kernels: the bodies of core/kernels.h as function objects that hold their arguments. local_words() is the number
// of 64-bit words of local memory that a group needs. `table` is null unless the constants are global.

/// Writes zeros to slot 0 of a tree, which has no node.
template <class Word>
void clear_slot_0(const WorkItem& item, Word* nodes) {
    if (item.index != 0) return;
    for (std::size_t k = 0; k < 32 / sizeof(Word); k++) nodes[k] = 0;
}

/// One level: `count` merges.
template <Hash hash, int lanes, Constants constants>
struct MergeLevel : Part {
    using C = Core<lanes, core_constants(constants)>;
    using Word = WordOf<hash>;
    using L = Local<C, constants, hash>;
    const Word* in;
    std::uint64_t in_offset;
    Word* nodes;
    std::uint64_t out_offset, count;
    const std::uint64_t* table;

    std::uint64_t local_words(std::uint32_t group_size) const { return L::words(group_size, false); }
    void operator()(const ::sycl::nd_item<1>& here, std::uint64_t* local) const {
        const WorkItem item = this->item(here);
        const typename C::mkz_context ctx{L::table(item, local, false, table)};
        clear_slot_0(item, nodes);
#define MKZ_HASH(id, name)            \
    if constexpr (hash == Hash::name) \
        C::mkz_body_merge_level_##name(item, in, in_offset, nodes, out_offset, count, ctx);
#include <merklize/core/hashes.h>
    }
};

/// Several levels, each group on its own subtree: `count` inputs.
template <Hash hash, int lanes, Constants constants>
struct MergeSubtree : Part {
    using C = Core<lanes, core_constants(constants)>;
    using Word = WordOf<hash>;
    using L = Local<C, constants, hash>;
    const Word* in;
    std::uint64_t in_offset;
    Word* nodes;
    std::uint64_t out_offset, count;
    const std::uint64_t* table;
    std::uint32_t levels;

    std::uint64_t local_words(std::uint32_t group_size) const { return L::words(group_size, true); }
    void operator()(const ::sycl::nd_item<1>& here, std::uint64_t* local) const {
        const WorkItem item = this->item(here);
        const typename C::mkz_context ctx{L::table(item, local, true, table)};
        clear_slot_0(item, nodes);
        Word* tower = reinterpret_cast<Word*>(local);
#define MKZ_HASH(id, name)            \
    if constexpr (hash == Hash::name) \
        C::mkz_body_merge_subtree_##name(item, in, in_offset, nodes, out_offset, count, levels, ctx, tower, nullptr);
#include <merklize/core/hashes.h>
    }
};

/// Merges of nodes in two arrays.
template <Hash hash, int lanes, Constants constants>
struct MergePairs : Part {
    using C = Core<lanes, core_constants(constants)>;
    using Word = WordOf<hash>;
    using L = Local<C, constants, hash>;
    const Word *left, *right;
    Word* out;
    std::uint64_t count;
    const std::uint64_t* table;

    std::uint64_t local_words(std::uint32_t group_size) const { return L::words(group_size, false); }
    void operator()(const ::sycl::nd_item<1>& here, std::uint64_t* local) const {
        const WorkItem item = this->item(here);
        const typename C::mkz_context ctx{L::table(item, local, false, table)};
#define MKZ_HASH(id, name) \
    if constexpr (hash == Hash::name) C::mkz_body_merge_pairs_##name(item, left, 0, right, 0, out, 0, count, ctx);
#include <merklize/core/hashes.h>
    }
};

/// Rows of field elements -> digests.
template <Hash hash, int lanes, Constants constants>
struct HashRows : Part {
    static_assert(is_field<hash> && Unit<hash>::word_bits == 64, "hash_rows needs a hash of 64-bit field elements");
    using C = Core<lanes, core_constants(constants)>;
    using L = Local<C, constants, hash>;
    const std::uint64_t* in;
    std::uint64_t row_words;
    std::uint64_t* out;
    std::uint64_t count;
    const std::uint64_t* table;

    std::uint64_t local_words(std::uint32_t group_size) const { return L::words(group_size, false); }
    void operator()(const ::sycl::nd_item<1>& here, std::uint64_t* local) const {
        const WorkItem item = this->item(here);
        const typename C::mkz_context ctx{L::table(item, local, false, table)};
        const auto words = static_cast<std::uint32_t>(row_words);
#define MKZ_HASH(id, name)            \
    if constexpr (hash == Hash::name) \
        C::mkz_body_hash_rows_##name(item, in, 0, row_words, 1, words, out, 0, count, ctx);
#include <merklize/core/hashes.h>
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
        return Local<C, Constants::literal, Hash::blake3>::tower_words(group_size, levels > 0);
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
        return Local<C, Constants::literal, Hash::blake3>::tower_words(group_size, levels > 1);
    }
    void operator()(const ::sycl::nd_item<1>& here, std::uint64_t* local) const {
        C::mkz_key key;
        C::mkz_blake3_iv(key.w);
        C::mkz_body_hash_parents_blake3(item(here), in, 0, out, 0, count, rows, key, flags, levels, 0,
                                        reinterpret_cast<std::uint32_t*>(local));
    }
};

/// Looks for words that are not Goldilocks elements.
struct CheckWords : Part {
    const std::uint64_t* in;
    std::uint64_t count;
    std::uint32_t* flag;

    std::uint64_t local_words(std::uint32_t) const { return 0; }
    void operator()(const ::sycl::nd_item<1>& here, std::uint64_t*) const {
        Core<1, 2>::mkz_body_check_words64(item(here), in, 0, count, Unit<Hash::rp64_256>::modulus, flag);
    }
};

}  // namespace merklize::sycl::detail
