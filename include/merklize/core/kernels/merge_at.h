/* merge_at.h: the paths above some nodes of a level. */

/* Paths: `levels` levels of parents above some nodes of one level of a tree in heap order, in place. The siblings along
 * the paths must be there already. The nodes are given by their indices within the level, ascending and distinct, cut
 * into segments. Group g has the segment lists[list + lists[starts + g]] .. lists[list + lists[starts + g + 1] - 1].
 * All nodes of a segment must be below one node that is `levels` levels up, and no other segment may have a node below
 * it. One group for each segment.
 * nodes    slot 0 of the tree
 * first    slot of the first node of the level
 * width    nodes of the level
 * odd_node  what becomes of the last node of an odd level: 0 it moves up unchanged, 1 it is merged with itself, 2 it
 *          is merged with pads[pad_0] in this level, pads[pad_0 + 1] in the next level, ... */
MKZ_BODY void MKZ_HASH_BODY(merge_at)(mkz_work_item item, MKZ_GLOBAL MKZ_WORD *nodes, mkz_u64 first, mkz_u64 width,
                                      MKZ_GLOBAL const mkz_u32 *lists, mkz_u64 list, mkz_u64 starts, mkz_u32 levels,
                                      mkz_u32 odd_node, MKZ_GLOBAL const MKZ_WORD *pads, mkz_u64 pad_0,
                                      mkz_context ctx) {
    mkz_u32 begin = lists[starts + item.group], n = lists[starts + item.group + 1] - begin;
    lists += list + begin;
    MKZ_NO_UNROLL for (mkz_u32 level = 0; level < levels; level++) {
        MKZ_NO_UNROLL for (mkz_u32 i = item.rank * MKZ_LANES; i < n; i += MKZ_GROUP_NODES) {
            MKZ_WORD_LANE left[MKZ_NODE_WORDS], right[MKZ_NODE_WORDS];
            MKZ_WORD node[MKZ_NODE_WORDS];
            mkz_u64 parents[MKZ_LANES];
            mkz_u32 ours[MKZ_LANES], any = 0; /* if two neighbours have one parent, the first merges */
            MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
                mkz_u32 at = j == 0 || i + j < n ? i + j : n - 1;
                parents[j] = lists[at] >> level >> 1;
                ours[j] = (j == 0 || i + j < n) && (at == 0 || lists[at - 1] >> level >> 1 != parents[j]);
                any |= ours[j];
            }
            if (!any) continue;
            MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
                mkz_u64 child = first + 2 * parents[j];
                MKZ_WORD_FN(load_node)(node, nodes, child);
                MKZ_UNROLL for (int k = 0; k < MKZ_NODE_WORDS; k++) MKZ_LANE(MKZ_WORD, left[k], j) = node[k];
                if (2 * parents[j] + 1 < width)
                    MKZ_WORD_FN(load_node)(node, nodes, child + 1);
                else if (odd_node == 2)
                    MKZ_WORD_FN(load_node)(node, pads, pad_0 + level);
                MKZ_UNROLL for (int k = 0; k < MKZ_NODE_WORDS; k++) MKZ_LANE(MKZ_WORD, right[k], j) = node[k];
            }
            MKZ_MERGE(left, left, right);
            MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
                MKZ_UNROLL for (int k = 0; k < MKZ_NODE_WORDS; k++) node[k] = MKZ_LANE(MKZ_WORD, left[k], j);
                if (odd_node == 0 && 2 * parents[j] + 1 >= width)
                    MKZ_WORD_FN(load_node)(node, nodes, first + 2 * parents[j]);
                if (ours[j]) MKZ_WORD_FN(store_node)(nodes, first / 2 + parents[j], node);
            }
        }
        MKZ_BARRIER(item);
        first /= 2;
        width = width / 2 + width % 2;
    }
}

#if MKZ_ENTRIES & MKZ_ONLY_MERGE_AT
MKZ_ENTRY(MKZ_HASH_ENTRY(merge_at))
(MKZ_GLOBAL MKZ_WORD *nodes, mkz_u64 slot_0, mkz_u64 first, mkz_u64 width, MKZ_GLOBAL const mkz_u32 *lists,
 mkz_u64 list, mkz_u64 starts, mkz_u32 levels, mkz_u32 odd_node, MKZ_GLOBAL const MKZ_WORD *pads, mkz_u64 pad_0,
 MKZ_GLOBAL const mkz_u64 *constants MKZ_KEY_PARAMETERS) {
#include "entry_context.h"
    MKZ_TAKE_KEY(ctx);
    MKZ_HASH_BODY(merge_at)(item, nodes + MKZ_NODE_WORDS * slot_0, first, width, lists, list, starts, levels, odd_node,
                            pads, pad_0, ctx);
}
#endif
