/* merge_edge.h: the right edge of a tree: the nodes that are above the last leaf and above fewer than 2^level leaves.
 */

/* The edge of a tree in heap order whose other nodes are there already. One item does it all, from level 1 upward: an
 * edge is a few merges one after another, and for most counts of leaves it is short. One group; only its first item
 * works.
 * leaves   the level 0: leaf k is at leaf_0 + k
 * nodes    slot 0 of the tree: level l > 0 begins at slot 2^(levels - l)
 * count    leaves, 1 to 2^levels
 * odd_node  what becomes of the last node of an odd level: 0 it moves up unchanged, 1 it is merged with itself, 2 it
 *          is merged with the root of a tree of as many leaves `padding` as are below it */
MKZ_BODY void MKZ_HASH_BODY(merge_edge)(mkz_work_item item, MKZ_GLOBAL const MKZ_WORD *leaves, mkz_u64 leaf_0,
                                        MKZ_GLOBAL MKZ_WORD *nodes, mkz_u64 count, mkz_u32 levels, mkz_u32 odd_node,
                                        mkz_key padding, mkz_context ctx) {
    MKZ_WORD pad[MKZ_NODE_WORDS], node[MKZ_NODE_WORDS], sibling[MKZ_NODE_WORDS];
    if (item.index != 0) return;
#if MKZ_UNIT_WORD_BITS == 64
    MKZ_UNROLL for (int k = 0; k < MKZ_NODE_WORDS; k++) pad[k] = padding.w[2 * k] | (mkz_u64)padding.w[2 * k + 1] << 32;
#else
    MKZ_UNROLL for (int k = 0; k < MKZ_NODE_WORDS; k++) pad[k] = padding.w[k];
#endif
    /* One copy of the merge: the even steps make nodes, the odd ones the padding of the next level. */
    MKZ_NO_UNROLL for (mkz_u32 step = 0; step < 2 * levels; step++) {
        MKZ_WORD_LANE left[MKZ_NODE_WORDS], right[MKZ_NODE_WORDS];
        mkz_u32 level = step / 2, fills = step % 2;
        mkz_u64 last = (count - 1) >> level, parent = last / 2, slot = ((mkz_u64)1 << (levels - level)) / 2 + parent;
        if (fills) {
            if (odd_node != 2) continue;
            MKZ_UNROLL for (int k = 0; k < MKZ_NODE_WORDS; k++) node[k] = sibling[k] = pad[k];
        } else {
            if (parent < count >> level >> 1) continue; /* it is above 2^(level + 1) leaves */
            if (level == 0)
                MKZ_WORD_FN(load_node)(node, leaves, leaf_0 + 2 * parent);
            else
                MKZ_WORD_FN(load_node)(node, nodes, 2 * slot);
            if (last % 2 == 0 && odd_node == 0) {
                MKZ_WORD_FN(store_node)(nodes, slot, node);
                continue;
            }
            if (last % 2 == 0) {
                MKZ_UNROLL for (int k = 0; k < MKZ_NODE_WORDS; k++) sibling[k] = odd_node == 2 ? pad[k] : node[k];
            } else if (level == 0) {
                MKZ_WORD_FN(load_node)(sibling, leaves, leaf_0 + last);
            } else {
                MKZ_WORD_FN(load_node)(sibling, nodes, 2 * slot + 1);
            }
        }
        MKZ_UNROLL for (int k = 0; k < MKZ_NODE_WORDS; k++) {
            MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) {
                MKZ_LANE(MKZ_WORD, left[k], j) = node[k];
                MKZ_LANE(MKZ_WORD, right[k], j) = sibling[k];
            }
        }
        MKZ_MERGE(left, left, right);
        MKZ_UNROLL for (int k = 0; k < MKZ_NODE_WORDS; k++) node[k] = MKZ_LANE(MKZ_WORD, left[k], 0);
        if (fills) {
            MKZ_UNROLL for (int k = 0; k < MKZ_NODE_WORDS; k++) pad[k] = node[k];
        } else {
            MKZ_WORD_FN(store_node)(nodes, slot, node);
        }
    }
}

#if MKZ_ENTRIES & MKZ_ONLY_MERGE_EDGE
MKZ_ENTRY(MKZ_HASH_ENTRY(merge_edge))
(MKZ_GLOBAL const MKZ_WORD *leaves, mkz_u64 leaf_0, MKZ_GLOBAL MKZ_WORD *nodes, mkz_u64 slot_0, mkz_u64 count,
 mkz_u32 levels, mkz_u32 odd_node, mkz_key padding, MKZ_GLOBAL const mkz_u64 *constants MKZ_KEY_PARAMETERS) {
#include "entry_context.h"
    MKZ_TAKE_KEY(ctx);
    MKZ_HASH_BODY(merge_edge)(item, leaves, leaf_0, nodes + MKZ_NODE_WORDS * slot_0, count, levels, odd_node, padding,
                              ctx);
}
#endif
