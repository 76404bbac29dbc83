/* extend_words.h: the levels of an extension over words of MKZ_UNIT_WORD_BITS bits. Included once for each width
 * (extend.h).
 *
 * Row q, column c of a tile is lane tile[(q << log_columns) + c]. The items of a group share the tile.
 *   roots  roots[m + j] = g^j, j < m, for each power of two m, where g has order 2m */

/* Up to MKZ_EXTEND_ROUND levels of a tile, from tile level `first` on, in registers: an item has 2^count rows of a
 * column.
 * count  a constant where the caller knows it; may be 0 */
MKZ_BODY void MKZ_WORD_FN(extend_round)(mkz_work_item item, MKZ_LOCAL MKZ_WORD_LANE *tile, mkz_extend_pass pass,
                                        mkz_u64 row_tile, mkz_u32 first, mkz_u32 count, mkz_u32 kind,
                                        MKZ_GLOBAL const MKZ_WORD *roots) {
    const MKZ_WORD p = (MKZ_WORD)pass.modulus;
    const mkz_u32 log_columns = pass.log_tile_columns, size = 1u << count;
    const mkz_u32 units = count == 0 ? 0 : 1u << (log_columns + pass.levels - count);
    const mkz_u32 behind = (mkz_u32)row_tile & ((1u << pass.low) - 1); /* roots are less than 2^32 */
    for (mkz_u32 unit = item.rank; unit < units; unit += item.group_size) {
        mkz_u32 x = unit >> log_columns, below = x & ((1u << first) - 1);
        const mkz_u32 at =
            (((x >> first << (first + count)) | below) << log_columns) + (unit & ((1u << log_columns) - 1));
        const mkz_u32 step = 1u << (first + log_columns);
        MKZ_WORD_LANE v[1 << MKZ_EXTEND_ROUND];
        MKZ_UNROLL for (mkz_u32 j = 0; j < 1u << MKZ_EXTEND_ROUND; j++) v[j] = tile[at + (j < size ? j * step : 0)];
        MKZ_UNROLL for (mkz_u32 turn = 0; turn < MKZ_EXTEND_ROUND; turn++) {
            /* Both directions, with constants as indices of v. */
            const mkz_u32 forward = turn, inverse = MKZ_EXTEND_ROUND - 1 - turn;
            if (kind == MKZ_EXTEND_FORWARD && forward < count) {
                const mkz_u32 apart = 1u << forward;
                const mkz_u32 m = 1u << (pass.low + first + forward);
                MKZ_UNROLL for (mkz_u32 pair = 0; pair < 1u << (MKZ_EXTEND_ROUND - 1); pair++) {
                    const mkz_u32 low = pair & (apart - 1), i = (pair >> forward << (forward + 1)) | low;
                    if (i < size) {
                        const mkz_u32 j = (((low << first) | below) << pass.low) + behind;
                        MKZ_WORD_LANE t = MKZ_WORD_FN(extend_mul)(v[i + apart], MKZ_SPLAT(roots[m + j]), p);
                        v[i + apart] = MKZ_WORD_FN(extend_sub)(v[i], t, p);
                        v[i] = MKZ_WORD_FN(extend_add)(v[i], t, p);
                    }
                }
            }
            if (kind == MKZ_EXTEND_INVERSE && inverse < count) {
                const mkz_u32 apart = 1u << inverse;
                const mkz_u32 m = 1u << (pass.low + first + inverse);
                MKZ_UNROLL for (mkz_u32 pair = 0; pair < 1u << (MKZ_EXTEND_ROUND - 1); pair++) {
                    const mkz_u32 low = pair & (apart - 1), i = (pair >> inverse << (inverse + 1)) | low;
                    if (i < size) {
                        /* g^-j = -g^(m - j) */
                        const mkz_u32 j = (((low << first) | below) << pass.low) + behind;
                        const MKZ_WORD root = roots[j == 0 ? m : m + (m - j)];
                        MKZ_WORD_LANE a = v[i], b = v[i + apart];
                        v[i] = MKZ_WORD_FN(extend_add)(a, b, p);
                        a = j == 0 ? MKZ_WORD_FN(extend_sub)(a, b, p) : MKZ_WORD_FN(extend_sub)(b, a, p);
                        v[i + apart] = MKZ_WORD_FN(extend_mul)(a, MKZ_SPLAT(root), p);
                    }
                }
            }
        }
        MKZ_UNROLL for (mkz_u32 j = 0; j < 1u << MKZ_EXTEND_ROUND; j++) {
            if (j < size) tile[at + j * step] = v[j];
        }
    }
}

/* The same. On a processor most tiles have all levels, and constants save a fifth of the time; on a GPU they double the
 * code. */
MKZ_BODY void MKZ_WORD_FN(extend_part)(mkz_work_item item, MKZ_LOCAL MKZ_WORD_LANE *tile, mkz_extend_pass pass,
                                       mkz_u64 row_tile, mkz_u32 first, mkz_u32 count, mkz_u32 kind,
                                       MKZ_GLOBAL const MKZ_WORD *roots) {
#ifdef MKZ_TARGET_CPP
    if (count == MKZ_EXTEND_ROUND) {
        MKZ_WORD_FN(extend_round)(item, tile, pass, row_tile, first, MKZ_EXTEND_ROUND, kind, roots);
    } else
#endif
        MKZ_WORD_FN(extend_round)(item, tile, pass, row_tile, first, count, kind, roots);
}

/* All levels of a pass over a tile that is in local memory, in up to three rounds.
 * scales  of the coset: a factor for each row of a tile, then one for each tile */
MKZ_BODY void MKZ_WORD_FN(extend_tile)(mkz_work_item item, MKZ_LOCAL MKZ_WORD_LANE *tile, mkz_extend_pass pass,
                                       mkz_u64 row_tile, MKZ_GLOBAL const MKZ_WORD *roots,
                                       MKZ_GLOBAL const MKZ_WORD *scales) {
    const MKZ_WORD p = (MKZ_WORD)pass.modulus;
    const mkz_u32 most = MKZ_EXTEND_ROUND, levels = pass.levels;
    const mkz_u32 first = levels < most ? levels : most, second = levels - first < most ? levels - first : most;
    const mkz_u32 inverse = pass.kinds & MKZ_EXTEND_INVERSE, forward = pass.kinds & MKZ_EXTEND_FORWARD;
#if 2 * MKZ_EXTEND_ROUND < MKZ_EXTEND_LEVELS
    const mkz_u32 third = levels - first - second;
    MKZ_WORD_FN(extend_part)
    (item, tile, pass, row_tile, first + second, inverse ? third : 0, MKZ_EXTEND_INVERSE, roots);
    MKZ_BARRIER(item);
#endif
    MKZ_WORD_FN(extend_part)(item, tile, pass, row_tile, first, inverse ? second : 0, MKZ_EXTEND_INVERSE, roots);
    MKZ_BARRIER(item);
    MKZ_WORD_FN(extend_part)(item, tile, pass, row_tile, 0, inverse ? first : 0, MKZ_EXTEND_INVERSE, roots);
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
    MKZ_WORD_FN(extend_part)(item, tile, pass, row_tile, 0, forward ? first : 0, MKZ_EXTEND_FORWARD, roots);
    MKZ_BARRIER(item);
    MKZ_WORD_FN(extend_part)(item, tile, pass, row_tile, first, forward ? second : 0, MKZ_EXTEND_FORWARD, roots);
    MKZ_BARRIER(item);
#if 2 * MKZ_EXTEND_ROUND < MKZ_EXTEND_LEVELS
    MKZ_WORD_FN(extend_part)
    (item, tile, pass, row_tile, first + second, forward ? third : 0, MKZ_EXTEND_FORWARD, roots);
    MKZ_BARRIER(item);
#endif
}

#if MKZ_LANES == 1 && !defined(MKZ_LANES_ARE_FOREIGN)
/* Other lanes move words by themselves (src/backends/cpu/lanes_extend.inc). */
/* The pass of one tile a group: rows change slowest. `in` and `out` may be one place, with the same strides. A lane is
 * one word.
 * tile  MKZ_EXTEND_TILE(word bits) words of local memory
 * flag  flag[0] becomes 1 if a word is refused */
MKZ_BODY void MKZ_WORD_FN(body_extend)(mkz_work_item item, MKZ_LOCAL MKZ_WORD_LANE *tile, MKZ_GLOBAL const MKZ_WORD *in,
                                       MKZ_GLOBAL MKZ_WORD *out, MKZ_GLOBAL const MKZ_WORD *roots,
                                       MKZ_GLOBAL const MKZ_WORD *scales, MKZ_GLOBAL mkz_u32 *flag,
                                       mkz_extend_pass pass) {
    const MKZ_WORD p = (MKZ_WORD)pass.modulus;
    const mkz_u32 width = 1u << pass.log_tile_columns, words = width << pass.levels;
    const mkz_u64 across = (pass.columns + width - 1) >> pass.log_tile_columns, row_tile = item.group / across;
    const mkz_u64 first_column = (item.group - row_tile * across) << pass.log_tile_columns;
    for (mkz_u32 k = item.rank; k < words; k += item.group_size) {
        const mkz_u64 row = mkz_extend_row(pass, row_tile, k >> pass.log_tile_columns);
        const mkz_u64 column = first_column + (k & (width - 1));
        MKZ_WORD word = 0;
        if (column < pass.columns)
            word = in[pass.in_offset + row * pass.in_row_stride + column * pass.in_column_stride];
        if (pass.is_checked && word >= p) flag[0] = 1;
        tile[k] = MKZ_WORD_FN(extend_canonical)(word, p);
    }
    MKZ_BARRIER(item);
    MKZ_WORD_FN(extend_tile)(item, tile, pass, row_tile, roots, scales);
    for (mkz_u32 k = item.rank; k < words; k += item.group_size) {
        const mkz_u64 row = mkz_extend_row(pass, row_tile, k >> pass.log_tile_columns);
        const mkz_u64 column = first_column + (k & (width - 1));
        if (column < pass.columns) out[mkz_extend_out(pass, row) + column] = MKZ_WORD_FN(extend_canonical)(tile[k], p);
    }
}
#endif
