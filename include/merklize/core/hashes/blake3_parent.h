/* blake3_parent.h: BLAKE3's own inner nodes: a node is the chaining value of a parent that is not the root. Leaves are
 * chaining values of subtrees, or BLAKE3 of a row; no such digest is a node, because it has another flag. */
#define MKZ_UNIT_ID 64
#define MKZ_UNIT_NAME blake3_parent
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_RATE 64
#define MKZ_UNIT_CHUNK_BYTES 1024
#define MKZ_UNIT_ROOT_FLAG 8
#define MKZ_UNIT_MERGE_FLAGS 4

#ifdef MKZ_RESET
#undef MKZ_BLAKE3_PARENT_H
#elif !defined(MKZ_HASH) && !defined(MKZ_BLAKE3_PARENT_H)
#define MKZ_BLAKE3_PARENT_H

#include "blake3_compression.h"

/* Merge of a Merkle tree: the root of a BLAKE3 digest alone has another value, by MKZ_BLAKE3_ROOT. */
MKZ_FN void mkz_blake3_parent_merge(mkz_lane32 out[8], const mkz_lane32 left[8], const mkz_lane32 right[8]) {
    mkz_lane32 iv[8];
    mkz_blake3_iv(iv);
    mkz_blake3_parent(out, left, right, iv, MKZ_SPLAT32(0));
}

/* Rows are those of `blake3`. */
MKZ_FN void mkz_blake3_parent_iv(mkz_lane32 cv[8]) { mkz_blake3_iv(cv); }
MKZ_FN void mkz_blake3_parent_compress(mkz_lane32 cv[8], const mkz_lane32 m[16], mkz_lane32 counter_lo,
                                       mkz_lane32 counter_hi, mkz_lane32 block_len, mkz_lane32 flags) {
    mkz_blake3_compress(cv, m, counter_lo, counter_hi, block_len, flags);
}
MKZ_FN void mkz_blake3_parent_parent(mkz_lane32 out[8], const mkz_lane32 left[8], const mkz_lane32 right[8],
                                     const mkz_lane32 key[8], mkz_lane32 flags) {
    mkz_blake3_parent(out, left, right, key, flags);
}
MKZ_FN mkz_u32 mkz_blake3_parent_block_flags(mkz_u32 index, mkz_u32 count, mkz_u32 flags) {
    return mkz_blake3_block_flags(index, count, flags);
}

#endif /* MKZ_BLAKE3_PARENT_H */
#include "../unit.h"
