/* digest_tower.h: levels of the tree inside a digest that one group makes alone, in local memory. */

/* Merges the n values in the first half of the tower upward by `levels` > 0 levels: out[out_offset + i] = value i of
 * the highest level.
 * first   index of the group's first value in its level; a multiple of 2^levels
 * width   values of the whole launch in that level; if only two are left, their parent also gets the flag `root`
 * keep    1: the values of the levels below the highest are written too, those of a level behind those of the level
 *         below it */
MKZ_BODY void MKZ_HASH_BODY(digest_tower)(mkz_work_item item, MKZ_LOCAL mkz_u32 *tower, mkz_u64 first, mkz_u32 n,
                                          mkz_u64 width, mkz_u32 levels, mkz_u32 keep, MKZ_GLOBAL mkz_u32 *out,
                                          mkz_u64 out_offset, mkz_key key, mkz_u32 flags, mkz_u32 root) {
    mkz_u32 side = 0, i = item.rank * MKZ_LANES;
    mkz_lane32 k[8];
    MKZ_UNROLL for (int w = 0; w < 8; w++) k[w] = MKZ_SPLAT32(key.w[w]);
    MKZ_NO_UNROLL for (; levels-- > 0; side = !side) {
        mkz_u32 parents = (n + 1) / 2, stride = MKZ_TOWER_STRIDE(side), next = MKZ_TOWER_STRIDE(!side);
        MKZ_LOCAL const mkz_u32 *from = tower + MKZ_TOWER_START(side);
        MKZ_LOCAL mkz_u32 *to = tower + MKZ_TOWER_START(!side);
        mkz_u32 is_out = keep || levels == 0;
        first /= 2;
        MKZ_BARRIER(item);
        if (i < n / 2) {
            mkz_lane32 left[8], right[8];
            mkz_u32 whole = n / 2 - i;
            mkz_load_local32(left, from, stride, 2 * i, 2, whole);
            mkz_load_local32(right, from, stride, 2 * i + 1, 2, whole);
            MKZ_HASH_FN(parent)(left, left, right, k, MKZ_SPLAT32(flags | (width == 2 ? root : 0)));
            if (is_out) mkz_store_nodes32(out, out_offset + first + i, 1, whole, left);
            if (levels != 0) mkz_store_local32(to, next, i, whole, left);
        }
        if (n % 2 != 0 && item.rank == 0) {
            mkz_u32 odd[8];
            MKZ_UNROLL for (int w = 0; w < 8; w++) odd[w] = from[w * stride + n - 1];
            if (is_out) mkz_store_node32(out, out_offset + first + n / 2, odd);
            if (levels != 0) {
                MKZ_UNROLL for (int w = 0; w < 8; w++) to[w * next + n / 2] = odd[w];
            }
        }
        n = parents;
        width = width / 2 + width % 2;
        if (keep) out_offset += width;
    }
}
