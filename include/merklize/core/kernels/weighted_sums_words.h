/* weighted_sums_words.h: sums over words of MKZ_UNIT_WORD_BITS bits. Included once for each width (weighted_sums.h). */

#ifndef MKZ_LANES_ARE_FOREIGN
/* The sums of one group, of one part of the terms. Sums change fastest from group to group.
 * tile     MKZ_SUMS_TILE words of local memory
 * weights  factors (extend.h), `degree` for each term
 * out      `degree` canonical words a sum, for each part
 * flag     flag[0] becomes 1 if a word is refused */
MKZ_BODY void MKZ_WORD_FN(body_weighted_sums)(mkz_work_item item, MKZ_LOCAL MKZ_WORD *tile,
                                              MKZ_GLOBAL const MKZ_WORD *in, MKZ_GLOBAL const MKZ_WORD *weights,
                                              MKZ_GLOBAL MKZ_WORD *out, MKZ_GLOBAL mkz_u32 *flag,
                                              mkz_sums_shape shape) {
    const MKZ_WORD p = (MKZ_WORD)shape.modulus;
    const mkz_u32 log_items = shape.log_slices + shape.log_sums;
    const mkz_u64 across = (shape.sums + ((mkz_u64)1 << shape.log_sums) - 1) >> shape.log_sums;
    const mkz_u64 part = item.group / across, first_sum = (item.group - part * across) << shape.log_sums;
    if (item.rank < 1u << log_items) {
        const mkz_u32 low = shape.is_across ? shape.log_slices : shape.log_sums;
        const mkz_u32 inner = item.rank & ((1u << low) - 1), outer = item.rank >> low;
        const mkz_u64 sum = first_sum + (shape.is_across ? outer : inner);
        mkz_u64 term = (part << shape.log_slices) + (shape.is_across ? inner : outer);
        MKZ_WORD all[MKZ_SUMS_DEGREE];
        MKZ_UNROLL for (mkz_u32 d = 0; d < MKZ_SUMS_DEGREE; d++) all[d] = 0;
        for (; sum < shape.sums && term < shape.terms; term += shape.parts << shape.log_slices) {
            const MKZ_WORD word = in[shape.in_offset + term * shape.term_stride + sum * shape.sum_stride];
            const mkz_u64 weight = shape.first_weight + term * shape.degree;
            if (shape.is_checked && word >= p) flag[0] = 1;
            MKZ_UNROLL for (mkz_u32 d = 0; d < MKZ_SUMS_DEGREE; d++) {
                if (d < shape.degree)
                    all[d] = MKZ_WORD_FN(extend_add)(all[d], MKZ_WORD_FN(extend_mul)(word, weights[weight + d], p), p);
            }
        }
        MKZ_UNROLL for (mkz_u32 d = 0; d < MKZ_SUMS_DEGREE; d++) {
            if (d < shape.degree) tile[(d << log_items) + (outer << low) + inner] = all[d];
        }
    }
    MKZ_BARRIER(item);
    for (mkz_u32 k = item.rank; k < shape.degree << shape.log_sums; k += item.group_size) {
        const mkz_u32 of_group = k / shape.degree, d = k - of_group * shape.degree;
        const mkz_u32 first = (d << log_items) + (shape.is_across ? of_group << shape.log_slices : of_group);
        const mkz_u32 step = shape.is_across ? 1 : 1u << shape.log_sums;
        MKZ_WORD all = 0;
        for (mkz_u32 slice = 0; slice < 1u << shape.log_slices; slice++)
            all = MKZ_WORD_FN(extend_add)(all, tile[first + slice * step], p);
        if (first_sum + of_group < shape.sums)
            out[(part * shape.sums + first_sum + of_group) * shape.degree + d] = MKZ_WORD_FN(extend_canonical)(all, p);
    }
}
#endif
