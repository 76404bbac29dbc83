/* kernels.h: kernel bodies: what one item of a launch does.
 *
 * A body gets its position as a mkz_work_item and is an ordinary function, so the same text serves CUDA, OpenCL, SYCL and a loop of
 * host C++. entry.h makes kernels of them. Every launch has groups of MKZ_GROUP_SIZE items, and an item handles MKZ_LANES neighbours,
 * one vector lane each. Items beyond the end do nothing: round launches up.
 *
 *   kernels/merge_level.h      one level of a Merkle tree                               count / (group size * lanes) groups
 *   kernels/merge_subtree.h    several levels, each group by itself                     count >> levels groups
 *   kernels/merge_pairs.h      merges of nodes in two buffers                           count / (group size * lanes)
 *   kernels/merge_at.h         the ways up from some nodes of a level                   one a segment
 *   kernels/hash_rows_*.h      rows of field elements, or of bytes -> digests           count / (group size * lanes)
 *   kernels/hash_chunks.h      bytes -> chaining values of chunks, or of subtrees of them     of hashes with a chunk tree
 *   kernels/hash_parents.h     levels of the tree inside a digest                             of hashes with a chunk tree
 *   kernels/data.h             gather_paths, gather_nodes, scatter_nodes, gather_strided, check_words: no hash in them
 *
 * The texts are included once a hash, and know it by its facts and functions alone (hashes.h, names.h): the body of hash h is
 * mkz_body_merge_level_h. A program for fewer hashes, which compiles faster, first defines MKZ_HASH_LIST as a header that includes
 * their units: of one hash its own, as "hashes/blake3.h"; for the bodies without a hash one that has no unit, as "port.h".
 *
 * A node is 32 bytes: 8 words of 32 bits or 4 of 64, as the hash's lane. Words are little endian in memory, as on every target.
 * Buffers are aligned as MKZ_ALIGN says (port.h). Offsets, counts and strides are in nodes for nodes, in words for rows, in bytes for
 * bytes. `in` and `out` may be one buffer, if what a launch writes does not overlap what it was given to read. `ctx`: the table of
 * constants and, in programs of keyed merges alone (MKZ_KEYED 1), the key (context.h). `tower`: MKZ_TOWER_WORDS words of local memory
 * (kernels/nodes.h). */
#ifndef MKZ_KERNELS_H
#define MKZ_KERNELS_H

#include "context.h"
#include "kernels/bytes.h"
#include "kernels/data.h"
#include "kernels/nodes.h"
#include "names.h"

/* The entry points that are made, a sum of these: none, unless entry.h says so. */
#define MKZ_ONLY_MERGE_LEVEL 1
#define MKZ_ONLY_MERGE_PAIRS 2
#define MKZ_ONLY_MERGE_SUBTREE 4
#define MKZ_ONLY_HASH_ROWS 8
#define MKZ_ONLY_HASH_CHUNKS 16
#define MKZ_ONLY_HASH_PARENTS 32
#define MKZ_ONLY_MERGE_AT 64
#ifndef MKZ_ENTRIES
#define MKZ_ENTRIES 0
#endif

#define MKZ_WITH_KERNELS
#ifdef MKZ_HASH_LIST
#include MKZ_HASH_LIST
#else
#include "hashes.h"
#endif
#undef MKZ_WITH_KERNELS

#endif /* MKZ_KERNELS_H */
