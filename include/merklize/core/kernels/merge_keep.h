/* merge_keep.h: the first level of a tree whose leaves are copied while they are read. */

/* As merge_level, and kept[kept_offset + i] = in[in_offset + i] for i < 2 count. The copy overlaps with the merges, and its bytes come
 * from memory once. It is made by neighbouring items together, half a node each, since an item that stored its own nodes would write
 * parts of memory sectors. `kept` and `in` must not overlap. */
MKZ_BODY void MKZ_K(merge_keep)(mkz_work_item item, MKZ_GLOBAL const MKZ_WORD *in, mkz_u64 in_offset,
                                MKZ_GLOBAL MKZ_WORD *kept, mkz_u64 kept_offset, MKZ_GLOBAL MKZ_WORD *out,
                                mkz_u64 out_offset, mkz_u64 count, mkz_context ctx) {
    MKZ_WORD_LANE left[MKZ_NODE_WORDS], right[MKZ_NODE_WORDS];
    mkz_u64 i = item.index * MKZ_LANES;
    mkz_u64 part = 4 * item.group * MKZ_GROUP_NODES + item.rank;
    MKZ_UNROLL for (mkz_u32 j = 0; j < 4 * MKZ_LANES; j++, part += MKZ_GROUP_SIZE) {
        if (part < 4 * count) MKZ_N(copy_half)(kept, 2 * kept_offset + part, in, 2 * in_offset + part);
    }
    if (i >= count) return;
    MKZ_N(load_nodes)(left, in, in_offset + 2 * i, 2, count - i);
    MKZ_N(load_nodes)(right, in, in_offset + 2 * i + 1, 2, count - i);
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
