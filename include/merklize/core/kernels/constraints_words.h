/* constraints_words.h: constraints over words of MKZ_UNIT_WORD_BITS bits. Included once for each width (constraints.h).
 */

#ifndef MKZ_LANES_ARE_FOREIGN
/* The sum of one point an item. Words are what products take and give: of the 31-bit fields 2^32 x mod p.
 * tile        MKZ_CONSTRAINT_TILE words of local memory; for a group of one item MKZ_CONSTRAINT_SLOTS
 * m0, m1, m2  the matrices; those that no step names may be any memory
 * out         `degree` canonical words a point */
MKZ_BODY void MKZ_WORD_FN(body_constraints)(mkz_work_item item, MKZ_LOCAL MKZ_WORD *tile, MKZ_GLOBAL const MKZ_WORD *m0,
                                            MKZ_GLOBAL const MKZ_WORD *m1, MKZ_GLOBAL const MKZ_WORD *m2,
                                            MKZ_GLOBAL const MKZ_WORD *scalars, MKZ_GLOBAL const MKZ_WORD *weights,
                                            MKZ_GLOBAL const mkz_u32 *steps, MKZ_GLOBAL MKZ_WORD *out,
                                            mkz_constraints_shape shape) {
    const MKZ_WORD p = (MKZ_WORD)shape.modulus;
    const mkz_u64 mask = ((mkz_u64)1 << shape.log_rows) - 1;
    MKZ_WORD all[MKZ_CONSTRAINT_DEGREE];
    mkz_u64 row, next; /* of the point, and of the point after it */
    if (item.index >= shape.points) return;
    row = shape.first + item.index;
    next = (row + shape.next) & mask;
    if (shape.is_reversed) {
        row = mkz_extend_reversed((mkz_u32)row, shape.log_rows);
        next = mkz_extend_reversed((mkz_u32)next, shape.log_rows);
    }
    MKZ_UNROLL for (mkz_u32 d = 0; d < MKZ_CONSTRAINT_DEGREE; d++) all[d] = 0;
    MKZ_NO_UNROLL for (mkz_u32 k = 0; k < shape.n_steps; k++) {
        MKZ_GLOBAL const mkz_u32 *step = steps + MKZ_STEP_WORDS * (mkz_u64)k;
        const mkz_u32 op = step[0];
        MKZ_WORD x[2] = {0, 0};
        MKZ_UNROLL for (int side = 0; side < 2; side++) {
            const mkz_u32 kind = step[2 + side] >> MKZ_OPERAND_BITS;
            const mkz_u64 number = step[2 + side] & ((1u << MKZ_OPERAND_BITS) - 1);
            if (side == 1 && op == MKZ_STEP_SUM) {
                /* the number of a weight */
            } else if (kind == MKZ_OPERAND_SLOT) {
                x[side] = tile[number * item.group_size + item.rank];
            } else if (kind == MKZ_OPERAND_SCALAR) {
                x[side] = scalars[number];
            } else {
                /* No array is indexed by a number that is not constant: it would lie in memory. */
                const mkz_u64 of_row = kind & 1 ? next : row;
                const mkz_u32 m = (kind - MKZ_OPERAND_CELL) >> 1;
                if (m == 0)
                    x[side] = m0[shape.offset[0] + of_row * shape.row_stride[0] + number * shape.column_stride[0]];
                else if (m == 1)
                    x[side] = m1[shape.offset[1] + of_row * shape.row_stride[1] + number * shape.column_stride[1]];
                else
                    x[side] = m2[shape.offset[2] + of_row * shape.row_stride[2] + number * shape.column_stride[2]];
                x[side] = MKZ_WORD_FN(extend_canonical)(x[side], p);
            }
        }
        if (op == MKZ_STEP_SUM) {
            MKZ_GLOBAL const MKZ_WORD *weight = weights + (mkz_u64)step[3] * shape.degree;
            MKZ_UNROLL for (mkz_u32 d = 0; d < MKZ_CONSTRAINT_DEGREE; d++) {
                if (d < shape.degree)
                    all[d] = MKZ_WORD_FN(extend_add)(all[d], MKZ_WORD_FN(extend_mul)(x[0], weight[d], p), p);
            }
        } else {
            tile[step[1] * item.group_size + item.rank] = op == MKZ_STEP_ADD ? MKZ_WORD_FN(extend_add)(x[0], x[1], p)
                                                          : op == MKZ_STEP_SUBTRACT
                                                              ? MKZ_WORD_FN(extend_sub)(x[0], x[1], p)
                                                              : MKZ_WORD_FN(extend_mul)(x[0], x[1], p);
        }
    }
    MKZ_UNROLL for (mkz_u32 d = 0; d < MKZ_CONSTRAINT_DEGREE; d++) {
        if (d < shape.degree) out[item.index * shape.degree + d] = MKZ_WORD_FN(extend_canonical)(all[d], p);
    }
}
#endif
