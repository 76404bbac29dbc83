/* only.h: the bits of MKZ_ONLY, which say what entry points a program has (entry.h). */
#ifndef MKZ_ONLY_H
#define MKZ_ONLY_H

#define MKZ_ONLY_MERGE_LEVEL 1
#define MKZ_ONLY_MERGE_PAIRS 2
#define MKZ_ONLY_MERGE_SUBTREE 4
#define MKZ_ONLY_HASH_ROWS 8
#define MKZ_ONLY_HASH_CHUNKS 16
#define MKZ_ONLY_HASH_PARENTS 32
#define MKZ_ONLY_MERGE_AT 64
#define MKZ_ONLY_MERGE_EDGE 128
#define MKZ_ONLY_HASH_EACH 256
#define MKZ_ONLY_MERGE_KEEP 512
#define MKZ_ONLY_DATA 1024 /* entry points without a hash (kernels/data.h) */
/* What a program has only if it asks for it: */
#define MKZ_ONLY_EXTEND 2048       /* extensions (kernels/extend.h) */
#define MKZ_ONLY_SUMS 4096         /* sums with weights (kernels/weighted_sums.h) */
#define MKZ_ONLY_TILES 8192        /* tiles of matrices, and trees above them (kernels/hash_tiles.h) */
#define MKZ_ONLY_XMSS 16384        /* subtrees of XMSS keys (kernels/xmss.h) */
#define MKZ_ONLY_CONSTRAINTS 32768 /* sums of polynomials of rows (kernels/constraints.h) */

#endif /* MKZ_ONLY_H */
