/* kernel_data.h: kernel bodies with no hash in them: they move or look at data. One item each thing, so
 * ceil(count / MKZ_GROUP_SIZE) groups. */
#ifndef MKZ_KERNEL_DATA_H
#define MKZ_KERNEL_DATA_H

#include "goldilocks.h"
#include "kernel_nodes.h"

/* Paths of a heap-ordered tree: out[q levels + j] = sibling, j levels above the leaves, on the way from leaf indices[q]
 * to the root, for q < count and j < levels; one node an item, so count * levels items.
 * nodes    slot 0 of the tree, whose leaf k is node `leaves` + k
 * leaves   number of leaves, a power of two
 * levels   log2(leaves) for whole paths, less for paths that end at a cap
 * An index >= leaves gives zeros and reads nothing outside the tree. */
MKZ_BODY void mkz_body_gather_paths(mkz_work_item item, MKZ_GLOBAL const mkz_u32 *nodes, mkz_u64 leaves, mkz_u32 levels,
                                    MKZ_GLOBAL const mkz_u64 *indices, mkz_u64 count, MKZ_GLOBAL mkz_u32 *out) {
    mkz_u64 query, node;
    mkz_u32 w[8], level;
    if (item.index >= count * levels) return;
    query = item.index / levels;
    level = (mkz_u32)(item.index % levels);
    node = indices[query];
    if (node < leaves) {
        mkz_load_node32(w, nodes, ((leaves + node) >> level) ^ 1);
    } else {
        MKZ_UNROLL for (int k = 0; k < 8; k++) w[k] = 0;
    }
    mkz_store_node32(out, item.index, w);
}

/* Sets flag[0] to 1 if one of the words in[in_offset + i], i < count, is not below p; else leaves it. */
MKZ_BODY void mkz_body_check_words(mkz_work_item item, MKZ_GLOBAL const mkz_u64 *in, mkz_u64 in_offset, mkz_u64 count,
                                   MKZ_GLOBAL mkz_u32 *flag) {
    if (item.index < count && in[in_offset + item.index] >= MKZ_GL_P) flag[0] = 1;
}

/* Shape of an array whose items lie anywhere: `dims` <= 8 extents > 0, outermost first, with the distance in bytes, of any
 * sign, between neighbours in each. */
typedef struct mkz_strides {
    mkz_u64 extent[8];
    mkz_i64 stride_bytes[8];
    mkz_u32 dims;
    mkz_u32 item_bytes; /* 1, 2, 4, 8 or 16 */
} mkz_strides;

/* Items first .. first + count of the array, in C order (last dimension fastest), one after another to out + out_offset.
 * in_offset: of item [0, 0, ...], in bytes, as out_offset. Items lie on item_bytes, or on MKZ_ALIGN if that is less. */
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

#endif /* MKZ_KERNEL_DATA_H */
