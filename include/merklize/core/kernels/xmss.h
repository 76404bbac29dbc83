/* xmss.h: subtrees of XMSS keys (hashes/xmss.h), all of one height: their slots of level 0, then the levels above.
 *
 * A slot without an epoch of its key below it gets a filler. */
#ifndef MKZ_XMSS_SUBTREES_H
#define MKZ_XMSS_SUBTREES_H

/* Subtree t of all is subtree t % per_key of key t / per_key. */
typedef struct mkz_xmss_subtrees {
    mkz_u64 begin, count; /* the subtrees of the launch */
    mkz_u64 per_key;
    mkz_u64 first_slot;  /* of the launch, which may cover a part of a level */
    mkz_u32 first, last; /* epochs of the keys */
    mkz_u32 levels;      /* of a subtree: it has 2^levels slots of level 0 */
    mkz_u32 level;       /* of the launch */
} mkz_xmss_subtrees;

#endif /* MKZ_XMSS_SUBTREES_H */

/* Slot `rank` of the launch: the lanes' keys, the node's index in its level, and whether it is there. */
MKZ_BODY void MKZ_HASH_BODY(xmss_slots)(mkz_xmss_subtrees trees, MKZ_GLOBAL const mkz_u32 *keys, mkz_u64 rank,
                                        mkz_lane32 p[4], mkz_lane32 seed[8], mkz_lane32 index[1],
                                        mkz_lane32 is_there[1]) {
    mkz_u32 log_slots = trees.levels - trees.level;
    mkz_u64 slots = trees.count << log_slots;
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
        mkz_u64 slot = rank + j < slots ? rank + j : slots - 1, tree = trees.begin + (slot >> log_slots);
        mkz_u64 key = tree / trees.per_key, nth = (trees.first >> trees.levels) + (tree - key * trees.per_key);
        mkz_u32 node = (mkz_u32)((nth << log_slots) + (slot & (((mkz_u64)1 << log_slots) - 1)));
        int there = node >= trees.first >> trees.level && node <= trees.last >> trees.level;
        MKZ_GLOBAL const mkz_u32 *words = keys + MKZ_XMSS_KEY_WORDS * key;
        MKZ_UNROLL for (int k = 0; k < 8; k++) MKZ_LANE(mkz_u32, seed[k], j) = words[k];
        MKZ_UNROLL for (int k = 0; k < 4; k++) MKZ_LANE(mkz_u32, p[k], j) = words[8 + k];
        MKZ_LANE(mkz_u32, index[0], j) = node;
        MKZ_LANE(mkz_u32, is_there[0], j) = there ? 0xffffffffu : 0;
    }
}

MKZ_BODY void MKZ_HASH_BODY(xmss_store)(mkz_xmss_subtrees trees, MKZ_GLOBAL mkz_u32 *out, mkz_u64 rank,
                                        const mkz_lane32 node[4]) {
    mkz_u64 slots = trees.count << (trees.levels - trees.level);
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
        if (j != 0 && rank + j >= slots) continue;
        MKZ_UNROLL for (int k = 0; k < 4; k++) out[4 * (rank + j) + k] = MKZ_LANE(mkz_u32, node[k], j);
    }
}

/* out[4 s ..] = slot s of level 0. keys: MKZ_XMSS_KEY_WORDS words each */
MKZ_BODY void MKZ_HASH_BODY(xmss_leaves)(mkz_work_item item, MKZ_GLOBAL const mkz_u32 *keys, mkz_xmss_subtrees trees,
                                         MKZ_GLOBAL mkz_u32 *out) {
    mkz_u64 rank = trees.first_slot + item.index * MKZ_LANES;
    mkz_lane32 p[4], seed[8], epoch[1], is_there[1], leaf[4], filler[4];
    mkz_u32 any = 0, all = 0xffffffffu;
    if (rank >= trees.count << trees.levels) return;
    MKZ_HASH_BODY(xmss_slots)(trees, keys, rank, p, seed, epoch, is_there);
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
        any |= MKZ_LANE(mkz_u32, is_there[0], j);
        all &= MKZ_LANE(mkz_u32, is_there[0], j);
    }
    MKZ_UNROLL for (int k = 0; k < 4; k++) leaf[k] = filler[k] = MKZ_SPLAT32(0);
    if (any) mkz_xmss_leaf(leaf, p, seed, epoch[0]);
    if (!all) mkz_xmss_node(filler, p, seed, 0, epoch[0], leaf, leaf, MKZ_SPLAT32(0));
    MKZ_UNROLL for (int k = 0; k < 4; k++) leaf[k] = filler[k] ^ ((filler[k] ^ leaf[k]) & is_there[0]);
    MKZ_HASH_BODY(xmss_store)(trees, out, rank, leaf);
}

/* One level: out[4 s ..] = the node above slots 2 s and 2 s + 1 of `in`, which is other memory. */
MKZ_BODY void MKZ_HASH_BODY(xmss_level)(mkz_work_item item, MKZ_GLOBAL const mkz_u32 *keys, mkz_xmss_subtrees trees,
                                        MKZ_GLOBAL const mkz_u32 *in, MKZ_GLOBAL mkz_u32 *out) {
    mkz_u64 rank = trees.first_slot + item.index * MKZ_LANES, slots = trees.count << (trees.levels - trees.level);
    mkz_lane32 p[4], seed[8], index[1], is_there[1], left[4], right[4];
    if (rank >= slots) return;
    MKZ_HASH_BODY(xmss_slots)(trees, keys, rank, p, seed, index, is_there);
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
        mkz_u64 slot = rank + j < slots ? rank + j : slots - 1;
        MKZ_UNROLL for (int k = 0; k < 4; k++) {
            MKZ_LANE(mkz_u32, left[k], j) = in[8 * slot + k];
            MKZ_LANE(mkz_u32, right[k], j) = in[8 * slot + 4 + k];
        }
    }
    mkz_xmss_node(left, p, seed, trees.level, index[0], left, right, is_there[0]);
    MKZ_HASH_BODY(xmss_store)(trees, out, rank, left);
}

#if MKZ_ENTRIES & MKZ_ONLY_XMSS
MKZ_ENTRY(MKZ_HASH_ENTRY(xmss_leaves))
(MKZ_GLOBAL const mkz_u32 *keys, mkz_xmss_subtrees trees, MKZ_GLOBAL mkz_u32 *out) {
    MKZ_HASH_BODY(xmss_leaves)(MKZ_THIS_ITEM(), keys, trees, out);
}

MKZ_ENTRY(MKZ_HASH_ENTRY(xmss_level))
(MKZ_GLOBAL const mkz_u32 *keys, mkz_xmss_subtrees trees, MKZ_GLOBAL const mkz_u32 *in, MKZ_GLOBAL mkz_u32 *out) {
    MKZ_HASH_BODY(xmss_level)(MKZ_THIS_ITEM(), keys, trees, in, out);
}
#endif
