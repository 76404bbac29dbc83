/* merge_keep.h: the first levels of a tree whose leaves are copied while they are read. */

/* One or two levels, and kept[kept_offset + i] = in[in_offset + i] for i < 2 count:
 *   out[out_offset + i]   = merge(in[in_offset + 2i], in[in_offset + 2i + 1]) for i < count,
 *   out[above_offset + i] = merge(out[out_offset + 2i], out[out_offset + 2i + 1]) for i < count / 2, if levels is 2.
 * count   even, if levels is 2
 * The copy overlaps with the merges, and its bytes come from memory once; so do the nodes of the second level. It is
 * made by neighbouring items together, half a node each, since an item that stored its own nodes would write parts of
 * memory sectors. `kept` and `in` must not overlap. Groups: ceil(count / 2 / MKZ_GROUP_NODES). */
MKZ_BODY void MKZ_HASH_BODY(merge_keep)(mkz_work_item item, MKZ_GLOBAL const MKZ_WORD *in, mkz_u64 in_offset,
                                        MKZ_GLOBAL MKZ_WORD *kept, mkz_u64 kept_offset, MKZ_GLOBAL MKZ_WORD *out,
                                        mkz_u64 out_offset, mkz_u64 above_offset, mkz_u64 count, mkz_u32 levels,
                                        mkz_context ctx) {
    MKZ_WORD_LANE node[MKZ_NODE_WORDS], right[MKZ_NODE_WORDS], first[MKZ_NODE_WORDS];
    mkz_u64 i = item.index * MKZ_LANES; /* of the second level */
    mkz_u64 part = 8 * item.group * MKZ_GROUP_NODES + item.rank;
    MKZ_UNROLL for (mkz_u32 j = 0; j < 8 * MKZ_LANES; j++, part += MKZ_GROUP_SIZE) {
        if (part < 4 * count) MKZ_WORD_FN(copy_half)(kept, 2 * kept_offset + part, in, 2 * in_offset + part);
    }
    /* The left one of two nodes, the right one, and the node above them. */
    MKZ_NO_UNROLL for (mkz_u32 k = 0; k < levels + 1; k++) {
        mkz_u64 there = k == 0 ? (count + 1) / 2 : count / 2;
        if (i >= there) return;
        if (k < 2) {
            MKZ_WORD_FN(load_nodes)(node, in, in_offset + 4 * i + 2 * k, 4, there - i);
            MKZ_WORD_FN(load_nodes)(right, in, in_offset + 4 * i + 2 * k + 1, 4, there - i);
        } else {
            MKZ_UNROLL for (int w = 0; w < MKZ_NODE_WORDS; w++) {
                right[w] = node[w];
                node[w] = first[w];
            }
        }
        MKZ_MERGE(node, node, right);
        if (k == 0) {
            MKZ_UNROLL for (int w = 0; w < MKZ_NODE_WORDS; w++) first[w] = node[w];
        }
        if (k < 2)
            MKZ_WORD_FN(store_nodes)(out, out_offset + 2 * i + k, 2, there - i, node);
        else
            MKZ_WORD_FN(store_nodes)(out, above_offset + i, 1, there - i, node);
    }
}

#if MKZ_ENTRIES & MKZ_ONLY_MERGE_KEEP
MKZ_ENTRY(MKZ_HASH_ENTRY(merge_keep))
(MKZ_GLOBAL const MKZ_WORD *in, mkz_u64 in_offset, MKZ_GLOBAL MKZ_WORD *kept, mkz_u64 kept_offset,
 MKZ_GLOBAL MKZ_WORD *out, mkz_u64 out_offset, mkz_u64 above_offset, mkz_u64 count, mkz_u32 levels,
 MKZ_GLOBAL const mkz_u64 *constants MKZ_KEY_PARAMETERS) {
#include "entry_context.h"
    MKZ_TAKE_KEY(ctx);
    MKZ_HASH_BODY(merge_keep)
    (item, in, in_offset, kept, kept_offset, out, out_offset, above_offset, count, levels, ctx);
}
#endif
