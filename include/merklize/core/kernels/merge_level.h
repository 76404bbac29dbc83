/* merge_level.h: one level of a tree. */

/* One level: out[out_offset + i] = merge(in[in_offset + 2i], in[in_offset + 2i + 1]) for i < count.
 * count   merges = nodes written
 * To fill the level of m nodes of a heap-ordered tree, at [m, 2m): in = out, in_offset = 2m, out_offset = count = m. */
MKZ_BODY void MKZ_HASH_BODY(merge_level)(mkz_work_item item, MKZ_GLOBAL const MKZ_WORD *in, mkz_u64 in_offset,
                                         MKZ_GLOBAL MKZ_WORD *out, mkz_u64 out_offset, mkz_u64 count, mkz_context ctx) {
    MKZ_WORD_LANE left[MKZ_NODE_WORDS], right[MKZ_NODE_WORDS];
    mkz_u64 i = item.index * MKZ_LANES;
    if (i >= count) return;
    MKZ_WORD_FN(load_nodes)(left, in, in_offset + 2 * i, 2, count - i);
    MKZ_WORD_FN(load_nodes)(right, in, in_offset + 2 * i + 1, 2, count - i);
    MKZ_MERGE(left, left, right);
    MKZ_WORD_FN(store_nodes)(out, out_offset + i, 1, count - i, left);
}

#if MKZ_ENTRIES & MKZ_ONLY_MERGE_LEVEL
MKZ_ENTRY(MKZ_HASH_ENTRY(merge_level))
(MKZ_GLOBAL const MKZ_WORD *in, mkz_u64 in_offset, MKZ_GLOBAL MKZ_WORD *out, mkz_u64 out_offset, mkz_u64 count,
 MKZ_GLOBAL const mkz_u64 *constants MKZ_KEY_PARAMETERS) {
#include "entry_context.h"
    MKZ_TAKE_KEY(ctx);
    MKZ_HASH_BODY(merge_level)(item, in, in_offset, out, out_offset, count, ctx);
}
#endif
