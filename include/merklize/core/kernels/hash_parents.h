/* hash_parents.h: levels of the tree inside a digest (hash_chunks.h). */

/* The tree above the chunks. The input is `rows` rows of `count` > 0 values, one row after another from in + in_offset
 * on. The output is for each row the ceil(count / 2^levels) values that are `levels` levels above, one row after
 * another from out + out_offset on. Repeated until one value is left, this gives BLAKE3's tree. Launched with ceil(rows
 * ceil(count / 2) / MKZ_GROUP_SIZE) groups. `in` and `out` must not overlap.
 * levels  1, or more if rows == 1 and 2^levels <= 2 MKZ_GROUP_SIZE
 * keep    1: the values of the levels between are written too: those of a level behind those of the level below it, the
 *         first ceil(count / 2) from out_offset on. Then rows == 1
 * key     as for hash_chunks
 * flags   the mode's flags. With MKZ_UNIT_ROOT_FLAG only if each row gives one value (count <= 2^levels), which is the
 *         digest */
MKZ_BODY void MKZ_HASH_BODY(hash_parents)(mkz_work_item item, MKZ_GLOBAL const mkz_u32 *in, mkz_u64 in_offset,
                                          MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset, mkz_u64 count, mkz_u64 rows,
                                          mkz_key key, mkz_u32 flags, mkz_u32 levels, mkz_u32 keep,
                                          MKZ_LOCAL mkz_u32 *tower) {
    mkz_u64 parents = count / 2 + count % 2, total = parents * rows;
    mkz_u64 start = item.group * MKZ_GROUP_SIZE;
    mkz_u32 root = flags & MKZ_UNIT_ROOT_FLAG, rank = item.rank * MKZ_LANES;
    flags ^= root;
    if (rank < MKZ_GROUP_SIZE && start + rank < total) {
        mkz_lane32 left[8], right[8], k[8];
        mkz_u32 odd[MKZ_LANES];
        MKZ_UNROLL for (int w = 0; w < 8; w++) k[w] = MKZ_SPLAT32(key.w[w]);
        MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
            mkz_u64 i = j == 0 || start + rank + j < total ? start + rank + j : total - 1;
            mkz_u64 row = rows == 1 ? 0 : i / parents, from = 2 * (i - row * parents);
            mkz_u32 node[8];
            odd[j] = from + 1 == count;
            from += in_offset + row * count;
            mkz_load_node32(node, in, from);
            MKZ_UNROLL for (int w = 0; w < 8; w++) MKZ_LANE(mkz_u32, left[w], j) = node[w];
            mkz_load_node32(node, in, odd[j] ? from : from + 1);
            MKZ_UNROLL for (int w = 0; w < 8; w++) MKZ_LANE(mkz_u32, right[w], j) = node[w];
        }
        MKZ_HASH_FN(parent)(left, left, right, k, MKZ_SPLAT32(flags | (count == 2 ? root : 0)));
        MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
            if (j == 0 || (rank + j < MKZ_GROUP_SIZE && start + rank + j < total)) {
                mkz_u32 node[8];
                MKZ_UNROLL for (int w = 0; w < 8; w++) node[w] = MKZ_LANE(mkz_u32, left[w], j);
                if (odd[j]) {
                    MKZ_UNROLL for (int w = 0; w < 8; w++) node[w] = MKZ_LANE(mkz_u32, right[w], j);
                }
                if (levels == 1 || keep) mkz_store_node32(out, out_offset + start + rank + j, node);
                if (levels > 1) {
                    MKZ_UNROLL for (int w = 0; w < 8; w++) tower[w * MKZ_TOWER_NODES + rank + j] = node[w];
                }
            }
        }
    }
    if (levels > 1) {
        mkz_u64 n = start < total ? total - start : 0;
        MKZ_HASH_BODY(digest_tower)(item, tower, start, n < MKZ_GROUP_SIZE ? (mkz_u32)n : MKZ_GROUP_SIZE, total,
                                    levels - 1, keep, out, out_offset + (keep ? total : 0), key, flags, root);
    }
}

#if MKZ_ENTRIES & MKZ_ONLY_HASH_PARENTS
MKZ_ENTRY(MKZ_HASH_ENTRY(hash_parents))
(MKZ_GLOBAL const mkz_u32 *in, mkz_u64 in_offset, MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset, mkz_u64 count,
 mkz_u64 rows, mkz_key key, mkz_u32 flags, mkz_u32 levels, mkz_u32 keep) {
    MKZ_LOCAL_ARRAY(mkz_u32, tower, MKZ_TOWER_WORDS);
    MKZ_HASH_BODY(hash_parents)(MKZ_THIS_ITEM(), in, in_offset, out, out_offset, count, rows, key, flags, levels, keep,
                                tower);
}
#endif
