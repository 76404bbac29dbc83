/* hash_rows_chunk.h: rows of words by a hash with a chunk tree, no longer than a chunk. For longer rows and rows of
 * bytes see hash_chunks.h. */

/* Rows -> digests: out[out_offset + i] = hash of the row_words words in[in_offset + i row_stride + k word_stride], for
 * i < count. Row-major data has row_stride = row_words and word_stride = 1. Column-major data has row_stride = 1 and
 * word_stride = length of a column.
 *
 * Words have the hash's word size; row_words of them are at most a chunk. */
MKZ_BODY void MKZ_HASH_BODY(hash_rows)(mkz_work_item item, MKZ_GLOBAL const mkz_u32 *in, mkz_u64 in_offset,
                                       mkz_u64 row_stride, mkz_u64 word_stride, mkz_u32 row_words,
                                       MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset, mkz_u64 count, mkz_context ctx) {
    mkz_lane32 cv[8], m[16], zero = MKZ_SPLAT32(0);
    mkz_u32 blocks = row_words == 0 ? 1 : (row_words + 15) / 16;
    mkz_u64 i = item.index * MKZ_LANES;
    (void)ctx;
    if (i >= count) return;
    in += in_offset + i * row_stride;
    MKZ_HASH_FN(iv)(cv);
    MKZ_NO_UNROLL for (mkz_u32 b = 0; b < blocks; b++) {
        mkz_u32 words = row_words - 16 * b;
        mkz_u32 flags = MKZ_HASH_FN(block_flags)(b, blocks, b + 1 == blocks ? MKZ_UNIT_ROOT_FLAG : 0);
        MKZ_UNROLL for (mkz_u32 k = 0; k < 16; k++) {
            m[k] = zero;
            if (k < words) m[k] = mkz_row_word32(in, row_stride, (16 * b + k) * word_stride, count - i);
        }
        MKZ_HASH_FN(compress)(cv, m, zero, zero, MKZ_SPLAT32(4 * (words < 16 ? words : 16)), MKZ_SPLAT32(flags));
    }
    mkz_store_nodes32(out, out_offset + i, 1, count - i, cv);
}
