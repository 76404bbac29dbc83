/* constraints.h: for each row, the sum of polynomials in the words of the row, of its next row, and in scalars, each
 * times a weight: the constraints of a proof, folded.
 *
 * The polynomials are a program of steps, which all items run in step, each for the points of a lane. A step takes two
 * operands, and writes a slot of its item or adds to its sum. Slots are in local memory: those of an item are a group's
 * size apart, so neighbours lie side by side.
 *
 * Rows may be far apart, and so may those of neighbouring points. So a kernel before copies the cells that the program
 * names: cell after cell, each for all points of the launch, side by side. */
#ifndef MKZ_CONSTRAINTS_H
#define MKZ_CONSTRAINTS_H

#include "extend.h"

#define MKZ_CONSTRAINT_MATRICES 3
#define MKZ_CONSTRAINT_SLOTS 64  /* the most of an item */
#define MKZ_CONSTRAINT_TILE 2048 /* lanes of a group: with fewer slots a group may have more items */
#define MKZ_CONSTRAINT_LANES 2   /* points of an item: MKZ_LANES of these programs */
#define MKZ_CONSTRAINT_DEGREE 8  /* the greatest one */

/* Steps have four words: what it does, the slot that it writes, and its operands. */
#define MKZ_STEP_WORDS 4
#define MKZ_STEP_ADD 0u
#define MKZ_STEP_SUBTRACT 1u
#define MKZ_STEP_MULTIPLY 2u
#define MKZ_STEP_SUM 3u /* adds operand a, times the weight of number b, to the sum */

/* The highest bits of an operand say what it is, its other bits are its number. */
#define MKZ_OPERAND_BITS 29
#define MKZ_OPERAND_SLOT 0u
#define MKZ_OPERAND_SCALAR 1u
#define MKZ_OPERAND_CELL 2u /* plus 2 m: a column of matrix m, in the row; plus 2 m + 1: in the next row */
/* Steps of the kernel name copied cells: MKZ_OPERAND_CELL, and the number of the copy. */

/* The copying of cells. Offsets and strides are in words, mod 2^64: of any sign. */
typedef struct mkz_cells_shape {
    mkz_u64 offset[MKZ_CONSTRAINT_MATRICES];
    mkz_u64 row_stride[MKZ_CONSTRAINT_MATRICES], column_stride[MKZ_CONSTRAINT_MATRICES];
    mkz_u64 first; /* of the points of the launch; points after the last row are those from row 0 on */
    mkz_u64 pitch; /* words from a copied cell to the next one: all points of the launch, and up to a lane more */
    mkz_u64 next;  /* point i's next row is that of point i + next, mod 2^log_rows */
    mkz_u64 modulus;
    mkz_u32 n_cells;
    mkz_u32 log_rows;    /* of each matrix */
    mkz_u32 is_reversed; /* 1: point i is row reversed(i); 0: row i */
    mkz_u32 reserved;
} mkz_cells_shape;

typedef struct mkz_constraints_shape {
    mkz_u64 points; /* of the launch */
    mkz_u64 pitch;  /* lanes from a copied cell to the next one */
    mkz_u64 modulus;
    mkz_u32 n_steps;
    mkz_u32 degree; /* words of a weight and of a sum */
} mkz_constraints_shape;

/* Points and cells of a tile in which cells are turned. */
#define MKZ_CELLS_SIDE 32u
#define MKZ_CELLS_TILE (MKZ_CELLS_SIDE * (MKZ_CELLS_SIDE + 1)) /* words */

#define MKZ_UNIT_WORD_BITS 32
#include "constraints_words.h"
#undef MKZ_UNIT_WORD_BITS
#define MKZ_UNIT_WORD_BITS 64
#include "constraints_words.h"
#undef MKZ_UNIT_WORD_BITS

#endif /* MKZ_CONSTRAINTS_H */
