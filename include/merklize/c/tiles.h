/* merklize/c/tiles.h: leaves and nodes of the format tiles-v1: matrices have one root however they are sharded.
 * Its structs and constants are written by scripts/surface.py from scripts/surface.toml. */
#ifndef MERKLIZE_C_TILES_H
#define MERKLIZE_C_TILES_H

#include <merklize/c/options.h>
#include <merklize/c/values.h>

/* Matrices of one shape, cut into tiles. The elements of a row lie side by side. Byte b of row i of matrix m is
 * `m * matrix_pitch + i * row_pitch + b` bytes after the first. */
typedef struct merklize_tiled_matrices {
    const void *elements;          /* host memory: the first element; or null, with a buffer */
    const merklize_buffer *buffer; /* memory of a device that holds all elements; or null */
    uint64_t first;                /* bytes of the buffer before the first element */
    uint64_t matrices;
    uint64_t rows;
    uint64_t columns;
    int64_t row_pitch;      /* bytes from one row to the next, of any sign */
    int64_t matrix_pitch;   /* bytes from one matrix to the next, of any sign */
    uint32_t element_bytes; /* 1, 2, 4, 8 or 16 */
    uint32_t tile_rows; /* 32, for tiles of 32 x 32 elements, or 1, for tiles of 1 x 1024; 0, as `tile_columns`: 32 */
    uint32_t tile_columns;
} merklize_tiled_matrices;

/* BLAKE3 digests of tiles: each is the hash of the bytes of its tile, row after row. Tiles are counted along a row of
 * tiles, then down a matrix, then over the matrices; those at the lower and the right border are smaller. The matrices
 * are read once, and not copied.
 * matrices  in host memory, which goes to a device in pieces, while it hashes; or in memory of a device, which computes
 * out       a digest for each tile; in a buffer of the matrices' device, if they are on one. Must not overlap the
 *           matrices
 * errors    invalid_argument (sizes; matrices that reach outside their memory; an overlap), cancelled */
MERKLIZE_C_API merklize_status merklize_hash_tiles(const merklize_tiled_matrices *matrices, merklize_output out,
                                                   const merklize_run_options *options);

/* A node of a tree. */
typedef struct merklize_range_node {
    uint64_t index; /* within the level */
    uint32_t level; /* 0: the leaves */
} merklize_range_node;

/* The largest nodes that lie in the leaves [first, first + count) of a tree of `total` leaves by the rule
 * MERKLIZE_RULE_LEFT_FULL: from below, and within a level from the left; at most two a level.
 * nodes   [capacity], written; may be null if capacity is 0
 * needed  written if not null: number of nodes, also if capacity is too small
 * errors  invalid_argument (a range that the tree does not have), too_small */
MERKLIZE_C_API merklize_status merklize_range_nodes(uint64_t first, uint64_t count, uint64_t total,
                                                    merklize_range_node *nodes, size_t capacity, size_t *needed);

/* These nodes of `trees` trees of one shape, with BLAKE3 as the merge, from the leaves that lie in the range alone.
 * leaves  n digests for each tree, one tree behind another: its leaves [first, first + n)
 * out     merklize_range_nodes(first, n, total) digests for each tree; in a buffer if the leaves are in one. Must not
 *         overlap the leaves
 * errors  invalid_argument (sizes; a range that the trees do not have; an overlap; buffers that do not begin on
 *         multiples of 32 bytes), out_of_memory, cancelled */
MERKLIZE_C_API merklize_status merklize_merge_ranges(merklize_view leaves, uint64_t trees, uint64_t first,
                                                     uint64_t total, merklize_output out,
                                                     const merklize_run_options *options);

#endif
