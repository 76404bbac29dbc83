/* merge_pairs.h: merges of nodes in two buffers. */

/* Pairs: out[out_offset + i] = merge(left[left_offset + i], right[right_offset + i]) for i < count. */
MKZ_BODY void MKZ_HASH_BODY(merge_pairs)(mkz_work_item item, MKZ_GLOBAL const MKZ_WORD *left_nodes, mkz_u64 left_offset,
                                         MKZ_GLOBAL const MKZ_WORD *right_nodes, mkz_u64 right_offset,
                                         MKZ_GLOBAL MKZ_WORD *out, mkz_u64 out_offset, mkz_u64 count, mkz_context ctx) {
    MKZ_WORD_LANE left[MKZ_NODE_WORDS], right[MKZ_NODE_WORDS];
    mkz_u64 i = item.index * MKZ_LANES;
    if (i >= count) return;
    MKZ_WORD_FN(load_nodes)(left, left_nodes, left_offset + i, 1, count - i);
    MKZ_WORD_FN(load_nodes)(right, right_nodes, right_offset + i, 1, count - i);
    MKZ_MERGE(left, left, right);
    MKZ_WORD_FN(store_nodes)(out, out_offset + i, 1, count - i, left);
}

#if MKZ_ENTRIES & MKZ_ONLY_MERGE_PAIRS
MKZ_ENTRY(MKZ_HASH_ENTRY(merge_pairs))
(MKZ_GLOBAL const MKZ_WORD *left, mkz_u64 left_offset, MKZ_GLOBAL const MKZ_WORD *right, mkz_u64 right_offset,
 MKZ_GLOBAL MKZ_WORD *out, mkz_u64 out_offset, mkz_u64 count, MKZ_GLOBAL const mkz_u64 *constants MKZ_KEY_PARAMETERS) {
#include "entry_context.h"
    MKZ_TAKE_KEY(ctx);
    MKZ_HASH_BODY(merge_pairs)(item, left, left_offset, right, right_offset, out, out_offset, count, ctx);
}
#endif
