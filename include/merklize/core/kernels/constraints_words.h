/* constraints_words.h: constraints over words of MKZ_UNIT_WORD_BITS bits. Included once for each width (constraints.h).
 */

#ifndef MKZ_LANES_ARE_FOREIGN
/* Copies the cells of a group's tile. Tiles of other points change slowest.
 * tile        MKZ_CELLS_TILE words of local memory
 * m0, m1, m2  the matrices; those that no cell names may be any memory
 * cells       operands: what cell each copy is of */
MKZ_BODY void MKZ_WORD_FN(body_constraint_cells)(mkz_work_item item, MKZ_LOCAL MKZ_WORD *tile,
                                                 MKZ_GLOBAL const MKZ_WORD *m0, MKZ_GLOBAL const MKZ_WORD *m1,
                                                 MKZ_GLOBAL const MKZ_WORD *m2, MKZ_GLOBAL const mkz_u32 *cells,
                                                 MKZ_GLOBAL MKZ_WORD *out, mkz_cells_shape shape) {
    const MKZ_WORD p = (MKZ_WORD)shape.modulus;
    const mkz_u64 mask = ((mkz_u64)1 << shape.log_rows) - 1;
    const mkz_u64 across = (shape.n_cells + MKZ_CELLS_SIDE - 1) / MKZ_CELLS_SIDE, below = item.group / across;
    const mkz_u64 first_cell = (item.group - below * across) * MKZ_CELLS_SIDE, first_point = below * MKZ_CELLS_SIDE;
    /* Neighbours read neighbouring columns. */
    for (mkz_u32 k = item.rank; k < MKZ_CELLS_SIDE * MKZ_CELLS_SIDE; k += item.group_size) {
        const mkz_u32 cell = k % MKZ_CELLS_SIDE, point = k / MKZ_CELLS_SIDE;
        if (first_cell + cell < shape.n_cells && first_point + point < shape.pitch) {
            const mkz_u32 operand = cells[first_cell + cell], kind = (operand >> MKZ_OPERAND_BITS) - MKZ_OPERAND_CELL;
            const mkz_u64 column = operand & ((1u << MKZ_OPERAND_BITS) - 1);
            mkz_u64 row = (shape.first + first_point + point + (kind & 1 ? shape.next : 0)) & mask;
            MKZ_WORD word;
            if (shape.is_reversed) row = mkz_extend_reversed((mkz_u32)row, shape.log_rows);
            /* No array is indexed by a number that is not constant: it would lie in memory. */
            if (kind < 2)
                word = m0[shape.offset[0] + row * shape.row_stride[0] + column * shape.column_stride[0]];
            else if (kind < 4)
                word = m1[shape.offset[1] + row * shape.row_stride[1] + column * shape.column_stride[1]];
            else
                word = m2[shape.offset[2] + row * shape.row_stride[2] + column * shape.column_stride[2]];
            if (word >= p) word -= p;
            if (word >= p) word -= p; /* 2^32 is more than 2 p */
            tile[cell * (MKZ_CELLS_SIDE + 1) + point] = word;
        }
    }
    MKZ_BARRIER(item);
    for (mkz_u32 k = item.rank; k < MKZ_CELLS_SIDE * MKZ_CELLS_SIDE; k += item.group_size) {
        const mkz_u32 cell = k / MKZ_CELLS_SIDE, point = k % MKZ_CELLS_SIDE;
        if (first_cell + cell < shape.n_cells && first_point + point < shape.pitch)
            out[(first_cell + cell) * shape.pitch + first_point + point] = tile[cell * (MKZ_CELLS_SIDE + 1) + point];
    }
}

/* The operands of a step that lie in global memory. */
MKZ_BODY void MKZ_WORD_FN(constraint_operands)(MKZ_WORD_LANE found[2], const mkz_u32 step[MKZ_STEP_WORDS],
                                               MKZ_GLOBAL const MKZ_WORD_LANE *cells, mkz_u64 pitch,
                                               MKZ_GLOBAL const MKZ_WORD *scalars) {
    MKZ_UNROLL for (int side = 0; side < 2; side++) {
        /* Operand b of a sum is the number of a weight. */
        const mkz_u32 operand = side == 1 && step[0] == MKZ_STEP_SUM ? 0 : step[2 + side];
        const mkz_u32 kind = operand >> MKZ_OPERAND_BITS;
        const mkz_u64 number = operand & ((1u << MKZ_OPERAND_BITS) - 1);
        if (kind == MKZ_OPERAND_CELL) found[side] = cells[number * pitch];
        if (kind == MKZ_OPERAND_SCALAR) found[side] = MKZ_SPLAT(scalars[number]);
    }
}

/* The sums of the points of one lane an item. Words are what products take and give: of the 31-bit fields 2^32 x mod p.
 * tile     MKZ_CONSTRAINT_TILE lanes of local memory: the slots of all items
 * cells    the copied ones
 * steps    an even number, and two more that are not run
 * out      `degree` canonical words a point */
MKZ_BODY void MKZ_WORD_FN(body_constraints)(mkz_work_item item, MKZ_LOCAL MKZ_WORD_LANE *tile,
                                            MKZ_GLOBAL const MKZ_WORD_LANE *cells, MKZ_GLOBAL const MKZ_WORD *scalars,
                                            MKZ_GLOBAL const MKZ_WORD *weights, MKZ_GLOBAL const mkz_u32 *steps,
                                            MKZ_GLOBAL MKZ_WORD *out, mkz_constraints_shape shape) {
    const MKZ_WORD p = (MKZ_WORD)shape.modulus;
    MKZ_WORD_LANE all[MKZ_CONSTRAINT_DEGREE], read[2][2];
    mkz_u32 step[2][MKZ_STEP_WORDS];
    if (item.index >= shape.pitch) return;
    cells += item.index;
    tile = MKZ_HOLD_LOCAL(tile + item.rank);
    MKZ_UNROLL for (mkz_u32 d = 0; d < MKZ_CONSTRAINT_DEGREE; d++) all[d] = MKZ_SPLAT(0);
    /* A step is read two steps ahead, and its operands in global memory one step ahead, so they have arrived when it
     * runs. Two steps a turn, because an array that turns would be copied, and copying waits. */
    MKZ_LOAD_QUAD32(step[0], steps);
    MKZ_LOAD_QUAD32(step[1], steps + MKZ_STEP_WORDS);
    MKZ_WORD_FN(constraint_operands)(read[0], step[0], cells, shape.pitch, scalars);
    MKZ_NO_UNROLL for (mkz_u32 k = 0; k < shape.n_steps; k += 2) {
        MKZ_UNROLL for (int now = 0; now < 2; now++) {
            const mkz_u32 op = step[now][0], to = step[now][1], a = step[now][2], b = step[now][3];
            MKZ_WORD_LANE x = read[now][0], y = read[now][1];
            MKZ_LOAD_QUAD32(step[now], steps + MKZ_STEP_WORDS * (2 + now));
            MKZ_WORD_FN(constraint_operands)(read[1 - now], step[1 - now], cells, shape.pitch, scalars);
            if (a >> MKZ_OPERAND_BITS == MKZ_OPERAND_SLOT) x = tile[a * item.group_size];
            if (op == MKZ_STEP_SUM) {
                MKZ_GLOBAL const MKZ_WORD *weight = weights + (mkz_u64)b * shape.degree;
                MKZ_WORD factor[MKZ_CONSTRAINT_DEGREE];
                MKZ_UNROLL for (mkz_u32 d = 0; d < MKZ_CONSTRAINT_DEGREE; d++) factor[d] =
                    d < shape.degree ? weight[d] : 0;
                MKZ_UNROLL for (mkz_u32 d = 0; d < MKZ_CONSTRAINT_DEGREE; d++) {
                    if (d < shape.degree)
                        all[d] =
                            MKZ_WORD_FN(extend_add)(all[d], MKZ_WORD_FN(extend_mul)(x, MKZ_SPLAT(factor[d]), p), p);
                }
            } else {
                if (b >> MKZ_OPERAND_BITS == MKZ_OPERAND_SLOT) y = tile[b * item.group_size];
                /* By bits: of four cases a compiler makes a table of jumps, which takes longer. */
                if (op & MKZ_STEP_MULTIPLY)
                    y = MKZ_WORD_FN(extend_mul)(x, y, p);
                else
                    y = op & MKZ_STEP_SUBTRACT ? MKZ_WORD_FN(extend_sub)(x, y, p) : MKZ_WORD_FN(extend_add)(x, y, p);
                tile[to * item.group_size] = y;
            }
        }
        steps += 2 * MKZ_STEP_WORDS;
    }
    MKZ_UNROLL for (mkz_u32 d = 0; d < MKZ_CONSTRAINT_DEGREE; d++) {
        const MKZ_WORD_LANE sum = MKZ_WORD_FN(extend_canonical)(all[d], p);
        MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
            const mkz_u64 point = item.index * MKZ_LANES + j;
            if (d < shape.degree && point < shape.points) out[point * shape.degree + d] = MKZ_LANE(MKZ_WORD, sum, j);
        }
    }
}
#endif
