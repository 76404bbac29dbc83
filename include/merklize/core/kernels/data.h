/* data.h: kernel bodies that use no hash: they move or check data. One item for each node, word or array item, so
 * ceil(count / MKZ_GROUP_SIZE) groups. */
#ifndef MKZ_DATA_H
#define MKZ_DATA_H

#include "nodes.h"

/* Nodes of any slots: out[i] = nodes[slots[i]] for i < count. slot_words: words of a slot number, 1 or 2, the low word
 * first. */
MKZ_BODY void mkz_body_gather_nodes(mkz_work_item item, MKZ_GLOBAL const mkz_u32 *nodes,
                                    MKZ_GLOBAL const mkz_u32 *slots, mkz_u32 slot_words, mkz_u64 count,
                                    MKZ_GLOBAL mkz_u32 *out) {
    mkz_u64 slot;
    mkz_u32 w[8];
    if (item.index >= count) return;
    slot = slots[slot_words * item.index];
    if (slot_words == 2) slot |= (mkz_u64)slots[2 * item.index + 1] << 32;
    mkz_load_node32(w, nodes, slot);
    mkz_store_node32(out, item.index, w);
}

/* The reverse: nodes[slots[i]] = in[i] for i < count; no slot may occur twice. */
MKZ_BODY void mkz_body_scatter_nodes(mkz_work_item item, MKZ_GLOBAL mkz_u32 *nodes, MKZ_GLOBAL const mkz_u32 *slots,
                                     mkz_u32 slot_words, mkz_u64 count, MKZ_GLOBAL const mkz_u32 *in) {
    mkz_u64 slot;
    mkz_u32 w[8];
    if (item.index >= count) return;
    slot = slots[slot_words * item.index];
    if (slot_words == 2) slot |= (mkz_u64)slots[2 * item.index + 1] << 32;
    mkz_load_node32(w, in, item.index);
    mkz_store_node32(nodes, slot, w);
}

/* The nodes of the tree inside a digest (hash_chunks.h) above `count` > 1 values, in one order. A node is the two
 * values below it, 64 bytes: node k goes to out[out_offset + 2k] and the next. One item a node, count - 1.
 * in    from in_offset on the values, then those that hash_parents with keep = 1 puts behind them, until two are left
 * post  0 a node comes before the nodes below it, 1 behind them; those of its left half come before those of its right
 *       half */
MKZ_BODY void mkz_body_order_parents(mkz_work_item item, MKZ_GLOBAL const mkz_u32 *in, mkz_u64 in_offset, mkz_u64 count,
                                     mkz_u32 post, MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset) {
    mkz_u64 k = item.index, first = 0, n = count, left = 1;
    mkz_u32 w[8];
    if (k + 1 >= count) return;
    /* Down to the subtree of n values from `first` on whose top is the node; its left half has `left` values, k nodes
     * come before. */
    while (2 * left < n) left *= 2;
    while (k != (post ? n - 2 : 0)) {
        k -= !post;
        if (k < left - 1) {
            n = left;
        } else {
            k -= left - 1;
            first += left;
            n -= left;
        }
        while (left >= n) left /= 2;
    }
    /* Up to the level of its halves. */
    for (; left > 1; left /= 2) {
        in_offset += count;
        count = count / 2 + count % 2;
        first /= 2;
    }
    mkz_load_node32(w, in, in_offset + first);
    mkz_store_node32(out, out_offset + 2 * item.index, w);
    mkz_load_node32(w, in, in_offset + first + 1);
    mkz_store_node32(out, out_offset + 2 * item.index + 1, w);
}

/* Sets flag[0] to 1 if any of the words in[in_offset + i], i < count, is not below the modulus; otherwise does not
 * write it. */
MKZ_BODY void mkz_body_check_words32(mkz_work_item item, MKZ_GLOBAL const mkz_u32 *in, mkz_u64 in_offset, mkz_u64 count,
                                     mkz_u64 modulus, MKZ_GLOBAL mkz_u32 *flag) {
    if (item.index < count && in[in_offset + item.index] >= modulus) flag[0] = 1;
}

MKZ_BODY void mkz_body_check_words64(mkz_work_item item, MKZ_GLOBAL const mkz_u64 *in, mkz_u64 in_offset, mkz_u64 count,
                                     mkz_u64 modulus, MKZ_GLOBAL mkz_u32 *flag) {
    if (item.index < count && in[in_offset + item.index] >= modulus) flag[0] = 1;
}

/* Shape of a strided array: `dims` <= 8 extents > 0, outermost first, and for each dimension the distance in bytes
 * between neighbours, of any sign. */
typedef struct mkz_strides {
    mkz_u64 extent[8];
    mkz_i64 stride_bytes[8];
    mkz_u32 dims;
    mkz_u32 item_bytes; /* 1, 2, 4, 8 or 16 */
} mkz_strides;

/* Copies items [first, first + count) of the array, in C order (last dimension fastest), one after another to out +
 * out_offset. in_offset: place of item [0, 0, ...]. Both offsets are in bytes. Items are aligned to item_bytes, or to
 * MKZ_ALIGN if that is less. */
MKZ_BODY void mkz_body_gather_strided(mkz_work_item item, MKZ_GLOBAL const mkz_u8 *in, mkz_u64 in_offset,
                                      MKZ_GLOBAL mkz_u8 *out, mkz_u64 out_offset, mkz_strides shape, mkz_u64 first,
                                      mkz_u64 count) {
    mkz_u64 rest = first + item.index;
    if (item.index >= count) return;
    MKZ_UNROLL for (int d = 7; d >= 0; d--) {
        if ((mkz_u32)d < shape.dims) {
            mkz_u64 outer = rest / shape.extent[d];
            in_offset += (rest - outer * shape.extent[d]) * (mkz_u64)shape.stride_bytes[d]; /* mod 2^64: any sign */
            rest = outer;
        }
    }
    in += in_offset;
    out += out_offset + item.index * shape.item_bytes;
#if !defined(MKZ_TARGET_CPP) && MKZ_ALIGN >= 4 /* C++ must not read bytes as words */
    if (shape.item_bytes >= 4) {
        for (mkz_u32 k = 0; k < shape.item_bytes; k += 4)
            *(MKZ_GLOBAL mkz_u32 *)(out + k) = *(MKZ_GLOBAL const mkz_u32 *)(in + k);
        return;
    }
#endif
    for (mkz_u32 k = 0; k < shape.item_bytes; k++) out[k] = in[k];
}

/* A matrix of words where it is and where it goes. Strides are bytes from one row or column to the next, mod 2^64: of
 * any sign. */
typedef struct mkz_matrix {
    mkz_u64 rows, columns;
    mkz_u64 row_stride, column_stride;
    mkz_u64 out_row_stride, out_column_stride;
    mkz_u32 word_bytes; /* 1, 4, 8 or 16, which have no modulus */
    mkz_u32 down;       /* 1: neighbouring items have words of one column; 0: of one row */
    mkz_u32 montgomery; /* if not 0, an odd modulus: a word x of 4 bytes becomes 2^32 x mod it */
    mkz_u32
        from_montgomery; /* if not 0, the modulus of a 31-bit field: a word 2^32 x mod it becomes x; or 1: a Goldilocks word 2^64 x */
} mkz_matrix;

/* x / 2^32 mod p below p, for p = 1 mod 2^16 (core/words/monty31.h). */
MKZ_BODY mkz_u64 mkz_from_montgomery32(mkz_u32 x, mkz_u32 p) {
    mkz_u32 high = (mkz_u32)(((mkz_u64)(mkz_u32)(x * (2 - p)) * p) >> 32);
    return high == 0 ? 0 : p - high;
}

/* x / 2^64 mod p below p of Goldilocks: -2^32 x, since 2^96 = -1. 2^32 x = 2^64 h + l with 2^64 = 2^32 - 1. */
MKZ_BODY mkz_u64 mkz_from_montgomery64(mkz_u64 x) {
    const mkz_u64 e = MKZ_U64(0xffffffff), p = MKZ_U64(0xffffffff00000001);
    mkz_u64 product = (x >> 32) * e, sum = (x << 32) + product;
    if (sum < product) sum += e; /* a carry; the sum is then too small for a second carry */
    if (sum >= p) sum -= p;
    return sum == 0 ? 0 : p - sum;
}

/* Row and column of the i-th word in the order of `down`. */
MKZ_BODY mkz_u64 mkz_matrix_row(mkz_matrix shape, mkz_u64 i) { return shape.down ? i % shape.rows : i / shape.columns; }
MKZ_BODY mkz_u64 mkz_matrix_column(mkz_matrix shape, mkz_u64 i) {
    return shape.down ? i / shape.rows : i % shape.columns;
}

/* Words are aligned to their size, or to MKZ_ALIGN if that is less. */
MKZ_BODY mkz_u64 mkz_load_matrix_word(MKZ_GLOBAL const mkz_u8 *p, mkz_u32 bytes) {
    mkz_u64 word = 0;
#if !defined(MKZ_TARGET_CPP) && MKZ_ALIGN >= 4 /* C++ must not read bytes as words */
    if (bytes >= 4) {
        word = *(MKZ_GLOBAL const mkz_u32 *)p;
        if (bytes == 8) word |= (mkz_u64) * (MKZ_GLOBAL const mkz_u32 *)(p + 4) << 32;
        return word;
    }
#endif
    for (mkz_u32 k = 0; k < bytes; k++) word |= (mkz_u64)p[k] << 8 * k;
    return word;
}

MKZ_BODY void mkz_store_matrix_word(MKZ_GLOBAL mkz_u8 *p, mkz_u64 word, mkz_u32 bytes) {
#if !defined(MKZ_TARGET_CPP) && MKZ_ALIGN >= 4
    if (bytes >= 4) {
        *(MKZ_GLOBAL mkz_u32 *)p = (mkz_u32)word;
        if (bytes == 8) *(MKZ_GLOBAL mkz_u32 *)(p + 4) = (mkz_u32)(word >> 32);
        return;
    }
#endif
    for (mkz_u32 k = 0; k < bytes; k++) p[k] = (mkz_u8)(word >> 8 * k);
}

/* Copies the words of a matrix to out + out_offset: one item a word. Both offsets are in bytes. */
MKZ_BODY void mkz_body_pack_matrix(mkz_work_item item, MKZ_GLOBAL const mkz_u8 *in, mkz_u64 in_offset,
                                   MKZ_GLOBAL mkz_u8 *out, mkz_u64 out_offset, mkz_matrix shape) {
    mkz_u64 row, column, word;
    mkz_u32 bytes = shape.word_bytes;
    if (item.index >= shape.rows * shape.columns) return;
    row = mkz_matrix_row(shape, item.index);
    column = mkz_matrix_column(shape, item.index);
    in += in_offset + row * shape.row_stride + column * shape.column_stride;
    out += out_offset + row * shape.out_row_stride + column * shape.out_column_stride;
    if (bytes == 16) { /* its high half; the low one follows as any word of 8 bytes */
        mkz_store_matrix_word(out + 8, mkz_load_matrix_word(in + 8, 8), 8);
        bytes = 8;
    }
    word = mkz_load_matrix_word(in, bytes);
    if (shape.montgomery != 0) word = (word << 32) % shape.montgomery;
    if (shape.from_montgomery != 0)
        word = bytes == 8 ? mkz_from_montgomery64(word) : mkz_from_montgomery32((mkz_u32)word, shape.from_montgomery);
    mkz_store_matrix_word(out, word, bytes);
}

/* Sets flag[0] to 1 if any word of a matrix is not below the modulus; otherwise does not write it. */
MKZ_BODY void mkz_body_check_matrix(mkz_work_item item, MKZ_GLOBAL const mkz_u8 *in, mkz_u64 in_offset,
                                    mkz_matrix shape, mkz_u64 modulus, MKZ_GLOBAL mkz_u32 *flag) {
    if (item.index >= shape.rows * shape.columns) return;
    in += in_offset + mkz_matrix_row(shape, item.index) * shape.row_stride +
          mkz_matrix_column(shape, item.index) * shape.column_stride;
    if (mkz_load_matrix_word(in, shape.word_bytes) >= modulus) flag[0] = 1;
}

#endif /* MKZ_DATA_H */
