/* hash_rows_words.h: rows of field elements -> digests. */

/* Rows -> digests: out[out_offset + i] = hash of the row_words words in[in_offset + i row_stride + k word_stride], for
 * i < count. Row-major data has row_stride = row_words and word_stride = 1. Column-major data has row_stride = 1 and
 * word_stride = length of a column.
 *
 * A word is an element here, which is MKZ_UNIT_ELEMENT_WORDS words in memory. It may have any value. */
MKZ_BODY void MKZ_HASH_BODY(hash_rows)(mkz_work_item item, MKZ_GLOBAL const MKZ_WORD *in, mkz_u64 in_offset,
                                       mkz_u64 row_stride, mkz_u64 word_stride, mkz_u32 row_words,
                                       MKZ_GLOBAL MKZ_WORD *out, mkz_u64 out_offset, mkz_u64 count, mkz_context ctx) {
    MKZ_WORD_LANE s[MKZ_UNIT_STATE_WORDS], digest[MKZ_NODE_WORDS];
    mkz_u64 i = item.index * MKZ_LANES, first = 0;
    mkz_u32 rate = MKZ_ROW_RATE(ctx), left = row_words;
    (void)ctx;
    if (i >= count) return;
    in += MKZ_UNIT_ELEMENT_WORDS * (in_offset + i * row_stride);
    MKZ_HASH_FN(init)(s, row_words);
    MKZ_NO_UNROLL for (; left > 0; first += rate) {
        MKZ_UNROLL for (mkz_u32 k = 0; k < MKZ_UNIT_RATE; k++) {
            MKZ_UNROLL for (mkz_u32 h = 0; h < MKZ_UNIT_ELEMENT_WORDS; h++) {
                if (k < rate && k < left) {
                    MKZ_HASH_FN(add)(
                        s, (int)(MKZ_UNIT_ELEMENT_WORDS * k + h),
                        MKZ_WORD_FN(row_word)(in, MKZ_UNIT_ELEMENT_WORDS * row_stride,
                                              MKZ_UNIT_ELEMENT_WORDS * (first + k) * word_stride + h, count - i));
                } else if (MKZ_UNIT_FILLS_BLOCK) {
                    MKZ_FILL(s, (int)(MKZ_UNIT_ELEMENT_WORDS * k + h),
                             MKZ_SPLAT((MKZ_WORD)(MKZ_UNIT_FILLS_BLOCK == 2 && k == left)));
                }
            }
        }
        MKZ_PERMUTE(s);
        left -= left < rate ? left : rate;
    }
    MKZ_HASH_FN(digest)(digest, s);
    MKZ_WORD_FN(store_nodes)(out, out_offset + i, 1, count - i, digest);
}
