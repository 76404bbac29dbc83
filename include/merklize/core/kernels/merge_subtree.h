/* merge_subtree.h: several levels of a tree in one launch, each group on its own subtree. */

#if MKZ_UNIT_HAS_TEAMS
/* Merges by the teams of a group, nodes <= MKZ_GROUP_TEAMS of them: team t < nodes merges children 2t and 2t + 1 into
 * node t. It reads them from `in`, or from the tower `from` if from_stride is not 0. It writes to `out`, and to the
 * tower `to` if to_stride is not 0. */
MKZ_BODY void MKZ_HASH_BODY(merge_by_teams)(mkz_work_item item, MKZ_GLOBAL const MKZ_WORD *in,
                                            MKZ_LOCAL const MKZ_WORD *from, mkz_u32 from_stride,
                                            MKZ_GLOBAL MKZ_WORD *out, MKZ_LOCAL MKZ_WORD *to, mkz_u32 to_stride,
                                            mkz_u32 nodes, mkz_context ctx, MKZ_LOCAL MKZ_WORD *cells) {
    mkz_u32 team = item.rank / MKZ_UNIT_TEAM_ITEMS, cell = item.rank % MKZ_UNIT_TEAM_ITEMS;
    mkz_u32 works = team < nodes && cell < MKZ_UNIT_STATE_WORDS, k = MKZ_HASH_FN(team_input)(cell);
    MKZ_WORD x = 0;
    if (works && k < 2 * MKZ_NODE_WORDS) {
        x = from_stride ? from[(k % MKZ_NODE_WORDS) * from_stride + 2 * team + k / MKZ_NODE_WORDS]
                        : in[2 * MKZ_NODE_WORDS * team + k];
    }
    x = MKZ_HASH_FN(merge_team)(item, cells + MKZ_UNIT_TEAM_ITEMS * team, cell, works, x, ctx);
    if (works && k < MKZ_NODE_WORDS) {
        out[MKZ_NODE_WORDS * team + k] = x;
        if (to_stride) to[k * to_stride + team] = x;
    }
}
#endif

/* `levels` levels in one launch. Group g merges inputs [g 2^levels, (g + 1) 2^levels) of in + in_offset upward, waits
 * at a barrier after each level, and writes every node. A level that fits stays in local memory for the next level.
 * count       number of inputs, a multiple of 2^levels, so there are count >> levels groups. If 2^(levels - 1) >=
 *             MKZ_GROUP_NODES, no item is idle in the first level.
 * out_offset  place of the first output of the first level. It halves from level to level, as the place of a parent
 *             does in heap order: `out` is slot 0 of the tree, and out_offset must be a multiple of 2^(levels - 1).
 * Above the level of m nodes of a heap-ordered tree: in = out, in_offset = count = m, out_offset = m / 2. */
MKZ_BODY void MKZ_HASH_BODY(merge_subtree)(mkz_work_item item, MKZ_GLOBAL const MKZ_WORD *in, mkz_u64 in_offset,
                                           MKZ_GLOBAL MKZ_WORD *out, mkz_u64 out_offset, mkz_u64 count, mkz_u32 levels,
                                           mkz_context ctx, MKZ_LOCAL MKZ_WORD *tower, MKZ_LOCAL MKZ_WORD *cells) {
    mkz_u32 side = 1, held = 0; /* the side of the tower that was written last; whether it holds the inputs */
    (void)cells;
    /* One copy of the merge for all levels; only the place of its operands changes. */
    MKZ_NO_UNROLL for (mkz_u32 above = levels; above-- > 0;) {
        mkz_u64 first = item.group << above, i = (mkz_u64)item.rank * MKZ_LANES;
        mkz_u64 nodes = first < count >> (levels - above) ? (mkz_u64)1 << above : 0; /* none beyond the last */
        mkz_u32 keep = (mkz_u64)1 << above <= MKZ_TOWER_NODES;
        MKZ_LOCAL const MKZ_WORD *from = tower + MKZ_TOWER_START(side);
        MKZ_LOCAL MKZ_WORD *to = tower + MKZ_TOWER_START(!side);
#if MKZ_UNIT_HAS_TEAMS
        if ((mkz_u64)1 << above <= MKZ_GROUP_TEAMS) {
            MKZ_HASH_BODY(merge_by_teams)(item, in + MKZ_NODE_WORDS * (in_offset + 2 * first), from,
                                          held ? MKZ_TOWER_STRIDE(side) : 0,
                                          out + MKZ_NODE_WORDS * (out_offset + first), to,
                                          keep ? MKZ_TOWER_STRIDE(!side) : 0, (mkz_u32)nodes, ctx, cells);
        } else
#endif
            MKZ_NO_UNROLL for (; i < nodes; i += MKZ_GROUP_NODES) {
                MKZ_WORD_LANE left[MKZ_NODE_WORDS], right[MKZ_NODE_WORDS];
                mkz_u64 rest = nodes - i;
                if (held) {
                    mkz_u32 stride = MKZ_TOWER_STRIDE(side), at = 2 * (mkz_u32)i, n = (mkz_u32)rest;
                    MKZ_WORD_FN(load_local)(left, from, stride, at, 2, n);
                    MKZ_WORD_FN(load_local)(right, from, stride, at + 1, 2, n);
                } else {
                    MKZ_WORD_FN(load_nodes)(left, in, in_offset + 2 * (first + i), 2, rest);
                    MKZ_WORD_FN(load_nodes)(right, in, in_offset + 2 * (first + i) + 1, 2, rest);
                }
                MKZ_MERGE(left, left, right);
                MKZ_WORD_FN(store_nodes)(out, out_offset + first + i, 1, rest, left);
                if (keep) MKZ_WORD_FN(store_local)(to, MKZ_TOWER_STRIDE(!side), (mkz_u32)i, (mkz_u32)rest, left);
            }
        MKZ_BARRIER(item);
        in = out;
        in_offset = out_offset;
        out_offset >>= 1;
        if (keep) side = !side;
        held = keep;
    }
}

#if MKZ_ENTRIES & MKZ_ONLY_MERGE_SUBTREE
MKZ_ENTRY(MKZ_HASH_ENTRY(merge_subtree))
(MKZ_GLOBAL const MKZ_WORD *in, mkz_u64 in_offset, MKZ_GLOBAL MKZ_WORD *out, mkz_u64 slot_0, mkz_u64 out_offset,
 mkz_u64 count, mkz_u32 levels, MKZ_GLOBAL const mkz_u64 *constants MKZ_KEY_PARAMETERS) {
    MKZ_LOCAL_ARRAY(MKZ_WORD, tower, MKZ_TOWER_WORDS);
    MKZ_LOCAL_ARRAY(MKZ_WORD, cells, MKZ_TEAM_WORDS);
#include "entry_context.h"
    MKZ_TAKE_KEY(ctx);
    MKZ_HASH_BODY(merge_subtree)(item, in, in_offset, out + MKZ_NODE_WORDS * slot_0, out_offset, count, levels, ctx,
                                 tower, cells);
}
#endif
