/* entry.h: kernel entry points for OpenCL C, CUDA (NVRTC, nvcc) and SYCL (DPC++, functions as kernels): one line a body, for
 * every hash of hashes.def.
 *
 * Names are mkz_merge_level_blake3 and so on; arguments are those of the body in kernels.h, without the item and the local
 * memory. Launches have one dimension. All entry points of a body take the same number and sizes of arguments, whatever the
 * hash. `constants`: a buffer of MKZ_RP_TABLE_WORDS words, the tables of rescue_prime_constants.h, read where MKZ_CONSTANTS
 * is 3 or 4; else it may be null. slot_0 of merge_subtree: place in `out` of slot 0 of the tree, from which its out_offset
 * counts. */
#ifndef MKZ_ENTRY_H
#define MKZ_ENTRY_H

#include "kernels.h"

#if !defined(MKZ_ENTRY) || !defined(MKZ_THIS_ITEM)
#error "entry.h: this compiler has no kernel entry points; include kernels.h and call the bodies"
#endif

/* clang-format off */

/* Declares `item` and `table`: the constants where MKZ_CONSTANTS wants them. A byte hash (is_field 0) has none. */
#define MKZ_ENTRY_TABLE_0(prefix) \
    mkz_work_item item = MKZ_THIS_ITEM(); \
    mkz_rp_table table = 0; \
    (void)constants;
#if MKZ_CONSTANTS == 4
#define MKZ_ENTRY_TABLE_1(prefix) \
    MKZ_LOCAL_ARRAY(mkz_u64, table, prefix##_table_words); \
    mkz_work_item item = MKZ_THIS_ITEM(); \
    for (mkz_u32 word = item.rank; word < prefix##_table_words; word += MKZ_GROUP_SIZE) table[word] = constants[word]; \
    MKZ_BARRIER(item);
#else
#define MKZ_ENTRY_TABLE_1(prefix) \
    mkz_work_item item = MKZ_THIS_ITEM(); \
    mkz_rp_table table = constants;
#endif

#define MKZ_ENTRY_MERGE_LEVEL(name, prefix, lane, is_field) MKZ_ENTRY(mkz_merge_level_##name)( \
    MKZ_GLOBAL const mkz_u##lane *in, mkz_u64 in_offset, MKZ_GLOBAL mkz_u##lane *out, mkz_u64 out_offset, mkz_u64 count, \
    MKZ_GLOBAL const mkz_u64 *constants) { \
    MKZ_ENTRY_TABLE_##is_field(prefix) \
    mkz_body_merge_level_##name(item, in, in_offset, out, out_offset, count, table); }

#define MKZ_ENTRY_MERGE_PAIRS(name, prefix, lane, is_field) MKZ_ENTRY(mkz_merge_pairs_##name)( \
    MKZ_GLOBAL const mkz_u##lane *left, mkz_u64 left_offset, MKZ_GLOBAL const mkz_u##lane *right, mkz_u64 right_offset, \
    MKZ_GLOBAL mkz_u##lane *out, mkz_u64 out_offset, mkz_u64 count, MKZ_GLOBAL const mkz_u64 *constants) { \
    MKZ_ENTRY_TABLE_##is_field(prefix) \
    mkz_body_merge_pairs_##name(item, left, left_offset, right, right_offset, out, out_offset, count, table); }

#define MKZ_ENTRY_MERGE_SUBTREE(name, prefix, lane, is_field) MKZ_ENTRY(mkz_merge_subtree_##name)( \
    MKZ_GLOBAL const mkz_u##lane *in, mkz_u64 in_offset, MKZ_GLOBAL mkz_u##lane *out, mkz_u64 slot_0, mkz_u64 out_offset, \
    mkz_u64 count, mkz_u32 levels, MKZ_GLOBAL const mkz_u64 *constants) { \
    MKZ_LOCAL_ARRAY(mkz_u##lane, tower, MKZ_TOWER_WORDS(lane)); \
    MKZ_LOCAL_ARRAY(mkz_u64, cells, is_field ? MKZ_TEAM_WORDS : 1); \
    MKZ_ENTRY_TABLE_##is_field(prefix) \
    mkz_body_merge_subtree_##name( \
        item, in, in_offset, out + 256 / lane * slot_0, out_offset, count, levels, table, tower, cells); }

#define MKZ_ENTRY_HASH_ROWS(name, prefix, lane, is_field) MKZ_ENTRY(mkz_hash_rows_##name)( \
    MKZ_GLOBAL const mkz_u##lane *in, mkz_u64 in_offset, mkz_u64 row_stride, mkz_u64 word_stride, mkz_u32 row_words, \
    MKZ_GLOBAL mkz_u##lane *out, mkz_u64 out_offset, mkz_u64 count, MKZ_GLOBAL const mkz_u64 *constants) { \
    MKZ_ENTRY_TABLE_##is_field(prefix) \
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

#define MKZ_ENTRY_DIGEST_0(name) MKZ_ENTRY_HASH_CHUNKS(name) MKZ_ENTRY_HASH_PARENTS(name)
#define MKZ_ENTRY_DIGEST_1(name)

/* MKZ_ONLY: the entry points of a program, which compiles faster than with all of them; a sum of these. */
#define MKZ_ONLY_MERGE_LEVEL 1
#define MKZ_ONLY_MERGE_PAIRS 2
#define MKZ_ONLY_MERGE_SUBTREE 4
#define MKZ_ONLY_HASH_ROWS 8
#define MKZ_ONLY_HASH_CHUNKS 16
#define MKZ_ONLY_HASH_PARENTS 32
#ifdef MKZ_ONLY
#if !(MKZ_ONLY & MKZ_ONLY_MERGE_LEVEL)
#undef MKZ_ENTRY_MERGE_LEVEL
#define MKZ_ENTRY_MERGE_LEVEL(name, prefix, lane, is_field)
#endif
#if !(MKZ_ONLY & MKZ_ONLY_MERGE_PAIRS)
#undef MKZ_ENTRY_MERGE_PAIRS
#define MKZ_ENTRY_MERGE_PAIRS(name, prefix, lane, is_field)
#endif
#if !(MKZ_ONLY & MKZ_ONLY_MERGE_SUBTREE)
#undef MKZ_ENTRY_MERGE_SUBTREE
#define MKZ_ENTRY_MERGE_SUBTREE(name, prefix, lane, is_field)
#endif
#if !(MKZ_ONLY & MKZ_ONLY_HASH_ROWS)
#undef MKZ_ENTRY_HASH_ROWS
#define MKZ_ENTRY_HASH_ROWS(name, prefix, lane, is_field)
#endif
#if !(MKZ_ONLY & MKZ_ONLY_HASH_CHUNKS)
#undef MKZ_ENTRY_HASH_CHUNKS
#define MKZ_ENTRY_HASH_CHUNKS(name)
#endif
#if !(MKZ_ONLY & MKZ_ONLY_HASH_PARENTS)
#undef MKZ_ENTRY_HASH_PARENTS
#define MKZ_ENTRY_HASH_PARENTS(name)
#endif
#endif

#define MKZ_HASH(id, name, prefix, lane, is_field) \
    MKZ_ENTRY_MERGE_LEVEL(name, prefix, lane, is_field)   \
    MKZ_ENTRY_MERGE_PAIRS(name, prefix, lane, is_field)   \
    MKZ_ENTRY_MERGE_SUBTREE(name, prefix, lane, is_field) \
    MKZ_ENTRY_HASH_ROWS(name, prefix, lane, is_field)     \
    MKZ_ENTRY_DIGEST_##is_field(name)
#ifdef MKZ_HASHES
MKZ_HASHES
#undef MKZ_HASH
#else
#include "../hashes.def"
#endif

/* clang-format on */

MKZ_ENTRY(mkz_gather_paths)
(MKZ_GLOBAL const mkz_u32 *nodes, mkz_u64 leaves, mkz_u32 levels, MKZ_GLOBAL const mkz_u64 *indices, mkz_u64 count,
 MKZ_GLOBAL mkz_u32 *out) {
    mkz_body_gather_paths(MKZ_THIS_ITEM(), nodes, leaves, levels, indices, count, out);
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
