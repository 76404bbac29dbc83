/* hash_chunks.h: the digest of a long input by a hash with a chunk tree: its chunks, and some of the tree above them.
 *
 *   chunks    0 1 2 3 4      hash_chunks, levels = 0: five values
 *   parents   01  23  4      an odd value moves up unchanged: hash_parents, levels = 1, or hash_chunks, levels = 1
 *             0123    4      levels = 2
 *             01234          levels = 3: the digest, if ROOT was among the flags
 *
 * Above level 0 the items of a group work together and keep values in local memory (nodes.h). So a launch with levels >
 * 0 (hash_chunks) or levels > 1 (hash_parents) must have one row. */

#include "digest_tower.h"

/* Chunks -> chaining values. The input is `rows` messages of row_bytes bytes, one after another from in + in_offset on.
 * Each has c = max(1, ceil(row_bytes / 1024)) chunks. out[out_offset + r ceil(c / 2^levels) + s] = value of subtree s
 * of row r; a subtree has 2^levels chunks. Launched with ceil(rows c / MKZ_GROUP_NODES) groups; an item hashes
 * MKZ_LANES chunks.
 * levels   0, or more if rows == 1 and 2^levels <= MKZ_GROUP_NODES <= 1024
 * key      the IV, or the mode's key words
 * flags    the mode's flags, for every block. With MKZ_UNIT_ROOT_FLAG only if each row gives one value (c <= 2^levels):
 *          the row's last compression gets this flag, and the value is the digest
 * counter  index of the first chunk in the whole input */
MKZ_BODY void MKZ_HASH_BODY(hash_chunks)(mkz_work_item item, MKZ_GLOBAL const mkz_u8 *in, mkz_u64 in_offset,
                                         mkz_u64 row_bytes, mkz_u64 rows, MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset,
                                         mkz_key key, mkz_u32 flags, mkz_u64 counter, mkz_u32 levels,
                                         MKZ_LOCAL mkz_u32 *tower) {
    mkz_u64 chunks = row_bytes / MKZ_UNIT_CHUNK_BYTES + (row_bytes % MKZ_UNIT_CHUNK_BYTES != 0);
    mkz_u64 total, first = item.index * MKZ_LANES, left;
    mkz_u32 root = flags & MKZ_UNIT_ROOT_FLAG, tip;
    if (chunks == 0) chunks = 1;
    total = chunks * rows;
    left = first < total ? total - first : 0;
    flags ^= root;
    tip = chunks == 1 ? root : 0;
    if (left != 0) {
        mkz_lane32 cv[8], lo, hi;
        mkz_u64 at[MKZ_LANES];
        mkz_u32 bytes[MKZ_LANES], tips[MKZ_LANES], whole = MKZ_LANES > 1 && left >= MKZ_LANES;
        MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
            mkz_u64 i = first + (j == 0 ? 0 : j < left ? j : left - 1);
            mkz_u64 row = rows == 1 ? 0 : chunks == 1 ? i : i / chunks;
            mkz_u64 chunk = i - row * chunks, start = chunk * MKZ_UNIT_CHUNK_BYTES;
            bytes[j] = row_bytes - start < MKZ_UNIT_CHUNK_BYTES ? (mkz_u32)(row_bytes - start) : MKZ_UNIT_CHUNK_BYTES;
            tips[j] = tip;
            if (bytes[j] != MKZ_UNIT_CHUNK_BYTES) whole = 0;
            at[j] = in_offset + row * row_bytes + start;
            MKZ_LANE(mkz_u32, lo, j) = (mkz_u32)(counter + chunk);
            MKZ_LANE(mkz_u32, hi, j) = (mkz_u32)((counter + chunk) >> 32);
        }
        MKZ_UNROLL for (int k = 0; k < 8; k++) cv[k] = MKZ_SPLAT32(key.w[k]);
        MKZ_HASH_BODY(chunk_blocks)(cv, in, at, bytes, tips, whole, lo, hi, flags);
        MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
            mkz_u32 node[8];
            MKZ_UNROLL for (int k = 0; k < 8; k++) node[k] = MKZ_LANE(mkz_u32, cv[k], j);
            if (j != 0 && j >= left) continue;
            if (levels == 0)
                mkz_store_node32(out, out_offset + first + j, node);
            else
                MKZ_UNROLL for (int k = 0; k < 8; k++) tower[k * MKZ_TOWER_NODES + item.rank * MKZ_LANES + j] = node[k];
        }
    }
    if (levels != 0) {
        mkz_u64 start = item.group * MKZ_GROUP_NODES, n = start < total ? total - start : 0;
        MKZ_HASH_BODY(digest_tower)(item, tower, start, n < MKZ_GROUP_NODES ? (mkz_u32)n : MKZ_GROUP_NODES, total,
                                    levels, 0, out, out_offset, key, flags, root);
    }
}

#if MKZ_ENTRIES & MKZ_ONLY_HASH_CHUNKS
MKZ_ENTRY(MKZ_HASH_ENTRY(hash_chunks))
(MKZ_GLOBAL const mkz_u8 *in, mkz_u64 in_offset, mkz_u64 row_bytes, mkz_u64 rows, MKZ_GLOBAL mkz_u32 *out,
 mkz_u64 out_offset, mkz_key key, mkz_u32 flags, mkz_u64 counter, mkz_u32 levels) {
    MKZ_LOCAL_ARRAY(mkz_u32, tower, MKZ_TOWER_WORDS);
    MKZ_HASH_BODY(hash_chunks)(MKZ_THIS_ITEM(), in, in_offset, row_bytes, rows, out, out_offset, key, flags, counter,
                               levels, tower);
}
#endif
