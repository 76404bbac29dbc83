/* extend_words.h: the levels of an extension over words of MKZ_UNIT_WORD_BITS bits. Included once for each width (extend.h).
 *
 * Row q, column c of a tile is lane tile[(q << log_columns) + c]. The items of a group share the tile.
 *   roots  roots[m + j] = g^j, j < m, for each power of two m, where g has order 2m */

/* Up to four levels of a tile, from tile level `first` on, in registers: an item has 2^count rows of a column.
 * count  a constant where the caller knows it */
MKZ_BODY void MKZ_WORD_FN(extend_round)(mkz_work_item item, MKZ_LOCAL MKZ_WORD_LANE *tile, mkz_extend_pass pass,
                                        mkz_u64 row_tile, mkz_u32 first, mkz_u32 count, mkz_u32 kind,
                                        MKZ_GLOBAL const MKZ_WORD *roots) {
    const MKZ_WORD p = (MKZ_WORD)pass.modulus;
    const mkz_u32 log_columns = pass.log_tile_columns, size = 1u << count;
    const mkz_u32 units = 1u << (log_columns + pass.levels - count);
    const mkz_u64 behind = row_tile & (((mkz_u64)1 << pass.low) - 1);
    for (mkz_u32 unit = item.rank; unit < units; unit += item.group_size) {
        mkz_u32 x = unit >> log_columns, below = x & ((1u << first) - 1);
        const mkz_u32 at =
            (((x >> first << (first + count)) | below) << log_columns) + (unit & ((1u << log_columns) - 1));
        const mkz_u32 step = 1u << (first + log_columns);
        MKZ_WORD_LANE v[16];
        MKZ_UNROLL for (mkz_u32 j = 0; j < 16; j++) v[j] = tile[at + (j < size ? j * step : 0)];
        MKZ_UNROLL for (mkz_u32 turn = 0; turn < 4; turn++) {
            /* Both directions, with constants as indices of v. */
            const mkz_u32 forward = turn, inverse = 3 - turn;
            if (kind == MKZ_EXTEND_FORWARD && forward < count) {
                const mkz_u32 apart = 1u << forward;
                const mkz_u64 m = (mkz_u64)1 << (pass.low + first + forward);
                MKZ_UNROLL for (mkz_u32 pair = 0; pair < 8; pair++) {
                    const mkz_u32 low = pair & (apart - 1), i = (pair >> forward << (forward + 1)) | low;
                    if (i < size) {
                        const mkz_u64 j = ((mkz_u64)((low << first) | below) << pass.low) + behind;
                        MKZ_WORD_LANE t = MKZ_WORD_FN(extend_mul)(v[i + apart], MKZ_SPLAT(roots[m + j]), p);
                        v[i + apart] = MKZ_WORD_FN(extend_sub)(v[i], t, p);
                        v[i] = MKZ_WORD_FN(extend_add)(v[i], t, p);
                    }
                }
            }
            if (kind == MKZ_EXTEND_INVERSE && inverse < count) {
                const mkz_u32 apart = 1u << inverse;
                const mkz_u64 m = (mkz_u64)1 << (pass.low + first + inverse);
                MKZ_UNROLL for (mkz_u32 pair = 0; pair < 8; pair++) {
                    const mkz_u32 low = pair & (apart - 1), i = (pair >> inverse << (inverse + 1)) | low;
                    if (i < size) {
                        /* g^-j = -g^(m - j) */
                        const mkz_u64 j = ((mkz_u64)((low << first) | below) << pass.low) + behind;
                        const MKZ_WORD root = roots[j == 0 ? m : m + (m - j)];
                        MKZ_WORD_LANE a = v[i], b = v[i + apart];
                        v[i] = MKZ_WORD_FN(extend_add)(a, b, p);
                        a = j == 0 ? MKZ_WORD_FN(extend_sub)(a, b, p) : MKZ_WORD_FN(extend_sub)(b, a, p);
                        v[i + apart] = MKZ_WORD_FN(extend_mul)(a, MKZ_SPLAT(root), p);
                    }
                }
            }
        }
        MKZ_UNROLL for (mkz_u32 j = 0; j < 16; j++) {
            if (j < size) tile[at + j * step] = v[j];
        }
    }
}

/* The same for a count that is 4 or less, and may be 0. */
MKZ_BODY void MKZ_WORD_FN(extend_part)(mkz_work_item item, MKZ_LOCAL MKZ_WORD_LANE *tile, mkz_extend_pass pass,
                                       mkz_u64 row_tile, mkz_u32 first, mkz_u32 count, mkz_u32 kind,
                                       MKZ_GLOBAL const MKZ_WORD *roots) {
    if (count == 4) {
        MKZ_WORD_FN(extend_round)(item, tile, pass, row_tile, first, 4, kind, roots);
    } else if (count > 0) {
        MKZ_WORD_FN(extend_round)(item, tile, pass, row_tile, first, count, kind, roots);
    }
}

/* All levels of a pass over a tile that is in local memory: two parts of four levels.
 * scales  of the coset: a factor for each row of a tile, then one for each tile */
MKZ_BODY void MKZ_WORD_FN(extend_tile)(mkz_work_item item, MKZ_LOCAL MKZ_WORD_LANE *tile, mkz_extend_pass pass,
                                       mkz_u64 row_tile, MKZ_GLOBAL const MKZ_WORD *roots,
                                       MKZ_GLOBAL const MKZ_WORD *scales) {
    const MKZ_WORD p = (MKZ_WORD)pass.modulus;
    const mkz_u32 lower = pass.levels < 4 ? pass.levels : 4, upper = pass.levels - lower;
    const mkz_u32 inverse = pass.kinds & MKZ_EXTEND_INVERSE, forward = pass.kinds & MKZ_EXTEND_FORWARD;
    MKZ_WORD_FN(extend_part)
    (item, tile, pass, row_tile, lower, inverse ? upper : 0, MKZ_EXTEND_INVERSE, roots);
    MKZ_BARRIER(item);
    MKZ_WORD_FN(extend_part)(item, tile, pass, row_tile, 0, inverse ? lower : 0, MKZ_EXTEND_INVERSE, roots);
    MKZ_BARRIER(item);
    if (inverse && forward) {
        const MKZ_WORD of_tile = scales[pass.scales + ((mkz_u64)1 << pass.levels) + row_tile];
        for (mkz_u32 k = item.rank; k < 1u << (pass.levels + pass.log_tile_columns); k += item.group_size) {
            const MKZ_WORD of_row = scales[pass.scales + (k >> pass.log_tile_columns)];
            const MKZ_WORD_LANE scale = MKZ_WORD_FN(extend_mul)(MKZ_SPLAT(of_row), MKZ_SPLAT(of_tile), p);
            tile[k] = MKZ_WORD_FN(extend_mul)(tile[k], scale, p);
        }
    }
    MKZ_BARRIER(item);
    MKZ_WORD_FN(extend_part)(item, tile, pass, row_tile, 0, forward ? lower : 0, MKZ_EXTEND_FORWARD, roots);
    MKZ_BARRIER(item);
    MKZ_WORD_FN(extend_part)(item, tile, pass, row_tile, lower, forward ? upper : 0, MKZ_EXTEND_FORWARD, roots);
    MKZ_BARRIER(item);
}
