/* merge_keep.h: the first level of a tree whose leaves are copied while they are read. */

/* As merge_level, and kept[kept_offset + i] = in[in_offset + i] for i < 2 count. The copy costs no read of its own, and its writes
 * overlap with the merges. `kept` and `in` must not overlap. */
MKZ_BODY void MKZ_K(merge_keep)(mkz_work_item item, MKZ_GLOBAL const MKZ_WORD *in, mkz_u64 in_offset,
                                MKZ_GLOBAL MKZ_WORD *kept, mkz_u64 kept_offset, MKZ_GLOBAL MKZ_WORD *out,
                                mkz_u64 out_offset, mkz_u64 count, mkz_context ctx) {
    MKZ_WORD_LANE left[MKZ_NODE_WORDS], right[MKZ_NODE_WORDS];
    mkz_u64 i = item.index * MKZ_LANES;
    if (i >= count) return;
    MKZ_N(load_nodes)(left, in, in_offset + 2 * i, 2, count - i);
    MKZ_N(load_nodes)(right, in, in_offset + 2 * i + 1, 2, count - i);
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
        MKZ_WORD node[MKZ_NODE_WORDS];
        if (j != 0 && j >= count - i) continue;
        MKZ_UNROLL for (int k = 0; k < MKZ_NODE_WORDS; k++) node[k] = MKZ_LANE(MKZ_WORD, left[k], j);
        MKZ_N(store_node)(kept, kept_offset + 2 * (i + j), node);
        MKZ_UNROLL for (int k = 0; k < MKZ_NODE_WORDS; k++) node[k] = MKZ_LANE(MKZ_WORD, right[k], j);
        MKZ_N(store_node)(kept, kept_offset + 2 * (i + j) + 1, node);
    }
    MKZ_MERGE(left, left, right);
    MKZ_N(store_nodes)(out, out_offset + i, count - i, left);
}

#if MKZ_ENTRIES & MKZ_ONLY_MERGE_KEEP
MKZ_ENTRY(MKZ_E(merge_keep))
(MKZ_GLOBAL const MKZ_WORD *in, mkz_u64 in_offset, MKZ_GLOBAL MKZ_WORD *kept, mkz_u64 kept_offset,
 MKZ_GLOBAL MKZ_WORD *out, mkz_u64 out_offset, mkz_u64 count, MKZ_GLOBAL const mkz_u64 *constants MKZ_KEY_PARAMETERS) {
#include "entry_context.h"
    MKZ_TAKE_KEY(ctx);
    MKZ_K(merge_keep)(item, in, in_offset, kept, kept_offset, out, out_offset, count, ctx);
}
#endif
