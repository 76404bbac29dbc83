/* hash_tiles.h: digests of the tiles of matrices, and levels of many trees above them, by a hash with a chunk tree.
 *
 *   matrix    A A B B C     a tile is some rows of some columns; its message is its rows, one after another. Tiles at
 *             A A B B C     the lower and the right border are smaller. Tiles are counted along a row of tiles, then
 *             D D E E F     down a matrix, then over the matrices. */
#ifndef MKZ_TILES_H
#define MKZ_TILES_H

/* Matrices of one shape. Pitches are bytes from one row or matrix to the next, mod 2^64: of any sign. */
typedef struct mkz_tiles {
    mkz_u64 origin; /* where matrix 0 begins in its buffer, bytes mod 2^64 */
    mkz_u64 row_pitch, matrix_pitch;
    mkz_u64 rows, row_bytes;
    mkz_u64 first, count;  /* the tiles of the launch */
    mkz_u32 tile_rows;     /* of a whole tile */
    mkz_u32 tile_bytes;    /* of a row of a whole tile */
    mkz_u32 log_chunks;    /* 2^log_chunks <= 16: at least the chunks of each tile */
    mkz_u32 log_per_group; /* tiles that a group hashes: (MKZ_TOWER_NODES >> log_chunks) of them, at least 1 */
} mkz_tiles;

/* Where a tile lies. */
typedef struct {
    mkz_u64 at;    /* its first byte, from the beginning of the buffer */
    mkz_u32 width; /* bytes of a row */
    mkz_u32 bytes; /* of all rows */
} mkz_tile;

MKZ_BODY mkz_tile mkz_tile_of(mkz_tiles shape, mkz_u64 index) {
    mkz_tile tile;
    mkz_u64 across = (shape.row_bytes + shape.tile_bytes - 1) / shape.tile_bytes;
    mkz_u64 down = (shape.rows + shape.tile_rows - 1) / shape.tile_rows;
    mkz_u64 band = index / across, byte = (index - band * across) * shape.tile_bytes;
    mkz_u64 matrix = band / down, row = (band - matrix * down) * shape.tile_rows;
    mkz_u32 rows = shape.rows - row < shape.tile_rows ? (mkz_u32)(shape.rows - row) : shape.tile_rows;
    tile.at = shape.origin + matrix * shape.matrix_pitch + row * shape.row_pitch + byte;
    tile.width = shape.row_bytes - byte < shape.tile_bytes ? (mkz_u32)(shape.row_bytes - byte) : shape.tile_bytes;
    tile.bytes = rows * tile.width;
    return tile;
}

#endif /* MKZ_TILES_H */

/* Bytes of a block that is not in one row, or that quads cannot reach: one by one. */
MKZ_BODY void MKZ_HASH_BODY(load_tile_bytes)(mkz_u32 m[16], MKZ_GLOBAL const mkz_u8 *row, mkz_u64 row_pitch,
                                             mkz_u32 width, mkz_u32 column, mkz_u32 length) {
    mkz_u32 done = 0;
    MKZ_CUT_LANES for (mkz_u32 k = 0; k < 16; k++) {
        mkz_u32 word = 0;
        MKZ_NO_UNROLL for (mkz_u32 b = 0; b < 4 && done < length; b++, done++) {
            word |= (mkz_u32)row[column] << 8 * b;
            if (++column == width) {
                column = 0;
                row += row_pitch;
            }
        }
        m[k] = word;
    }
}

/* The block that begins `start` bytes into a tile -> words; zeros behind the tile's end. */
MKZ_BODY void MKZ_HASH_BODY(load_tile_block)(mkz_u32 m[16], MKZ_GLOBAL const mkz_u8 *in, mkz_tile tile,
                                             mkz_u64 row_pitch, mkz_u32 start) {
    mkz_u32 row = start / tile.width, column = start - row * tile.width, left = tile.bytes - start;
    mkz_u32 length = left < 64 ? left : 64;
    in += tile.at + row * row_pitch;
    /* The program relies on rows that begin on multiples of 16 (MKZ_ALIGN): then so do blocks of such widths. */
    if ((MKZ_ALIGN == 1 || row == 0 || tile.width % 16 == 0) && tile.width - column >= length) {
        MKZ_HASH_BODY(load_block)(m, in + column, tile.width - column);
        return;
    }
#if MKZ_HAS_QUADS && MKZ_ALIGN >= 16 && !MKZ_BYTES_ANYWHERE
    if (tile.width % 16 == 0) { /* elements of one byte: two rows of a tile are a block */
        MKZ_UNROLL for (mkz_u32 k = 0; k < 16; k += 4) {
            MKZ_UNROLL for (mkz_u32 w = k; w < k + 4; w++) m[w] = 0;
            if (4 * k < length) MKZ_LOAD_ALIGNED_QUAD32(m + k, (MKZ_GLOBAL const mkz_u32 *)(in + column));
            column += 16;
            if (column == tile.width) {
                column = 0;
                in += row_pitch;
            }
        }
        return;
    }
#endif
    MKZ_HASH_BODY(load_tile_bytes)(m, in, row_pitch, tile.width, column, length);
}

/* Merges the values of the chunks of a group's tiles, value c of tile t at place (c << log_per_group) + t of the first
 * half of the tower, to digests: those of the first n tiles from out[out_offset] on. `first` is the first of them. */
MKZ_BODY void MKZ_HASH_BODY(tile_tower)(mkz_work_item item, mkz_tiles shape, mkz_u64 first, mkz_u32 n,
                                        MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset, MKZ_LOCAL mkz_u32 *tower) {
    mkz_u32 side = 0, slot = item.rank * MKZ_LANES, each = (mkz_u32)1 << shape.log_per_group;
    mkz_lane32 k[8];
    MKZ_HASH_FN(iv)(k);
    MKZ_NO_UNROLL for (mkz_u32 level = 1; level <= shape.log_chunks; level++, side = !side) {
        mkz_u32 stride = MKZ_TOWER_STRIDE(side), next = MKZ_TOWER_STRIDE(!side);
        mkz_u32 slots = each << (shape.log_chunks - level);
        MKZ_LOCAL const mkz_u32 *from = tower + MKZ_TOWER_START(side);
        MKZ_LOCAL mkz_u32 *to = tower + MKZ_TOWER_START(!side);
        MKZ_BARRIER(item);
        if (slot < slots) {
            mkz_lane32 left[8], right[8], merged[8], marks;
            mkz_u32 count_is[MKZ_LANES],
                place[MKZ_LANES]; /* count_is: 0 nothing to do, 1 alone, 2 the root, 3 a pair */
            MKZ_CUT_LANES for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
                mkz_u32 s = slot + j, t = s & (each - 1), child = 2 * (s >> shape.log_per_group), count = 0;
                if (s < slots && t < n) {
                    mkz_u32 below = MKZ_UNIT_CHUNK_BYTES << (level - 1); /* bytes of a value */
                    count = (mkz_tile_of(shape, first + t).bytes + below - 1) / below;
                }
                count_is[j] = child >= count ? 0 : child + 1 == count ? 1 : count == 2 ? 2 : 3;
                place[j] = count_is[j] == 0 ? 0 : (child << shape.log_per_group) + t;
            }
            MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
                MKZ_UNROLL for (int w = 0; w < 8; w++) {
                    MKZ_LANE(mkz_u32, left[w], j) = from[w * stride + place[j]];
                    MKZ_LANE(mkz_u32, right[w], j) = from[w * stride + place[j] + (count_is[j] > 1 ? each : 0)];
                }
                MKZ_LANE(mkz_u32, marks, j) = count_is[j] == 2 ? MKZ_UNIT_ROOT_FLAG : 0;
            }
            MKZ_HASH_FN(parent)(merged, left, right, k, marks);
            MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
                mkz_u32 node[8];
                MKZ_UNROLL for (int w = 0; w < 8; w++) {
                    mkz_u32 both = MKZ_LANE(mkz_u32, merged[w], j), alone = MKZ_LANE(mkz_u32, left[w], j);
                    node[w] = count_is[j] == 1 ? alone : both;
                }
                if (count_is[j] == 0) continue;
                if (level == shape.log_chunks)
                    mkz_store_node32(out, out_offset + slot + j, node);
                else
                    MKZ_UNROLL for (int w = 0; w < 8; w++) to[w * next + slot + j] = node[w];
            }
        }
    }
}

/* Tiles -> digests: out[out_offset + i] = digest of tile first + i, for i < count. Launched with ceil(count /
 * 2^log_per_group) groups. An item hashes MKZ_LANES chunks; neighbours have the same chunk of neighbouring tiles, whose
 * rows lie side by side. */
MKZ_BODY void MKZ_HASH_BODY(hash_tiles)(mkz_work_item item, MKZ_GLOBAL const mkz_u8 *in, mkz_tiles shape,
                                        MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset, MKZ_LOCAL mkz_u32 *tower) {
    mkz_u32 each = (mkz_u32)1 << shape.log_per_group, slot = item.rank * MKZ_LANES, most = 0;
    mkz_u64 start = item.group << shape.log_per_group, left = start < shape.count ? shape.count - start : 0;
    mkz_u32 n = left < each ? (mkz_u32)left : each, blocks[MKZ_LANES], begin[MKZ_LANES], tip[MKZ_LANES];
    mkz_lane32 cv[8], lo, zero = MKZ_SPLAT32(0);
    mkz_tile tile[MKZ_LANES];
    MKZ_CUT_LANES for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
        mkz_u32 s = slot + j, t = s & (each - 1), chunk = s >> shape.log_per_group, bytes;
        blocks[j] = tip[j] = 0;
        tile[j] = mkz_tile_of(shape, shape.first + start + (t < n ? t : 0));
        begin[j] = chunk * MKZ_UNIT_CHUNK_BYTES;
        if (t < n && chunk >> shape.log_chunks == 0 && begin[j] < tile[j].bytes) {
            bytes = tile[j].bytes - begin[j];
            if (bytes > MKZ_UNIT_CHUNK_BYTES) bytes = MKZ_UNIT_CHUNK_BYTES;
            blocks[j] = (bytes + 63) / 64;
            if (tile[j].bytes <= MKZ_UNIT_CHUNK_BYTES) tip[j] = MKZ_UNIT_ROOT_FLAG;
        }
        most = blocks[j] > most ? blocks[j] : most;
    }
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) MKZ_LANE(mkz_u32, lo, j) = begin[j] / MKZ_UNIT_CHUNK_BYTES;
    MKZ_HASH_FN(iv)(cv);
    MKZ_NO_UNROLL for (mkz_u32 b = 0; b < most; b++) {
        mkz_lane32 m[16], value[8], here, marks, live;
        mkz_u32 block[16][MKZ_LANES];
        MKZ_CUT_LANES for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
            mkz_u32 words[16];
            MKZ_UNROLL for (int k = 0; k < 16; k++) words[k] = 0;
            if (b < blocks[j]) MKZ_HASH_BODY(load_tile_block)(words, in, tile[j], shape.row_pitch, begin[j] + 64 * b);
            MKZ_UNROLL for (int k = 0; k < 16; k++) block[k][j] = words[k];
        }
        MKZ_UNROLL for (int k = 0; k < 16; k++) {
            MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) MKZ_LANE(mkz_u32, m[k], j) = block[k][j];
        }
        MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
            mkz_u32 rest = b < blocks[j] ? tile[j].bytes - begin[j] - 64 * b : 0;
            MKZ_LANE(mkz_u32, here, j) = rest < 64 ? rest : 64;
            MKZ_LANE(mkz_u32, marks, j) = MKZ_HASH_FN(block_flags)(b, blocks[j], b + 1 == blocks[j] ? tip[j] : 0);
            MKZ_LANE(mkz_u32, live, j) = b < blocks[j] ? 0xffffffffu : 0;
        }
        MKZ_UNROLL for (int k = 0; k < 8; k++) value[k] = cv[k];
        MKZ_HASH_FN(compress)(value, m, lo, zero, here, marks);
        MKZ_UNROLL for (int k = 0; k < 8; k++) cv[k] = MKZ_LANES == 1 ? value[k] : cv[k] ^ ((cv[k] ^ value[k]) & live);
    }
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
        mkz_u32 node[8];
        MKZ_UNROLL for (int k = 0; k < 8; k++) node[k] = MKZ_LANE(mkz_u32, cv[k], j);
        if (blocks[j] == 0) continue;
        if (shape.log_chunks == 0)
            mkz_store_node32(out, out_offset + start + slot + j, node);
        else
            MKZ_UNROLL for (int k = 0; k < 8; k++) tower[k * MKZ_TOWER_NODES + slot + j] = node[k];
    }
    if (shape.log_chunks != 0)
        MKZ_HASH_BODY(tile_tower)(item, shape, shape.first + start, n, out, out_offset + start, tower);
}

/* One level of `rows` trees: out[out_offset + r out_stride + i] = merge(node 2i, node 2i + 1) of row r for i < pairs,
 * and if has_odd, also the node 2 pairs for i == pairs. Row r begins at in[in_offset + r in_stride]. Launched with
 * ceil(rows (pairs + has_odd) / MKZ_GROUP_NODES) groups. `in` and `out` must not overlap. */
MKZ_BODY void MKZ_HASH_BODY(merge_rows)(mkz_work_item item, MKZ_GLOBAL const mkz_u32 *in, mkz_u64 in_offset,
                                        mkz_u64 in_stride, MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset,
                                        mkz_u64 out_stride, mkz_u64 rows, mkz_u64 pairs, mkz_u32 has_odd) {
    mkz_u64 each = pairs + has_odd, first = item.index * MKZ_LANES, total = rows * each;
    mkz_lane32 left[8], right[8], merged[8];
    mkz_u64 to[MKZ_LANES];
    mkz_u32 is_odd[MKZ_LANES];
    if (first >= total) return;
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
        mkz_u64 here = j == 0 || first + j < total ? first + j : total - 1, row = here / each, i = here - row * each;
        mkz_u64 from = in_offset + row * in_stride + 2 * i;
        mkz_u32 node[8];
        is_odd[j] = i == pairs;
        to[j] = out_offset + row * out_stride + i;
        mkz_load_node32(node, in, from);
        MKZ_UNROLL for (int w = 0; w < 8; w++) MKZ_LANE(mkz_u32, left[w], j) = node[w];
        mkz_load_node32(node, in, is_odd[j] ? from : from + 1);
        MKZ_UNROLL for (int w = 0; w < 8; w++) MKZ_LANE(mkz_u32, right[w], j) = node[w];
    }
    MKZ_HASH_FN(merge)(merged, left, right);
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
        mkz_u32 node[8];
        MKZ_UNROLL for (int w = 0; w < 8; w++) {
            mkz_u32 both = MKZ_LANE(mkz_u32, merged[w], j), alone = MKZ_LANE(mkz_u32, left[w], j);
            node[w] = is_odd[j] ? alone : both;
        }
        if (j == 0 || first + j < total) mkz_store_node32(out, to[j], node);
    }
}

#if MKZ_ENTRIES & MKZ_ONLY_TILES
MKZ_ENTRY(MKZ_HASH_ENTRY(hash_tiles))
(MKZ_GLOBAL const mkz_u8 *in, mkz_tiles shape, MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset) {
    MKZ_LOCAL_ARRAY(mkz_u32, tower, MKZ_TOWER_WORDS);
    MKZ_HASH_BODY(hash_tiles)(MKZ_THIS_ITEM(), in, shape, out, out_offset, tower);
}

MKZ_ENTRY(MKZ_HASH_ENTRY(merge_rows))
(MKZ_GLOBAL const mkz_u32 *in, mkz_u64 in_offset, mkz_u64 in_stride, MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset,
 mkz_u64 out_stride, mkz_u64 rows, mkz_u64 pairs, mkz_u32 has_odd) {
    MKZ_HASH_BODY(merge_rows)(MKZ_THIS_ITEM(), in, in_offset, in_stride, out, out_offset, out_stride, rows, pairs,
                              has_odd);
}
#endif
