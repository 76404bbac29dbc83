/* entry.h: kernel entry points for OpenCL C and CUDA (NVRTC, nvcc): one line a body, for every hash of hashes.def.
 *
 * Names are mkz_merge_level_blake3 and so on; arguments are those of the body in kernels.h, without the item. Launches
 * have one dimension. All entry points of a body take the same number and sizes of arguments, whatever the hash. */
#ifndef MKZ_ENTRY_H
#define MKZ_ENTRY_H

#include "kernels.h"

#if !defined(MKZ_ENTRY) || !defined(MKZ_THIS_ITEM)
#error "entry.h: this compiler has no kernel entry points; include kernels.h and call the bodies"
#endif

/* clang-format off */
#define MKZ_ENTRY_MERGE_LEVEL(name, word) MKZ_ENTRY(mkz_merge_level_##name)( \
    MKZ_GLOBAL const word *in, mkz_u64 in_offset, MKZ_GLOBAL word *out, mkz_u64 out_offset, mkz_u64 count) { \
    mkz_body_merge_level_##name(MKZ_THIS_ITEM(), in, in_offset, out, out_offset, count); }

#define MKZ_ENTRY_MERGE_SUBTREE(name, word) MKZ_ENTRY(mkz_merge_subtree_##name)( \
    MKZ_GLOBAL const word *in, mkz_u64 in_offset, MKZ_GLOBAL word *out, mkz_u64 out_offset, mkz_u64 count, \
    mkz_u32 levels) { \
    mkz_body_merge_subtree_##name(MKZ_THIS_ITEM(), in, in_offset, out, out_offset, count, levels); }

#define MKZ_ENTRY_HASH_ROWS(name, word) MKZ_ENTRY(mkz_hash_rows_##name)( \
    MKZ_GLOBAL const word *in, mkz_u64 in_offset, mkz_u64 row_stride, mkz_u64 word_stride, mkz_u32 row_words, \
    MKZ_GLOBAL word *out, mkz_u64 out_offset, mkz_u64 count) { \
    mkz_body_hash_rows_##name( \
        MKZ_THIS_ITEM(), in, in_offset, row_stride, word_stride, row_words, out, out_offset, count); }

#define MKZ_ENTRY_HASH_CHUNKS(name) MKZ_ENTRY(mkz_hash_chunks_##name)( \
    MKZ_GLOBAL const mkz_u8 *in, mkz_u64 in_offset, mkz_u64 length, MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset, \
    mkz_key key, mkz_u32 flags, mkz_u64 counter) { \
    mkz_body_hash_chunks_##name(MKZ_THIS_ITEM(), in, in_offset, length, out, out_offset, key, flags, counter); }

#define MKZ_ENTRY_HASH_PARENTS(name) MKZ_ENTRY(mkz_hash_parents_##name)( \
    MKZ_GLOBAL const mkz_u32 *in, mkz_u64 in_offset, MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset, mkz_u64 count, \
    mkz_key key, mkz_u32 flags) { \
    mkz_body_hash_parents_##name(MKZ_THIS_ITEM(), in, in_offset, out, out_offset, count, key, flags); }
/* clang-format on */

#define MKZ_ENTRY_DIGEST_0(name) MKZ_ENTRY_HASH_CHUNKS(name) MKZ_ENTRY_HASH_PARENTS(name)
#define MKZ_ENTRY_DIGEST_1(name)

#define MKZ_HASH(id, name, prefix, lane, is_field) \
    MKZ_ENTRY_MERGE_LEVEL(name, mkz_u##lane)       \
    MKZ_ENTRY_MERGE_SUBTREE(name, mkz_u##lane)     \
    MKZ_ENTRY_HASH_ROWS(name, mkz_u##lane)         \
    MKZ_ENTRY_DIGEST_##is_field(name)
#ifdef MKZ_HASHES
MKZ_HASHES
#undef MKZ_HASH
#else
#include "../hashes.def"
#endif

MKZ_ENTRY(mkz_gather_paths)
(MKZ_GLOBAL const mkz_u32 *nodes, mkz_u64 leaves, mkz_u32 levels, MKZ_GLOBAL const mkz_u64 *indices, mkz_u64 count,
 MKZ_GLOBAL mkz_u32 *out) {
    mkz_body_gather_paths(MKZ_THIS_ITEM(), nodes, leaves, levels, indices, count, out);
}

#endif /* MKZ_ENTRY_H */
