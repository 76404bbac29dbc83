/* hash_rows_bytes.h: rows of bytes -> digests, block after block. */

#include "load_block.h"

/* The block of a row at p, where `left` bytes of the row exist. If they are fewer than a block, padding follows them.
 */
MKZ_BODY void MKZ_HASH_BODY(row_block)(mkz_u32 m[MKZ_UNIT_RATE / 4], MKZ_GLOBAL const mkz_u8 *p, mkz_u64 stride,
                                       mkz_u32 left) {
    if (stride == 1) {
        MKZ_HASH_BODY(load_block)(m, p, left);
    } else {
        MKZ_UNROLL for (mkz_u32 k = 0; k < MKZ_UNIT_RATE / 4; k++) {
            m[k] = 0;
            MKZ_NO_UNROLL for (mkz_u32 b = 4 * k; b < 4 * k + 4; b++) {
                if (b < left) m[k] |= (mkz_u32)p[b * stride] << 8 * (b % 4);
            }
        }
    }
    MKZ_UNROLL for (mkz_u32 k = 0; k < MKZ_UNIT_RATE / 4; k++) {
        if (k == left / 4) m[k] |= (mkz_u32)MKZ_UNIT_PAD_BYTE << 8 * (left % 4);
    }
}

/* Rows -> digests: out[out_offset + i] = hash of the row_words words in[in_offset + i row_stride + k word_stride], for
 * i < count. Row-major data has row_stride = row_words and word_stride = 1. Column-major data has row_stride = 1 and
 * word_stride = length of a column.
 *
 * A word is one byte here: in_offset, the strides and row_words count bytes. Rows begin anywhere that MKZ_ALIGN allows.
 */
MKZ_BODY void MKZ_HASH_BODY(hash_rows)(mkz_work_item item, MKZ_GLOBAL const mkz_u8 *in, mkz_u64 in_offset,
                                       mkz_u64 row_stride, mkz_u64 word_stride, mkz_u32 row_words,
                                       MKZ_GLOBAL MKZ_WORD *out, mkz_u64 out_offset, mkz_u64 count, mkz_context ctx) {
    MKZ_WORD_LANE s[MKZ_UNIT_STATE_WORDS], words[MKZ_BLOCK_WORDS], digest[MKZ_NODE_WORDS];
    mkz_u64 bytes = MKZ_KEY_BLOCKS * MKZ_UNIT_RATE + (mkz_u64)row_words; /* the block of a key comes first */
    mkz_u64 blocks = MKZ_HASH_FN(blocks)(bytes), i = item.index * MKZ_LANES;
    (void)ctx;
    if (i >= count) return;
    in += in_offset + i * row_stride;
    MKZ_INIT(s, bytes);
    MKZ_NO_UNROLL for (mkz_u64 b = MKZ_KEY_BLOCKS; b < blocks; b++) {
        mkz_u64 done = (b - MKZ_KEY_BLOCKS) * MKZ_UNIT_RATE;
        MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
            mkz_u64 row = j == 0 ? 0 : (j < count - i ? j : count - i - 1) * row_stride;
            mkz_u64 left = done < row_words ? row_words - done : 0;
            mkz_u32 block[MKZ_UNIT_RATE / 4];
            if (done <= row_words) {
                MKZ_HASH_BODY(row_block)(block, in + row + done * word_stride, word_stride, (mkz_u32)left);
            } else {
                MKZ_UNROLL for (int k = 0; k < MKZ_UNIT_RATE / 4; k++) block[k] = 0;
            }
#if MKZ_UNIT_WORD_BITS == 32
            MKZ_UNROLL for (int k = 0; k < MKZ_BLOCK_WORDS; k++) MKZ_LANE(mkz_u32, words[k], j) = block[k];
#else
            MKZ_UNROLL for (int k = 0; k < MKZ_BLOCK_WORDS; k++) MKZ_LANE(mkz_u64, words[k], j) =
                block[2 * k] | (mkz_u64)block[2 * k + 1] << 32;
#endif
        }
        MKZ_HASH_FN(absorb)(s, words, b, blocks, bytes);
    }
    MKZ_HASH_FN(digest)(digest, s);
    MKZ_WORD_FN(store_nodes)(out, out_offset + i, 1, count - i, digest);
}
