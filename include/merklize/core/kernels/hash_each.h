/* hash_each.h: digests of n messages of any lengths by a hash with a chunk tree: all chunks of all messages, then level
 * by level all parents, the last ones together.
 *
 *   messages   A: 3 chunks      B: 1 chunk    C: 2 chunks
 *   slots      A0 A1 A2         B0            C0 C1        hash_each: the digest of B, and values of the others
 *   level 1    A01 A2  -        -             C01          hash_each_parents, level = 1: the digest of C
 *   level 2    A012    -        -             -            level = 2: the digest of A. Or both levels by one launch of
 *                                                          hash_each_tower, where a group makes those of a message
 *
 * The table has a word of 64 bits for each of
 *   first [n + 1]  chunks of all messages before this one; an empty message has one chunk
 *   place [n]      where the message begins: bytes from `in` on, modulo 2^64
 *   bytes [n]      its length
 * At level l > 0 the values of message m begin at slot (first[m] >> l) + m. That is never inside the slots of the
 * message before, which needs at most ceil(c / 2^l) of them for its c chunks: floor(x + y) - floor(x) + 1 >= ceil(y).
 * So one table serves all levels, and a slot knows its message by a search. */

/* Slot of the first value of a message. */
MKZ_BODY mkz_u64 MKZ_HASH_BODY(each_slot)(MKZ_GLOBAL const mkz_u64 *first, mkz_u32 level, mkz_u32 m) {
    return level == 0 ? first[m] : (first[m] >> level) + m;
}

/* The message of a slot: the last one that begins at or before it. */
MKZ_BODY mkz_u32 MKZ_HASH_BODY(each_message)(MKZ_GLOBAL const mkz_u64 *first, mkz_u32 n, mkz_u32 level, mkz_u64 slot) {
    mkz_u32 low = 0, high = n;
    MKZ_NO_UNROLL while (high - low > 1) {
        mkz_u32 middle = low + (high - low) / 2;
        if (MKZ_HASH_BODY(each_slot)(first, level, middle) <= slot)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Chunks. Launched with ceil(first[n] / MKZ_GROUP_NODES) groups; an item hashes MKZ_LANES chunks.
 * table   from its word table_at on
 * values  [first[n]] values; not written for messages of one chunk
 * out     out[out_at + m] = digest of message m, if it has one chunk; with below_root nothing
 * key     the IV, or the mode's key words
 * flags   the mode's flags */
MKZ_BODY void MKZ_HASH_BODY(hash_each)(mkz_work_item item, MKZ_GLOBAL const mkz_u8 *in, MKZ_GLOBAL const mkz_u64 *table,
                                       mkz_u32 n, MKZ_GLOBAL mkz_u32 *values, MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_at,
                                       mkz_key key, mkz_u32 flags, mkz_u32 below_root) {
    mkz_u64 slot = item.index * MKZ_LANES, total = table[n];
    MKZ_GLOBAL const mkz_u64 *places = table + n + MKZ_U64(1), *lengths = places + n;
    mkz_lane32 cv[8], lo, hi;
    mkz_u64 at[MKZ_LANES];
    mkz_u32 message[MKZ_LANES], bytes[MKZ_LANES], tip[MKZ_LANES], m, whole = MKZ_LANES > 1;
    if (slot >= total) return;
    m = MKZ_HASH_BODY(each_message)(table, n, 0, slot);
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
        mkz_u64 here = j == 0 || slot + j < total ? slot + j : total - 1, chunk, length;
        if (j != 0 && here == table[m + 1]) m++;
        chunk = here - table[m];
        length = lengths[m] - chunk * MKZ_UNIT_CHUNK_BYTES;
        message[j] = m;
        bytes[j] = length < MKZ_UNIT_CHUNK_BYTES ? (mkz_u32)length : MKZ_UNIT_CHUNK_BYTES;
        tip[j] = table[m + 1] - table[m] == 1 ? MKZ_UNIT_ROOT_FLAG : 0;
        at[j] = places[m] + chunk * MKZ_UNIT_CHUNK_BYTES;
        if (bytes[j] != MKZ_UNIT_CHUNK_BYTES || tip[j] != tip[0]) whole = 0;
        MKZ_LANE(mkz_u32, lo, j) = (mkz_u32)chunk;
        MKZ_LANE(mkz_u32, hi, j) = (mkz_u32)(chunk >> 32);
    }
    MKZ_UNROLL for (int k = 0; k < 8; k++) cv[k] = MKZ_SPLAT32(key.w[k]);
    MKZ_HASH_BODY(chunk_blocks)(cv, in, at, bytes, tip, whole, lo, hi, flags);
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
        mkz_u32 node[8];
        MKZ_UNROLL for (int k = 0; k < 8; k++) node[k] = MKZ_LANE(mkz_u32, cv[k], j);
        if (j != 0 && slot + j >= total) continue;
        if (tip[j] == 0)
            mkz_store_node32(values, slot + j, node);
        else if (!below_root)
            mkz_store_node32(out, out_at + message[j], node);
    }
}

/* Parents: one level. Launched with ceil(((first[n] >> level) + n) / MKZ_GROUP_NODES) groups.
 * level       1, then 2 and so on until the longest message has one value
 * from        values of the level below
 * to          values of this level; `to` and `from` must not overlap
 * out         digests of the messages whose root is in this level
 * below_root  1: out[out_at + 2 m] and the next node are the two values below that root, instead of the digest */
MKZ_BODY void MKZ_HASH_BODY(hash_each_parents)(mkz_work_item item, MKZ_GLOBAL const mkz_u64 *table, mkz_u32 n,
                                               mkz_u32 level, MKZ_GLOBAL const mkz_u32 *from, MKZ_GLOBAL mkz_u32 *to,
                                               MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_at, mkz_key key, mkz_u32 flags,
                                               mkz_u32 below_root) {
    mkz_u64 slot = item.index * MKZ_LANES, total = (table[n] >> level) + n, child[MKZ_LANES];
    mkz_u32 message[MKZ_LANES], count_is[MKZ_LANES], m,
        any = 0; /* count_is: 0 nothing to do, 1 odd, 2 the root, 3 a pair */
    mkz_lane32 left[8], right[8], k[8], marks;
    if (slot >= total) return;
    m = MKZ_HASH_BODY(each_message)(table, n, level, slot);
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
        mkz_u64 here = slot + j, index, count;
        if (j != 0 && m + 1 < n && here == MKZ_HASH_BODY(each_slot)(table, level, m + 1)) m++;
        index = 2 * (here - MKZ_HASH_BODY(each_slot)(table, level, m));
        count = table[m + 1] - table[m]; /* values of the level below */
        count = (count >> (level - 1)) + ((count & (((mkz_u64)1 << (level - 1)) - 1)) != 0);
        child[j] = MKZ_HASH_BODY(each_slot)(table, level - 1, m) + index;
        message[j] = m;
        count_is[j] = here >= total || count < 2 || index >= count ? 0 : count == 2 ? 2 : index + 1 == count ? 1 : 3;
        any |= count_is[j];
    }
    if (!any) return;
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
        mkz_u32 node[8];
        MKZ_UNROLL for (int w = 0; w < 8; w++) node[w] = 0;
        if (count_is[j]) mkz_load_node32(node, from, child[j]);
        MKZ_UNROLL for (int w = 0; w < 8; w++) MKZ_LANE(mkz_u32, left[w], j) = node[w];
        if (count_is[j] > 1) mkz_load_node32(node, from, child[j] + 1);
        MKZ_UNROLL for (int w = 0; w < 8; w++) MKZ_LANE(mkz_u32, right[w], j) = node[w];
        MKZ_LANE(mkz_u32, marks, j) = count_is[j] == 2 ? flags | MKZ_UNIT_ROOT_FLAG : flags;
        if (count_is[j] == 2 && below_root) {
            MKZ_UNROLL for (int w = 0; w < 8; w++) node[w] = MKZ_LANE(mkz_u32, left[w], j);
            mkz_store_node32(out, out_at + 2 * (mkz_u64)message[j], node);
            MKZ_UNROLL for (int w = 0; w < 8; w++) node[w] = MKZ_LANE(mkz_u32, right[w], j);
            mkz_store_node32(out, out_at + 2 * (mkz_u64)message[j] + 1, node);
        }
    }
    MKZ_UNROLL for (int w = 0; w < 8; w++) k[w] = MKZ_SPLAT32(key.w[w]);
    MKZ_HASH_FN(parent)(left, left, right, k, marks);
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
        mkz_u32 node[8];
        /* A value without a sibling moves up unchanged; it was read twice. */
        MKZ_UNROLL for (int w = 0; w < 8; w++) {
            mkz_u32 merged = MKZ_LANE(mkz_u32, left[w], j), alone = MKZ_LANE(mkz_u32, right[w], j);
            node[w] = count_is[j] == 1 ? alone : merged;
        }
        if (count_is[j] == 2) {
            if (!below_root) mkz_store_node32(out, out_at + message[j], node);
        } else if (count_is[j]) {
            mkz_store_node32(to, slot + j, node);
        }
    }
}

/* The parents that are left from a level on, a group for each message, which has at most 2 MKZ_GROUP_SIZE values in
 * that level. Launched with n groups.
 * level  of the values in `from`
 * The others are as for one level; the digests are written. */
MKZ_BODY void MKZ_HASH_BODY(hash_each_tower)(mkz_work_item item, MKZ_GLOBAL const mkz_u64 *table, mkz_u32 level,
                                             MKZ_GLOBAL const mkz_u32 *from, MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_at,
                                             mkz_key key, mkz_u32 flags, MKZ_LOCAL mkz_u32 *tower) {
    mkz_u32 m = (mkz_u32)item.group, levels = 0;
    mkz_u64 count = table[m + 1] - table[m];
    count = (count >> level) + ((count & (((mkz_u64)1 << level) - 1)) != 0);
    while (((mkz_u64)1 << levels) < count) levels++;
    item.group = 0;
    if (levels != 0) /* else the launch over chunks has written the digest, or a lower level has */
        MKZ_HASH_BODY(hash_parents)(item, from, MKZ_HASH_BODY(each_slot)(table, level, m), out, out_at + m, count, 1,
                                    key, flags | MKZ_UNIT_ROOT_FLAG, levels, 0, tower);
}

#if MKZ_ENTRIES & MKZ_ONLY_HASH_EACH
MKZ_ENTRY(MKZ_HASH_ENTRY(hash_each))
(MKZ_GLOBAL const mkz_u8 *in, MKZ_GLOBAL const mkz_u64 *table, mkz_u64 table_at, mkz_u32 n, MKZ_GLOBAL mkz_u32 *values,
 MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_at, mkz_key key, mkz_u32 flags, mkz_u32 below_root) {
    MKZ_HASH_BODY(hash_each)(MKZ_THIS_ITEM(), in, table + table_at, n, values, out, out_at, key, flags, below_root);
}

MKZ_ENTRY(MKZ_HASH_ENTRY(hash_each_parents))
(MKZ_GLOBAL const mkz_u64 *table, mkz_u64 table_at, mkz_u32 n, mkz_u32 level, MKZ_GLOBAL const mkz_u32 *from,
 MKZ_GLOBAL mkz_u32 *to, MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_at, mkz_key key, mkz_u32 flags, mkz_u32 below_root) {
    MKZ_HASH_BODY(hash_each_parents)(MKZ_THIS_ITEM(), table + table_at, n, level, from, to, out, out_at, key, flags,
                                     below_root);
}

MKZ_ENTRY(MKZ_HASH_ENTRY(hash_each_tower))
(MKZ_GLOBAL const mkz_u64 *table, mkz_u64 table_at, mkz_u32 level, MKZ_GLOBAL const mkz_u32 *from,
 MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_at, mkz_key key, mkz_u32 flags) {
    MKZ_LOCAL_ARRAY(mkz_u32, tower, MKZ_TOWER_WORDS);
    MKZ_HASH_BODY(hash_each_tower)(MKZ_THIS_ITEM(), table + table_at, level, from, out, out_at, key, flags, tower);
}
#endif
