/* extend.h: one pass of a low-degree extension over the rows of a matrix: levels of radix-2 transforms, inverse and
 * forward, of columns that do not depend on each other.
 *
 * A matrix of n = 2^log_rows rows has the values of its columns on the subgroup of order n. The inverse transform gives
 * coefficients, row r having that of X^reversed(r); they are multiplied by powers of a coset's shift; the forward
 * transform gives the values on the coset. Level l combines rows that differ in bit l alone, so a tile of rows that
 * differ in bits low .. low + levels - 1 takes `levels` levels while it is in local memory. src/jobs/extension.cpp has
 * the order of the passes. */
#ifndef MKZ_EXTEND_H
#define MKZ_EXTEND_H

#include "../names.h"
#include "../words/goldilocks.h"
#include "../words/monty31.h"

/* Levels of a pass, and words of a row of a tile: 2^8 rows of 128 bytes are 32 KiB of local memory. */
#define MKZ_EXTEND_LEVELS 8
#define MKZ_EXTEND_TILE_BYTES 128
#define MKZ_EXTEND_TILE(word_bits) ((MKZ_EXTEND_TILE_BYTES << MKZ_EXTEND_LEVELS) * 8 / (word_bits))

/* Levels that an item takes in registers. With 4 levels of 64-bit words few groups fit on a multiprocessor at once. */
#ifndef MKZ_EXTEND_ROUND
#ifdef MKZ_TARGET_CPP
#define MKZ_EXTEND_ROUND 4
#else
#define MKZ_EXTEND_ROUND 3
#endif
#endif

/* Kinds of levels that a pass has; with both, the inverse ones come first, and the powers of the shift between them. */
#define MKZ_EXTEND_INVERSE 1u
#define MKZ_EXTEND_FORWARD 2u

/* Offsets and strides are in words, mod 2^64: of any sign. */
typedef struct mkz_extend_pass {
    mkz_u64 in_offset, in_row_stride, in_column_stride;
    mkz_u64 out_offset, out_row_stride; /* neighbouring columns are neighbours there */
    mkz_u64 columns;
    mkz_u64 modulus;
    mkz_u64 scales; /* of both kinds: where the coset's factors begin in their table */
    mkz_u32 log_rows, low, levels, kinds;
    mkz_u32 log_tile_columns; /* of a tile: 2^this lanes */
    mkz_u32 is_reversed;      /* 1: row r goes to row reversed(r) */
    mkz_u32 is_checked;       /* 1: a word that is not below the modulus is noted; 0: it stands for its value mod p */
    mkz_u32 reserved;
} mkz_extend_pass;

/* The lowest `bits` <= 32 bits of r in reverse. */
MKZ_BODY mkz_u32 mkz_extend_reversed(mkz_u32 r, mkz_u32 bits) {
    if (bits == 0) return 0;
#if defined(MKZ_TARGET_SYCL)
    /* Four bits at a time by a table. DPC++ makes one instruction of the lines below, and then cannot translate it to
     * SPIR-V. */
    mkz_u32 reversed = 0;
    for (int i = 0; i < 8; i++, r >>= 4)
        reversed = reversed << 4 | ((mkz_u32)(MKZ_U64(0xf7b3d591e6a2c480) >> ((r & 15) * 4)) & 15);
    return reversed >> (32 - bits);
#else
    r = (r & 0x55555555u) << 1 | (r >> 1 & 0x55555555u);
    r = (r & 0x33333333u) << 2 | (r >> 2 & 0x33333333u);
    r = (r & 0x0f0f0f0fu) << 4 | (r >> 4 & 0x0f0f0f0fu);
    r = (r & 0x00ff00ffu) << 8 | (r >> 8 & 0x00ff00ffu);
    return (r << 16 | r >> 16) >> (32 - bits);
#endif
}

/* The row of the matrix that is row q of a tile. */
MKZ_BODY mkz_u64 mkz_extend_row(mkz_extend_pass pass, mkz_u64 row_tile, mkz_u64 q) {
    return (row_tile >> pass.low << (pass.low + pass.levels)) + (q << pass.low) +
           (row_tile & (((mkz_u64)1 << pass.low) - 1));
}

/* The place of that row in `out`. */
MKZ_BODY mkz_u64 mkz_extend_out(mkz_extend_pass pass, mkz_u64 row) {
    if (pass.is_reversed) row = mkz_extend_reversed((mkz_u32)row, pass.log_rows);
    return pass.out_offset + row * pass.out_row_stride;
}

/* Words of tables are what products take: of the 31-bit fields 2^32 x mod p. Elements of both fields are canonical in
 * memory. */
MKZ_FN mkz_lane32 mkz_extend_canonical32(mkz_lane32 a, mkz_u32 p) { return mkz_m31_lower(mkz_m31_lower(a, p), p); }
MKZ_FN mkz_lane32 mkz_extend_add32(mkz_lane32 a, mkz_lane32 b, mkz_u32 p) { return mkz_m31_add(a, b, p); }
MKZ_FN mkz_lane32 mkz_extend_sub32(mkz_lane32 a, mkz_lane32 b, mkz_u32 p) { return mkz_m31_sub(a, b, p); }
MKZ_FN mkz_lane32 mkz_extend_mul32(mkz_lane32 a, mkz_lane32 b, mkz_u32 p) { return mkz_m31_mul(a, b, p); }

MKZ_FN mkz_lane64 mkz_extend_canonical64(mkz_lane64 a, mkz_u64 p) {
    (void)p;
    return mkz_gl_canonical(a);
}
MKZ_FN mkz_lane64 mkz_extend_add64(mkz_lane64 a, mkz_lane64 b, mkz_u64 p) {
    (void)p;
    return mkz_gl_add(a, mkz_gl_canonical(b));
}
/* A borrow is worth e; b < p keeps this from borrowing again. */
MKZ_FN mkz_lane64 mkz_extend_sub64(mkz_lane64 a, mkz_lane64 b, mkz_u64 p) {
    (void)p;
    b = mkz_gl_canonical(b);
    return a - b - (MKZ_LT_MASK(a, b) & MKZ_SPLAT64(MKZ_GL_E));
}
MKZ_FN mkz_lane64 mkz_extend_mul64(mkz_lane64 a, mkz_lane64 b, mkz_u64 p) {
    (void)p;
    return mkz_gl_mul(a, b);
}

#define MKZ_UNIT_WORD_BITS 32
#include "extend_words.h"
#undef MKZ_UNIT_WORD_BITS
#define MKZ_UNIT_WORD_BITS 64
#include "extend_words.h"
#undef MKZ_UNIT_WORD_BITS

#endif /* MKZ_EXTEND_H */
