/* data.h: kernel bodies that use no hash: they move or check data. One item for each node, word or array item, so
 * ceil(count / MKZ_GROUP_SIZE) groups. */
#ifndef MKZ_DATA_H
#define MKZ_DATA_H

#include "nodes.h"

/* Nodes of any slots: out[i] = nodes[slots[i]] for i < count. slot_words: words of a slot number, 1 or 2, the low word first. */
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

/* Sets flag[0] to 1 if any of the words in[in_offset + i], i < count, is not below the modulus; otherwise does not write it. */
MKZ_BODY void mkz_body_check_words32(mkz_work_item item, MKZ_GLOBAL const mkz_u32 *in, mkz_u64 in_offset, mkz_u64 count,
                                     mkz_u64 modulus, MKZ_GLOBAL mkz_u32 *flag) {
    if (item.index < count && in[in_offset + item.index] >= modulus) flag[0] = 1;
}

MKZ_BODY void mkz_body_check_words64(mkz_work_item item, MKZ_GLOBAL const mkz_u64 *in, mkz_u64 in_offset, mkz_u64 count,
                                     mkz_u64 modulus, MKZ_GLOBAL mkz_u32 *flag) {
    if (item.index < count && in[in_offset + item.index] >= modulus) flag[0] = 1;
}

/* Shape of a strided array: `dims` <= 8 extents > 0, outermost first, and for each dimension the distance in bytes between
 * neighbours, of any sign. */
typedef struct mkz_strides {
    mkz_u64 extent[8];
    mkz_i64 stride_bytes[8];
    mkz_u32 dims;
    mkz_u32 item_bytes; /* 1, 2, 4, 8 or 16 */
} mkz_strides;

/* Copies items [first, first + count) of the array, in C order (last dimension fastest), one after another to out + out_offset.
 * in_offset: place of item [0, 0, ...]. Both offsets are in bytes. Items are aligned to item_bytes, or to MKZ_ALIGN if that is less. */
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

#endif /* MKZ_DATA_H */
