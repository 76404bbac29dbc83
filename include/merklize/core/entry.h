/* entry.h: kernel entry points for OpenCL C, CUDA (NVRTC, nvcc) and SYCL (DPC++, functions as kernels), for every hash
 * of the program (MKZ_HASH_LIST, kernels.h). Included instead of kernels.h.
 *
 * Names are mkz_merge_level_blake3 and so on. An entry point takes the arguments of its body without the item and the
 * local memory. Launches have one dimension. All entry points of a body take the same number and sizes of arguments,
 * whatever the hash is.
 *   constants    a buffer with the hash's table (TABLE_WORDS words, hashes.h), read if MKZ_CONSTANTS is 3 or 4; else it
 *                may be null
 *   slot_0       where slot 0 of the tree is in its buffer; out_offset, first and slots count from there
 *   key, flags   with MKZ_KEYED 1, in the merges of a keyed hash only: a key of 32 bytes and the mode's flags
 *
 * MKZ_ONLY selects the entry points of a program: a sum of the bits in only.h. With fewer of them it compiles faster.
 */
#ifndef MKZ_ENTRY_H
#define MKZ_ENTRY_H

#include "port.h"

#ifdef MKZ_KERNELS_H
#error "entry.h: include it instead of kernels.h, not after it"
#endif
#if !defined(MKZ_ENTRY) || !defined(MKZ_THIS_ITEM)
#error "entry.h: this compiler has no kernel entry points; include kernels.h and call the bodies"
#endif

#ifdef MKZ_ONLY
#define MKZ_ENTRIES MKZ_ONLY
#else
#define MKZ_ENTRIES 2047 /* all but those that only.h lists last */
#endif
#include "kernels.h"

#if MKZ_ENTRIES & MKZ_ONLY_DATA
MKZ_ENTRY(mkz_gather_nodes)
(MKZ_GLOBAL const mkz_u32 *nodes, mkz_u64 slot_0, MKZ_GLOBAL const mkz_u32 *slots, mkz_u32 slot_words, mkz_u64 count,
 MKZ_GLOBAL mkz_u32 *out) {
    mkz_body_gather_nodes(MKZ_THIS_ITEM(), nodes + 8 * slot_0, slots, slot_words, count, out);
}

MKZ_ENTRY(mkz_scatter_nodes)
(MKZ_GLOBAL mkz_u32 *nodes, mkz_u64 slot_0, MKZ_GLOBAL const mkz_u32 *slots, mkz_u32 slot_words, mkz_u64 count,
 MKZ_GLOBAL const mkz_u32 *in) {
    mkz_body_scatter_nodes(MKZ_THIS_ITEM(), nodes + 8 * slot_0, slots, slot_words, count, in);
}

MKZ_ENTRY(mkz_order_parents)
(MKZ_GLOBAL const mkz_u32 *in, mkz_u64 in_offset, mkz_u64 count, mkz_u32 post, MKZ_GLOBAL mkz_u32 *out,
 mkz_u64 out_offset) {
    mkz_body_order_parents(MKZ_THIS_ITEM(), in, in_offset, count, post, out, out_offset);
}

MKZ_ENTRY(mkz_gather_strided)
(MKZ_GLOBAL const mkz_u8 *in, mkz_u64 in_offset, MKZ_GLOBAL mkz_u8 *out, mkz_u64 out_offset, mkz_strides shape,
 mkz_u64 first, mkz_u64 count) {
    mkz_body_gather_strided(MKZ_THIS_ITEM(), in, in_offset, out, out_offset, shape, first, count);
}

MKZ_ENTRY(mkz_check_words32)
(MKZ_GLOBAL const mkz_u32 *in, mkz_u64 in_offset, mkz_u64 count, mkz_u64 modulus, MKZ_GLOBAL mkz_u32 *flag) {
    mkz_body_check_words32(MKZ_THIS_ITEM(), in, in_offset, count, modulus, flag);
}

MKZ_ENTRY(mkz_check_words64)
(MKZ_GLOBAL const mkz_u64 *in, mkz_u64 in_offset, mkz_u64 count, mkz_u64 modulus, MKZ_GLOBAL mkz_u32 *flag) {
    mkz_body_check_words64(MKZ_THIS_ITEM(), in, in_offset, count, modulus, flag);
}

MKZ_ENTRY(mkz_pack_matrix)
(MKZ_GLOBAL const mkz_u8 *in, mkz_u64 in_offset, MKZ_GLOBAL mkz_u8 *out, mkz_u64 out_offset, mkz_matrix shape) {
    mkz_body_pack_matrix(MKZ_THIS_ITEM(), in, in_offset, out, out_offset, shape);
}

MKZ_ENTRY(mkz_check_matrix)
(MKZ_GLOBAL const mkz_u8 *in, mkz_u64 in_offset, mkz_matrix shape, mkz_u64 modulus, MKZ_GLOBAL mkz_u32 *flag) {
    mkz_body_check_matrix(MKZ_THIS_ITEM(), in, in_offset, shape, modulus, flag);
}
#endif /* MKZ_ONLY_DATA */

#if MKZ_ENTRIES & (MKZ_ONLY_EXTEND | MKZ_ONLY_SUMS | MKZ_ONLY_CONSTRAINTS)
#include "kernels/extend.h"
#endif
#if MKZ_ENTRIES & MKZ_ONLY_EXTEND
MKZ_ENTRY(mkz_extend32)
(MKZ_GLOBAL const mkz_u32 *in, MKZ_GLOBAL mkz_u32 *out, MKZ_GLOBAL const mkz_u32 *roots,
 MKZ_GLOBAL const mkz_u32 *scales, MKZ_GLOBAL mkz_u32 *flag, mkz_extend_pass pass) {
    MKZ_LOCAL_ARRAY(mkz_u32, tile, MKZ_EXTEND_TILE(32));
    mkz_body_extend32(MKZ_THIS_ITEM(), tile, in, out, roots, scales, flag, pass);
}

MKZ_ENTRY(mkz_extend64)
(MKZ_GLOBAL const mkz_u64 *in, MKZ_GLOBAL mkz_u64 *out, MKZ_GLOBAL const mkz_u64 *roots,
 MKZ_GLOBAL const mkz_u64 *scales, MKZ_GLOBAL mkz_u32 *flag, mkz_extend_pass pass) {
    MKZ_LOCAL_ARRAY(mkz_u64, tile, MKZ_EXTEND_TILE(64));
    mkz_body_extend64(MKZ_THIS_ITEM(), tile, in, out, roots, scales, flag, pass);
}
#endif /* MKZ_ONLY_EXTEND */

#if MKZ_ENTRIES & MKZ_ONLY_SUMS
#include "kernels/weighted_sums.h"

MKZ_ENTRY(mkz_weighted_sums32)
(MKZ_GLOBAL const mkz_u32 *in, MKZ_GLOBAL const mkz_u32 *weights, MKZ_GLOBAL mkz_u32 *out, MKZ_GLOBAL mkz_u32 *flag,
 mkz_sums_shape shape) {
    MKZ_LOCAL_ARRAY(mkz_u32, tile, MKZ_SUMS_TILE);
    mkz_body_weighted_sums32(MKZ_THIS_ITEM(), tile, in, weights, out, flag, shape);
}

MKZ_ENTRY(mkz_weighted_sums64)
(MKZ_GLOBAL const mkz_u64 *in, MKZ_GLOBAL const mkz_u64 *weights, MKZ_GLOBAL mkz_u64 *out, MKZ_GLOBAL mkz_u32 *flag,
 mkz_sums_shape shape) {
    MKZ_LOCAL_ARRAY(mkz_u64, tile, MKZ_SUMS_TILE);
    mkz_body_weighted_sums64(MKZ_THIS_ITEM(), tile, in, weights, out, flag, shape);
}
#endif /* MKZ_ONLY_SUMS */

#if MKZ_ENTRIES & MKZ_ONLY_CONSTRAINTS
#include "kernels/constraints.h"

MKZ_ENTRY(mkz_constraint_cells32)
(MKZ_GLOBAL const mkz_u32 *m0, MKZ_GLOBAL const mkz_u32 *m1, MKZ_GLOBAL const mkz_u32 *m2,
 MKZ_GLOBAL const mkz_u32 *cells, MKZ_GLOBAL mkz_u32 *out, mkz_cells_shape shape) {
    MKZ_LOCAL_ARRAY(mkz_u32, tile, MKZ_CELLS_TILE);
    mkz_body_constraint_cells32(MKZ_THIS_ITEM(), tile, m0, m1, m2, cells, out, shape);
}

MKZ_ENTRY(mkz_constraint_cells64)
(MKZ_GLOBAL const mkz_u64 *m0, MKZ_GLOBAL const mkz_u64 *m1, MKZ_GLOBAL const mkz_u64 *m2,
 MKZ_GLOBAL const mkz_u32 *cells, MKZ_GLOBAL mkz_u64 *out, mkz_cells_shape shape) {
    MKZ_LOCAL_ARRAY(mkz_u64, tile, MKZ_CELLS_TILE);
    mkz_body_constraint_cells64(MKZ_THIS_ITEM(), tile, m0, m1, m2, cells, out, shape);
}

MKZ_ENTRY(mkz_constraints32)
(MKZ_GLOBAL const mkz_lane32 *cells, MKZ_GLOBAL const mkz_u32 *scalars, MKZ_GLOBAL const mkz_u32 *weights,
 MKZ_GLOBAL const mkz_u32 *steps, MKZ_GLOBAL mkz_u32 *out, mkz_constraints_shape shape) {
    MKZ_LOCAL_ARRAY(mkz_lane32, tile, MKZ_CONSTRAINT_TILE);
    mkz_body_constraints32(MKZ_THIS_ITEM(), tile, cells, scalars, weights, steps, out, shape);
}

MKZ_ENTRY(mkz_constraints64)
(MKZ_GLOBAL const mkz_lane64 *cells, MKZ_GLOBAL const mkz_u64 *scalars, MKZ_GLOBAL const mkz_u64 *weights,
 MKZ_GLOBAL const mkz_u32 *steps, MKZ_GLOBAL mkz_u64 *out, mkz_constraints_shape shape) {
    MKZ_LOCAL_ARRAY(mkz_lane64, tile, MKZ_CONSTRAINT_TILE);
    mkz_body_constraints64(MKZ_THIS_ITEM(), tile, cells, scalars, weights, steps, out, shape);
}
#endif /* MKZ_ONLY_CONSTRAINTS */

#endif /* MKZ_ENTRY_H */
