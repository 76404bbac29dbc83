/* entry.h: kernel entry points for OpenCL C, CUDA (NVRTC, nvcc) and SYCL (DPC++, functions as kernels): one line a body, for
 * every hash of hashes.def.
 *
 * Names are mkz_merge_level_blake3 and so on; arguments are those of the body in kernels.h, without the item and the local
 * memory. Launches have one dimension. All entry points of a body take the same number and sizes of arguments, whatever the
 * hash. `constants`: a buffer of MKZ_RP_TABLE_WORDS words, the tables of rescue_prime_constants.h, read where MKZ_CONSTANTS
 * is 3 or 4; else it may be null. slot_0: place in its buffer of slot 0 of the tree, from which out_offset, first and slots
 * count. With MKZ_KEYED 1 the merges of blake3 take two more arguments, a key of 32 bytes and the mode's flags. */
#ifndef MKZ_ENTRY_H
#define MKZ_ENTRY_H

#include "kernels.h"

#if !defined(MKZ_ENTRY) || !defined(MKZ_THIS_ITEM)
#error "entry.h: this compiler has no kernel entry points; include kernels.h and call the bodies"
#endif

/* clang-format off */

/* Declares `item` and `table`: the constants where MKZ_CONSTANTS wants them. A byte hash has none. */
#define MKZ_ENTRY_TABLE_tree(prefix) MKZ_ENTRY_NO_TABLE
#define MKZ_ENTRY_TABLE_chain(prefix) MKZ_ENTRY_NO_TABLE
#define MKZ_ENTRY_NO_TABLE \
    mkz_work_item item = MKZ_THIS_ITEM(); \
    mkz_rp_table table = 0; \
    (void)constants;
#if MKZ_CONSTANTS == 4
#define MKZ_ENTRY_TABLE_field(prefix) \
    MKZ_LOCAL_ARRAY(mkz_u64, table, prefix##_table_words); \
    mkz_work_item item = MKZ_THIS_ITEM(); \
    for (mkz_u32 word = item.rank; word < prefix##_table_words; word += MKZ_GROUP_SIZE) table[word] = constants[word]; \
    MKZ_BARRIER(item);
#else
#define MKZ_ENTRY_TABLE_field(prefix) \
    mkz_work_item item = MKZ_THIS_ITEM(); \
    mkz_rp_table table = constants;
#endif

/* Words of local memory for teams. */
#define MKZ_TEAM_WORDS_tree 1
#define MKZ_TEAM_WORDS_chain 1
#define MKZ_TEAM_WORDS_field MKZ_TEAM_WORDS

#define MKZ_ENTRY_MERGE_LEVEL(name, prefix, lane, kind) MKZ_ENTRY(mkz_merge_level_##name)( \
    MKZ_GLOBAL const mkz_u##lane *in, mkz_u64 in_offset, MKZ_GLOBAL mkz_u##lane *out, mkz_u64 out_offset, mkz_u64 count, \
    MKZ_GLOBAL const mkz_u64 *constants MKZ_KEY_PARAMETERS) { \
    MKZ_ENTRY_TABLE_##kind(prefix) \
    mkz_body_merge_level_##name(item, in, in_offset, out, out_offset, count, table MKZ_KEY_ARGUMENTS); }

#define MKZ_ENTRY_MERGE_PAIRS(name, prefix, lane, kind) MKZ_ENTRY(mkz_merge_pairs_##name)( \
    MKZ_GLOBAL const mkz_u##lane *left, mkz_u64 left_offset, MKZ_GLOBAL const mkz_u##lane *right, mkz_u64 right_offset, \
    MKZ_GLOBAL mkz_u##lane *out, mkz_u64 out_offset, mkz_u64 count, MKZ_GLOBAL const mkz_u64 *constants \
    MKZ_KEY_PARAMETERS) { \
    MKZ_ENTRY_TABLE_##kind(prefix) \
    mkz_body_merge_pairs_##name( \
        item, left, left_offset, right, right_offset, out, out_offset, count, table MKZ_KEY_ARGUMENTS); }

#define MKZ_ENTRY_MERGE_SUBTREE(name, prefix, lane, kind) MKZ_ENTRY(mkz_merge_subtree_##name)( \
    MKZ_GLOBAL const mkz_u##lane *in, mkz_u64 in_offset, MKZ_GLOBAL mkz_u##lane *out, mkz_u64 slot_0, mkz_u64 out_offset, \
    mkz_u64 count, mkz_u32 levels, MKZ_GLOBAL const mkz_u64 *constants MKZ_KEY_PARAMETERS) { \
    MKZ_LOCAL_ARRAY(mkz_u##lane, tower, MKZ_TOWER_WORDS(lane)); \
    MKZ_LOCAL_ARRAY(mkz_u64, cells, MKZ_TEAM_WORDS_##kind); \
    MKZ_ENTRY_TABLE_##kind(prefix) \
    mkz_body_merge_subtree_##name( \
        item, in, in_offset, out + 256 / lane * slot_0, out_offset, count, levels, table, tower, cells \
        MKZ_KEY_ARGUMENTS); }

#define MKZ_ENTRY_MERGE_AT(name, prefix, lane, kind) MKZ_ENTRY(mkz_merge_at_##name)( \
    MKZ_GLOBAL mkz_u##lane *nodes, mkz_u64 slot_0, mkz_u64 first, mkz_u64 width, MKZ_GLOBAL const mkz_u32 *lists, \
    mkz_u64 list, mkz_u64 starts, mkz_u32 levels, mkz_u32 lone, MKZ_GLOBAL const mkz_u##lane *fillers, mkz_u64 filler, \
    MKZ_GLOBAL const mkz_u64 *constants MKZ_KEY_PARAMETERS) { \
    MKZ_ENTRY_TABLE_##kind(prefix) \
    mkz_body_merge_at_##name(item, nodes + 256 / lane * slot_0, first, width, lists, list, starts, levels, lone, \
                             fillers, filler, table MKZ_KEY_ARGUMENTS); }

/* What rows are made of. */
#define MKZ_ROW_WORD_tree mkz_u32
#define MKZ_ROW_WORD_chain mkz_u8
#define MKZ_ROW_WORD_field mkz_u64

#define MKZ_ENTRY_HASH_ROWS(name, prefix, lane, kind) MKZ_ENTRY(mkz_hash_rows_##name)( \
    MKZ_GLOBAL const MKZ_ROW_WORD_##kind *in, mkz_u64 in_offset, mkz_u64 row_stride, mkz_u64 word_stride, mkz_u32 row_words, \
    MKZ_GLOBAL mkz_u##lane *out, mkz_u64 out_offset, mkz_u64 count, MKZ_GLOBAL const mkz_u64 *constants) { \
    MKZ_ENTRY_TABLE_##kind(prefix) \
    mkz_body_hash_rows_##name(item, in, in_offset, row_stride, word_stride, row_words, out, out_offset, count, table); }

#define MKZ_ENTRY_HASH_CHUNKS(name) MKZ_ENTRY(mkz_hash_chunks_##name)( \
    MKZ_GLOBAL const mkz_u8 *in, mkz_u64 in_offset, mkz_u64 row_bytes, mkz_u64 rows, MKZ_GLOBAL mkz_u32 *out, \
    mkz_u64 out_offset, mkz_key key, mkz_u32 flags, mkz_u64 counter, mkz_u32 levels) { \
    MKZ_LOCAL_ARRAY(mkz_u32, tower, MKZ_TOWER_WORDS(32)); \
    mkz_body_hash_chunks_##name( \
        MKZ_THIS_ITEM(), in, in_offset, row_bytes, rows, out, out_offset, key, flags, counter, levels, tower); }

#define MKZ_ENTRY_HASH_PARENTS(name) MKZ_ENTRY(mkz_hash_parents_##name)( \
    MKZ_GLOBAL const mkz_u32 *in, mkz_u64 in_offset, MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset, mkz_u64 count, \
    mkz_u64 rows, mkz_key key, mkz_u32 flags, mkz_u32 levels) { \
    MKZ_LOCAL_ARRAY(mkz_u32, tower, MKZ_TOWER_WORDS(32)); \
    mkz_body_hash_parents_##name( \
        MKZ_THIS_ITEM(), in, in_offset, out, out_offset, count, rows, key, flags, levels, tower); }

#define MKZ_ENTRY_DIGEST_tree(name) MKZ_ENTRY_HASH_CHUNKS(name) MKZ_ENTRY_HASH_PARENTS(name)
#define MKZ_ENTRY_DIGEST_chain(name)
#define MKZ_ENTRY_DIGEST_field(name)

/* MKZ_ONLY: the entry points of a program, which compiles faster than with all of them; a sum of these. */
#define MKZ_ONLY_MERGE_LEVEL 1
#define MKZ_ONLY_MERGE_PAIRS 2
#define MKZ_ONLY_MERGE_SUBTREE 4
#define MKZ_ONLY_HASH_ROWS 8
#define MKZ_ONLY_HASH_CHUNKS 16
#define MKZ_ONLY_HASH_PARENTS 32
#define MKZ_ONLY_MERGE_AT 64
#ifdef MKZ_ONLY
#if !(MKZ_ONLY & MKZ_ONLY_MERGE_LEVEL)
#undef MKZ_ENTRY_MERGE_LEVEL
#define MKZ_ENTRY_MERGE_LEVEL(name, prefix, lane, kind)
#endif
#if !(MKZ_ONLY & MKZ_ONLY_MERGE_PAIRS)
#undef MKZ_ENTRY_MERGE_PAIRS
#define MKZ_ENTRY_MERGE_PAIRS(name, prefix, lane, kind)
#endif
#if !(MKZ_ONLY & MKZ_ONLY_MERGE_SUBTREE)
#undef MKZ_ENTRY_MERGE_SUBTREE
#define MKZ_ENTRY_MERGE_SUBTREE(name, prefix, lane, kind)
#endif
#if !(MKZ_ONLY & MKZ_ONLY_HASH_ROWS)
#undef MKZ_ENTRY_HASH_ROWS
#define MKZ_ENTRY_HASH_ROWS(name, prefix, lane, kind)
#endif
#if !(MKZ_ONLY & MKZ_ONLY_HASH_CHUNKS)
#undef MKZ_ENTRY_HASH_CHUNKS
#define MKZ_ENTRY_HASH_CHUNKS(name)
#endif
#if !(MKZ_ONLY & MKZ_ONLY_HASH_PARENTS)
#undef MKZ_ENTRY_HASH_PARENTS
#define MKZ_ENTRY_HASH_PARENTS(name)
#endif
#if !(MKZ_ONLY & MKZ_ONLY_MERGE_AT)
#undef MKZ_ENTRY_MERGE_AT
#define MKZ_ENTRY_MERGE_AT(name, prefix, lane, kind)
#endif
#endif

#define MKZ_HASH(id, name, prefix, lane, kind) \
    MKZ_ENTRY_MERGE_LEVEL(name, prefix, lane, kind)   \
    MKZ_ENTRY_MERGE_PAIRS(name, prefix, lane, kind)   \
    MKZ_ENTRY_MERGE_SUBTREE(name, prefix, lane, kind) \
    MKZ_ENTRY_MERGE_AT(name, prefix, lane, kind)      \
    MKZ_ENTRY_HASH_ROWS(name, prefix, lane, kind)     \
    MKZ_ENTRY_DIGEST_##kind(name)
#ifdef MKZ_HASHES
MKZ_HASHES
#undef MKZ_HASH
#else
#include "../hashes.def"
#endif

/* clang-format on */

MKZ_ENTRY(mkz_gather_paths)
(MKZ_GLOBAL const mkz_u32 *nodes, mkz_u64 slot_0, mkz_u64 first, mkz_u64 leaves, mkz_u32 levels,
 MKZ_GLOBAL const mkz_u64 *indices, mkz_u64 count, MKZ_GLOBAL mkz_u32 *out) {
    mkz_body_gather_paths(MKZ_THIS_ITEM(), nodes + 8 * slot_0, first, leaves, levels, indices, count, out);
}

MKZ_ENTRY(mkz_gather_nodes)
(MKZ_GLOBAL const mkz_u32 *nodes, mkz_u64 slot_0, MKZ_GLOBAL const mkz_u32 *slots, mkz_u32 slot_words, mkz_u64 count,
 MKZ_GLOBAL mkz_u32 *out) {
    mkz_body_gather_nodes(MKZ_THIS_ITEM(), nodes + 8 * slot_0, slots, slot_words, count, out);
}

MKZ_ENTRY(mkz_scatter_nodes)
(MKZ_GLOBAL mkz_u32 *nodes, mkz_u64 slot_0, MKZ_GLOBAL const mkz_u32 *slots, mkz_u32 slot_words, mkz_u64 count,
 MKZ_GLOBAL const mkz_u32 *in) {
    mkz_body_scatter_nodes(MKZ_THIS_ITEM(), nodes + 8 * slot_0, slots, slot_words, count, in);
}

MKZ_ENTRY(mkz_gather_strided)
(MKZ_GLOBAL const mkz_u8 *in, mkz_u64 in_offset, MKZ_GLOBAL mkz_u8 *out, mkz_u64 out_offset, mkz_strides shape,
 mkz_u64 first, mkz_u64 count) {
    mkz_body_gather_strided(MKZ_THIS_ITEM(), in, in_offset, out, out_offset, shape, first, count);
}

MKZ_ENTRY(mkz_check_words)
(MKZ_GLOBAL const mkz_u64 *in, mkz_u64 in_offset, mkz_u64 count, MKZ_GLOBAL mkz_u32 *flag) {
    mkz_body_check_words(MKZ_THIS_ITEM(), in, in_offset, count, flag);
}

#endif /* MKZ_ENTRY_H */
